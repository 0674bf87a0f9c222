/* The manual pages: the table of commands and the pages of doc/, as man(7) source. */
#include "cli/help.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "cli/options.h"

enum font { ROMAN, BOLD, ITALIC };

static const char *const font_code[] = { [ROMAN] = "\\fR", [BOLD] = "\\fB", [ITALIC] = "\\fI" };

/* One character as it should look: roff makes other signs of some of the plain ones. */
static void put_character(struct buf *out, char c)
{
	switch (c) {
	case '\\':
		buf_puts(out, "\\e");
		break;
	case '-':
		buf_puts(out, "\\-");
		break;
	case '\'':
		buf_puts(out, "\\(aq");
		break;
	case '^':
		buf_puts(out, "\\(ha");
		break;
	case '~':
		buf_puts(out, "\\(ti");
		break;
	case '`':
		buf_puts(out, "\\(ga");
		break;
	default:
		buf_append(out, &c, 1);
	}
}

/* A dot at the start of a line would be a request. */
static void put_verbatim(struct buf *out, const char *text, size_t length)
{
	if (length > 0 && text[0] == '.')
		buf_puts(out, "\\&");
	for (size_t i = 0; i < length; i++)
		put_character(out, text[i]);
}

static void put_bold(struct buf *out, const char *text)
{
	buf_puts(out, font_code[BOLD]);
	put_verbatim(out, text, strlen(text));
	buf_puts(out, font_code[ROMAN]);
}

/* `[words](address)` becomes its words; the length of what was read, 0 when it is no link. */
static size_t link_length(const char *text, size_t length, size_t *words)
{
	const char *middle = memchr(text, ']', length);
	const char *end;

	if (text[0] != '[' || !middle || middle + 1 == text + length || middle[1] != '(')
		return 0;
	end = memchr(middle, ')', length - (size_t)(middle - text));
	if (!end)
		return 0;
	*words = (size_t)(middle - text) - 1;
	return (size_t)(end - text) + 1;
}

/* What is open at a place of a paragraph: it may have begun on an earlier line. */
struct style {
	enum font font; /* **strong** is bold, *words* are italic */
	bool code;      /* `code` is bold */
};

static void change_font(struct buf *out, struct style *style, enum font font)
{
	style->font = style->font == font ? ROMAN : font;
	buf_puts(out, font_code[style->font]);
}

static void put_words(struct buf *out, struct style *style, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		size_t words, link = style->code ? 0 : link_length(text + i, length - i, &words);

		if (link) {
			put_words(out, style, text + i + 1, words);
			i += link - 1;
		} else if (text[i] == '`') {
			style->code = !style->code;
			buf_puts(out, font_code[style->code ? BOLD : style->font]);
		} else if (!style->code && text[i] == '*' && i + 1 < length && text[i + 1] == '*') {
			change_font(out, style, BOLD);
			i++;
		} else if (!style->code && text[i] == '*') {
			change_font(out, style, ITALIC);
		} else {
			put_character(out, text[i]);
		}
	}
}

static void put_line(struct buf *out, struct style *style, const char *text, size_t length)
{
	if (length > 0 && text[0] == '.')
		buf_puts(out, "\\&");
	put_words(out, style, text, length);
	buf_puts(out, "\n");
}

/* The next paragraph begins with nothing open, whatever was forgotten in this one. */
static void end_paragraph(struct buf *out, struct style *style)
{
	if (style->code || style->font != ROMAN)
		buf_puts(out, "\\fR\n");
	*style = (struct style){ ROMAN, false };
}

struct lines {
	const char *next, *end;
};

static bool next_line(struct lines *lines, const char **line, size_t *length)
{
	const char *newline;

	if (lines->next >= lines->end)
		return false;
	newline = memchr(lines->next, '\n', (size_t)(lines->end - lines->next));
	if (!newline)
		newline = lines->end;
	*line = lines->next;
	*length = (size_t)(newline - lines->next);
	lines->next = newline + 1;
	return true;
}

static bool begins(const char *line, size_t length, const char *what)
{
	return length >= strlen(what) && !memcmp(line, what, strlen(what));
}

/* A part of a page, between two headings; the first has no heading. */
struct section {
	const char *heading;
	size_t heading_length;
	const char *body, *end;
};

enum { SECTIONS = 32 };

struct page {
	struct buf text;
	size_t count; /* at least 1: the part before the first "## " */
	struct section sections[SECTIONS];
};

static void end_example(struct buf *out, bool *example)
{
	if (*example)
		buf_puts(out, ".fi\n.RE\n");
	*example = false;
}

static void begin_example(struct buf *out, bool *example)
{
	if (!*example)
		buf_puts(out, ".PP\n.RS 4\n.nf\n");
	*example = true;
}

