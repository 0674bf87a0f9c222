/* fio_value.c - numbers, sizes and times as fio writes them. */
#include <errno.h>
#include <string.h>

#include "wire/fio_read.h"

typedef unsigned __int128 uint128; /* C11 has no name for it */

enum { DECIMALS = 9 };

/* A number scaled by 10^DECIMALS; where it ends in *end. False: there is none, or too large. */
static bool scan_decimal(const char *text, const char *stop, const char **end, uint128 *out)
{
	const uint128 most = (uint128)UINT64_MAX * 1000000000u;
	const char *at = text;
	uint128 value = 0;
	int decimals = 0;
	bool has_point = false, has_digit = false;

	for (; at < stop && (*at == '.' || (*at >= '0' && *at <= '9')); at++) {
		if (*at == '.') {
			if (has_point)
				return false;
			has_point = true;
			continue;
		}
		has_digit = true;
		if (has_point && decimals == DECIMALS) {
			if (*at != '0')
				return false;
			continue;
		}
		decimals += has_point;
		value = value * 10 + (unsigned)(*at - '0');
		if (value > most)
			return false;
	}
	for (; decimals < DECIMALS; decimals++) {
		value *= 10;
		if (value > most)
			return false;
	}
	*out = value;
	*end = at;
	return has_digit;
}

static bool scan_hex(const char *text, const char *stop, const char **end, uint128 *out)
{
	uint64_t value = 0;
	const char *at = text + 2;

	for (; at < stop; at++) {
		unsigned digit;

		if (*at >= '0' && *at <= '9')
			digit = (unsigned)(*at - '0');
		else if ((*at | 32) >= 'a' && (*at | 32) <= 'f')
			digit = (unsigned)((*at | 32) - 'a') + 10;
		else
			break;
		if (value >> 60)
			return false;
		value = value << 4 | digit;
	}
	*out = (uint128)value * 1000000000u;
	*end = at;
	return at > text + 2;
}

static bool scan_number(const char *text, const char *stop, const char **end, uint128 *out)
{
	if (stop - text > 2 && text[0] == '0' && (text[1] | 32) == 'x')
		return scan_hex(text, stop, end, out);
	return scan_decimal(text, stop, end, out);
}

/*
 * fio's units: with kb_base 1024, its default, k and kb are 1024 and ki and kib are 1000; with
 * 1000 it is the other way round, as the standard has it. 0: no unit.
 */
static uint64_t unit_of(const char *text, size_t length, uint32_t kb_base)
{
	static const char letters[] = "kmgtp";
	uint64_t base = kb_base, unit = 1;
	const char *letter;

	if (length == 0 || (length == 1 && (*text | 32) == 'b'))
		return 1;
	letter = memchr(letters, *text | 32, sizeof(letters) - 1);
	if (!letter)
		return 0;
	text++;
	length--;
	if (length && (*text | 32) == 'i') {
		base = kb_base == 1024 ? 1000 : 1024;
		text++;
		length--;
	}
	if (length && (*text | 32) == 'b')
		length--;
	if (length)
		return 0;
	for (const char *one = letters; one <= letter; one++)
		unit *= base;
	return unit;
}

int fio_bytes(const struct fio_entry *entry, const char *text, size_t length, uint32_t kb_base,
	      uint64_t *out)
{
	const char *stop = text + length, *end;
	uint128 number;
	uint64_t unit;

	if (length == 0)
		return fio_fail(entry, "a number is missing");
	if (!scan_number(text, stop, &end, &number))
		return fio_fail(entry, "'%.*s' is not a number (try: 4k)", (int)length, text);
	unit = unit_of(end, (size_t)(stop - end), kb_base);
	if (!unit)
		return fio_fail(entry, "'%.*s' ends in no unit that fio has (try: k, m, g, t)", (int)length,
				text);
	if (number / 1000000000u > UINT64_MAX / unit)
		return fio_fail(entry, "'%.*s' is too large", (int)length, text);
	number *= unit;
	if (number % 1000000000u)
		return fio_fail(entry, "'%.*s' is no whole number", (int)length, text);
	*out = (uint64_t)(number / 1000000000u);
	return 0;
}

int fio_milli(const struct fio_entry *entry, const char *text, size_t length, uint64_t *out)
{
	const char *end;
	uint128 number;

	if (!scan_decimal(text, text + length, &end, &number) || end != text + length ||
	    number / 1000000u > UINT32_MAX)
		return fio_fail(entry, "'%.*s' is not a number", (int)length, text);
	*out = (uint64_t)(number / 1000000u);
	return 0;
}

int fio_amount(const struct fio_entry *entry, uint32_t kb_base, struct fio_amount *out)
{
	size_t length = strlen(entry->value);
	int err;

	*out = (struct fio_amount){ .is_given = true };
	if (length == 0 || entry->value[length - 1] != '%')
		return fio_bytes(entry, entry->value, length, kb_base, &out->value);
	out->is_percent = true;
	err = fio_milli(entry, entry->value, length - 1, &out->value);
	if (!err && out->value > 100000)
		err = fio_fail(entry, "more than 100%%");
	return err;
}

/* 30, 30s, 1.5m, 500ms, 1:30:00; a bare number counts unit_ns. */
int fio_time(const struct fio_entry *entry, uint64_t unit_ns, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "us", 1000 }, { "usec", 1000 }, { "ms", 1000000 }, { "msec", 1000000 },
		{ "s", 1000000000 }, { "sec", 1000000000 }, { "m", 60000000000 },
		{ "min", 60000000000 }, { "h", 3600000000000 }, { "d", 86400000000000 },
	};
	const char *text = entry->value, *stop = text + strlen(text), *end;
	uint128 number, total = 0;

	for (;;) { /* hours, minutes and seconds behind colons */
		if (!scan_decimal(text, stop, &end, &number))
			return fio_fail(entry, "'%.40s' is not a time (try: 60s)", text);
		if (end == stop || *end != ':')
			break;
		total = (total + number) * 60;
		if (total > (uint128)UINT64_MAX * 1000000000u)
			return fio_fail(entry, "is too long");
		text = end + 1;
	}
	if (text != entry->value)
		unit_ns = 1000000000;
	if (end != stop) {
		size_t i = 0, count = sizeof(units) / sizeof(units[0]);

		while (i < count && strcasecmp(end, units[i].name))
			i++;
		if (i == count || text != entry->value)
			return fio_fail(entry, "'%.40s' is no unit of time (try: us, ms, s, m, h, d)", end);
		unit_ns = units[i].ns;
	}
	total += number;
	if (total / 1000000000u > (uint64_t)30 * 86400 * 1000000000 / unit_ns)
		return fio_fail(entry, "is longer than 30 days");
	*ns = (uint64_t)(total * unit_ns / 1000000000u);
	return 0;
}
