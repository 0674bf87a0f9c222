#include "report/escape.h"

#include <stdbool.h>
#include <stdint.h>

enum { REPLACEMENT = 0xfffd };

/*
 * The next character of *text, which moves past it; REPLACEMENT for a byte that begins
 * none (overlong forms, surrogates and beyond U+10FFFF included: RFC 3629, section 4).
 */
static uint32_t next_character(const char **text)
{
	const unsigned char *byte = (const unsigned char *)*text;
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	unsigned more = byte[0] < 0x80 ? 0 : (byte[0] & 0xe0) == 0xc0 ? 1
		: (byte[0] & 0xf0) == 0xe0 ? 2 : (byte[0] & 0xf8) == 0xf0 ? 3 : 4;
	uint32_t character = more ? byte[0] & (0x3fu >> more) : byte[0];

	if (more == 4) {
		*text += 1;
		return REPLACEMENT;
	}
	for (unsigned i = 1; i <= more; i++) {
		if ((byte[i] & 0xc0) != 0x80) {
			*text += 1;
			return REPLACEMENT;
		}
		character = character << 6 | (byte[i] & 0x3f);
	}
	if (character < least[more] || character > 0x10ffff
	    || (character >= 0xd800 && character <= 0xdfff)) {
		*text += 1;
		return REPLACEMENT;
	}
	*text += more + 1;
	return character;
}

static bool is_control(uint32_t character)
{
	return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

static void put_character(struct buf *buf, uint32_t c)
{
	char bytes[4];
	size_t size = 0;

	if (c < 0x80) {
		bytes[size++] = (char)c;
	} else if (c < 0x800) {
		bytes[size++] = (char)(0xc0 | c >> 6);
		bytes[size++] = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		bytes[size++] = (char)(0xe0 | c >> 12);
		bytes[size++] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[size++] = (char)(0x80 | (c & 0x3f));
	} else {
		bytes[size++] = (char)(0xf0 | c >> 18);
		bytes[size++] = (char)(0x80 | (c >> 12 & 0x3f));
		bytes[size++] = (char)(0x80 | (c >> 6 & 0x3f));
		bytes[size++] = (char)(0x80 | (c & 0x3f));
	}
	buf_append(buf, bytes, size);
}

void escape_html(struct buf *buf, const char *text)
{
	while (*text) {
		uint32_t character = next_character(&text);

		if (character == '<')
			buf_puts(buf, "&lt;");
		else if (character == '>')
			buf_puts(buf, "&gt;");
		else if (character == '&')
			buf_puts(buf, "&amp;");
		else if (character == '"')
			buf_puts(buf, "&quot;");
		else if (character == ' ' && *text == '%')
			buf_puts(buf, "&nbsp;"); /* a number and its sign stay together */
		else
			put_character(buf, is_control(character) ? ' ' : character);
	}
}

/* U+2028 and U+2029 end a line in older JavaScript. */
static bool json_needs_escape(uint32_t character)
{
	return is_control(character) || character == '"' || character == '\\' || character == '<'
		|| character == '>' || character == '&' || character == 0x2028
		|| character == 0x2029;
}

void escape_json(struct buf *buf, const char *text)
{
	buf_puts(buf, "\"");
	while (*text) {
		uint32_t character = next_character(&text);

		if (json_needs_escape(character))
			buf_printf(buf, "\\u%04x", (unsigned)character);
		else
			put_character(buf, character);
	}
	buf_puts(buf, "\"");
}

void escape_terminal(struct buf *buf, const char *text)
{
	while (*text) {
		uint32_t character = next_character(&text);

		put_character(buf, is_control(character) ? '?' : character);
	}
}

size_t text_width(const char *text)
{
	size_t width = 0;

	while (*text) {
		next_character(&text);
		width++;
	}
	return width;
}