static void put_text_line(struct buf *out, struct style *style, const char *line, size_t length)
{
	if (begins(line, length, "### ")) {
		end_paragraph(out, style);
		buf_puts(out, ".SS ");
		put_line(out, style, line + 4, length - 4);
	} else if (begins(line, length, "- ")) {
		end_paragraph(out, style);
		buf_puts(out, ".IP \\(bu 2\n");
		put_line(out, style, line + 2, length - 2);
	} else {
		while (length > 0 && *line == ' ')
			line++, length--;
		put_line(out, style, line, length);
	}
}

/* Rows of a table are examples: their columns stand as they were written. */
static bool is_example(const char *line, size_t length, bool fenced)
{
	return fenced || begins(line, length, "    ") || begins(line, length, "|");
}

static void put_section(struct buf *out, const struct section *section)
{
	struct lines lines = { section->body, section->end };
	struct style style = { ROMAN, false };
	bool example = false, fenced = false, blank = false;
	const char *line;
	size_t length;

	while (next_line(&lines, &line, &length)) {
		if (begins(line, length, "# ") || (length == 0 && !fenced)) {
			blank = length == 0;
			continue;
		}
		if (begins(line, length, "```")) {
			fenced = !fenced;
			continue;
		}
		if (is_example(line, length, fenced)) {
			end_paragraph(out, &style);
			if (blank && example)
				buf_puts(out, "\n");
			begin_example(out, &example);
			if (begins(line, length, "    ") && !fenced)
				line += 4, length -= 4;
			put_verbatim(out, line, length);
			buf_puts(out, "\n");
		} else {
			end_example(out, &example);
			if (blank) {
				end_paragraph(out, &style);
				buf_puts(out, ".PP\n");
			}
			put_text_line(out, &style, line, length);
		}
		blank = false;
	}
	end_paragraph(out, &style);
	end_example(out, &example);
}

static int page_read(const char *path, struct page *page)
{
	_cleanup_file_ FILE *file = fopen(path, "re");
	char chunk[4096];
	size_t got;

	if (!file)
		return fail(errno, "%s: %s", path, strerror(errno));
	while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0)
		buf_append(&page->text, chunk, got);
	return ferror(file) ? fail(EIO, "%s: cannot be read", path) : 0;
}

static void page_split(struct page *page)
{
	struct lines lines = { page->text.text, page->text.text + page->text.size };
	struct section *section = page->sections;
	const char *line;
	size_t length;

	*section = (struct section){ "", 0, lines.next, lines.end };
	page->count = 1;
	while (next_line(&lines, &line, &length)) {
		if (!begins(line, length, "## ") || page->count == SECTIONS)
			continue;
		section->end = line;
		section = &page->sections[page->count++];
		*section = (struct section){ line + 3, length - 3, lines.next, lines.end };
		if (section->body > section->end)
			section->body = section->end;
	}
}

static bool is_examples(const struct section *section)
{
	return section->heading_length == 8 && !strncasecmp(section->heading, "Examples", 8);
}

static void put_heading(struct buf *out, const char *text, size_t length)
{
	buf_puts(out, ".SH \"");
	for (size_t i = 0; i < length; i++)
		put_character(out, (char)toupper((unsigned char)text[i]));
	buf_puts(out, "\"\n");
}

static void put_option(void *context, const struct poptOption *option)
{
	struct buf *out = context;
	const char *argument = option_argument(option);
	struct style style = { ROMAN, false };

	buf_puts(out, ".TP\n");
	if (option->shortName)
		buf_printf(out, "\\fB\\-%c\\fR%s", option->shortName, option->longName ? ", " : "");
	if (option->longName) {
		buf_puts(out, "\\fB\\-\\-\\fR");
		put_bold(out, option->longName);
	}
	if (argument)
		buf_printf(out, "%s\\fI%s\\fR", option->longName ? "=" : " ", argument);
	buf_puts(out, "\n");
	put_line(out, &style, option->descrip, option->descrip ? strlen(option->descrip) : 0);
}

static void put_example(struct buf *out, const char *example)
{
	buf_puts(out, ".PP\n.RS 4\n.nf\n");
	put_verbatim(out, example, strlen(example));
	buf_puts(out, "\n.fi\n.RE\n");
}

static void put_commands(struct buf *out, const struct command *const *commands)
{
	buf_puts(out, ".SH COMMANDS\n");
	for (; *commands; commands++) {
		buf_puts(out, ".TP\n");
		put_bold(out, (*commands)->name);
		buf_printf(out, " \\fI%s\\fR\n", (*commands)->arguments);
		buf_puts(out, (*commands)->help);
		buf_puts(out, ".\n");
	}
	buf_puts(out, ".TP\n\\fBhelp\\fR [\\fICOMMAND\\fR]\nAll about one command.\n");
}

static void put_top(struct buf *out, const struct command *command)
{
	const char *name = command ? command->name : NULL;
	const char *does = command ? command->help :
				     "measure SSDs as a storage laboratory does, and model them";

	buf_puts(out, ".TH \"DRIVEBAY");
	for (const char *c = name ? "\\-" : ""; *c; c++)
		buf_append(out, c, 1);
	for (const char *c = name ? name : ""; *c; c++)
		buf_printf(out, "%c", toupper((unsigned char)*c));
	buf_puts(out, "\" 1 \"\" \"drivebay " DRIVEBAY_VERSION "\" \"drivebay\"\n"
		      ".nh\n.SH NAME\n"); /* no hyphens in names that people copy */
	buf_printf(out, "drivebay%s%s \\- %s\n", name ? "\\-" : "", name ? name : "", does);
	buf_puts(out, ".SH SYNOPSIS\n\\fBdrivebay\\fR ");
	if (command)
		buf_printf(out, "\\fB%s\\fR [\\fIOPTION\\fR...] \\fI%s\\fR\n", name,
			   command->arguments);
	else
		buf_puts(out, "\\fICOMMAND\\fR [\\fIOPTION\\fR...] [\\fIARGUMENT\\fR...]\n");
}

static void put_bottom(struct buf *out, const struct command *const *commands,
		       const struct command *command)
{
	buf_puts(out, ".SH \"EXIT STATUS\"\n"
		      ".TP\n0\ndone\n"
		      ".TP\n1\ntried and failed, refused, or the answer is no\n"
		      ".TP\n2\nasked wrongly: an argument, or the content of a file given as input\n"
		      ".SH \"SEE ALSO\"\n");
	if (command)
		buf_puts(out, ".BR drivebay (1)");
	for (const char *before = command ? ",\n" : ""; *commands; commands++) {
		if (*commands == command)
			continue;
		buf_printf(out, "%s.BR drivebay\\-%s (1)", before, (*commands)->name);
		before = ",\n";
	}
	buf_puts(out, "\n");
}

static void put_page(struct buf *out, const struct command *const *commands,
		     const struct command *command, const struct page *page)
{
	put_top(out, command);
	if (page->count) {
		buf_puts(out, ".SH DESCRIPTION\n");
		put_section(out, &page->sections[0]);
	}
	if (command) {
		buf_puts(out, ".SH OPTIONS\n");
		options_walk(command->options, put_option, out);
	} else {
		put_commands(out, commands);
	}
	buf_puts(out, ".SH EXAMPLES\n");
	put_example(out, command ? command->example : "drivebay review samsung-983-dct");
	for (size_t i = 1; i < page->count; i++)
		if (is_examples(&page->sections[i]))
			put_section(out, &page->sections[i]);
	for (size_t i = 1; i < page->count; i++) {
		if (is_examples(&page->sections[i]))
			continue;
		put_heading(out, page->sections[i].heading, page->sections[i].heading_length);
		put_section(out, &page->sections[i]);
	}
	put_bottom(out, commands, command);
}

int help_man_format(FILE *out, const char *name, const char *path)
{
	_cleanup_buf_ struct buf text = BUF_INIT;
	struct page page = { .text = BUF_INIT };
	int err = page_read(path, &page);

	if (!err && page.text.size)
		page_split(&page);
	buf_puts(&text, ".TH \"DRIVEBAY\\-");
	for (const char *c = name; *c; c++)
		put_character(&text, (char)toupper((unsigned char)*c));
	buf_puts(&text, "\" 5 \"\" \"drivebay " DRIVEBAY_VERSION "\" \"drivebay\"\n.nh\n.SH NAME\ndrivebay\\-");
	put_verbatim(&text, name, strlen(name));
	buf_puts(&text, " \\- files of others that 'drivebay run' takes as they are\n");
	for (size_t i = 0; !err && i < page.count; i++) {
		if (i == 0)
			buf_puts(&text, ".SH DESCRIPTION\n");
		else
			put_heading(&text, page.sections[i].heading, page.sections[i].heading_length);
		put_section(&text, &page.sections[i]);
	}
	buf_puts(&text, ".SH \"SEE ALSO\"\n.BR drivebay\\-run (1)\n");
	if (!err)
		fputs(text.text, out);
	buf_free(&page.text);
	return err;
}

int help_man_page(FILE *out, const struct command *const *commands,
		  const struct command *command, const char *path)
{
	_cleanup_buf_ struct buf text = BUF_INIT;
	struct page page = { .text = BUF_INIT };
	int err = path ? page_read(path, &page) : 0;

	if (!err) {
		if (page.text.size)
			page_split(&page);
		put_page(&text, commands, command, &page);
		fputs(text.text, out);
	}
	buf_free(&page.text);
	return err;
}
