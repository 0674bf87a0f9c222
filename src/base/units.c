#include "base/units.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

/* A unit as it is written, and how many of the smallest one it is. */
struct unit {
	const char *name;
	uint64_t factor;
};

#define KIB 1024ull
#define NS_PER_S 1000000000ull

static const struct unit size_units[] = {
	{ "", 1 }, { "B", 1 },
	{ "k", KIB }, { "K", KIB }, { "KiB", KIB }, { "kB", 1000 }, { "KB", 1000 },
	{ "m", KIB * KIB }, { "M", KIB * KIB }, { "MiB", KIB * KIB }, { "MB", 1000000 },
	{ "g", KIB * KIB * KIB }, { "G", KIB * KIB * KIB }, { "GiB", KIB * KIB * KIB },
	{ "GB", 1000000000 },
	{ "t", KIB * KIB * KIB * KIB }, { "T", KIB * KIB * KIB * KIB },
	{ "TiB", KIB * KIB * KIB * KIB }, { "TB", 1000000000000 },
	{ NULL, 0 },
};

static const struct unit duration_units[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", NS_PER_S },
	{ "m", 60 * NS_PER_S }, { "h", 3600 * NS_PER_S }, { "d", 86400 * NS_PER_S },
	{ NULL, 0 },
};

/* No "m": whoever writes it may mean a thousandth. */
static const struct unit decimal_units[] = {
	{ "", 1 }, { "k", 1000 }, { "K", 1000 }, { "M", 1000000 }, { "G", 1000000000 },
	{ NULL, 0 },
};

static const struct unit milli_units[] = { { "", 1000 }, { NULL, 0 } };

static const struct unit percent_units[] = { { "%", 1000 }, { NULL, 0 } };

static const struct unit speed_units[] = {
	{ "B/s", 1 },
	{ "kB/s", 1000 }, { "KB/s", 1000 }, { "KiB/s", KIB },
	{ "MB/s", 1000000 }, { "MiB/s", KIB * KIB },
	{ "GB/s", 1000000000 }, { "GiB/s", KIB * KIB * KIB },
	{ "TB/s", 1000000000000 }, { "TiB/s", KIB * KIB * KIB * KIB },
	{ NULL, 0 },
};

/* What one kind of value is called, and what a right one looks like. */
struct grammar {
	const char *what, *too_fine, *examples;
	const struct unit *units;
};

static const struct grammar size_grammar = {
	"size", ": it is not a whole number of bytes", "4096, 128K, 1.92TB", size_units,
};
static const struct grammar duration_grammar = {
	"duration", ": it is not a whole number of nanoseconds", "60us, 5ms, 300s, 2m, 3h",
	duration_units,
};
static const struct grammar rate_grammar = {
	"rate", ": it is not a whole number", "1000, 10k, 1.5M", decimal_units,
};
static const struct grammar count_grammar = {
	"count", ": it is not a whole number", "128, 10k", decimal_units,
};
static const struct grammar percent_grammar = {
	"percentage", ": it is not a multiple of 0.001%", "25%, 12.5%", percent_units,
};
static const struct grammar speed_grammar = {
	"speed", ": it is not a whole number of bytes per second", "800MB/s, 3.4GB/s, 1200MiB/s",
	speed_units,
};
static const struct grammar milli_grammar = {
	"number", ": it is not a multiple of 0.001", "1, 0.99, 41.05", milli_units,
};

/* isdigit() asks the locale. */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A decimal number: whole + fraction / fraction_base. */
struct decimal {
	uint64_t whole, fraction, fraction_base;
	bool too_large; /* the whole part needs more than 64 bits */
	bool too_fine;  /* more than 18 decimals, which no unit here needs */
};

static const char *skip_digits(const char *text)
{
	while (is_digit(*text))
		text++;
	return text;
}

static void read_whole(const char *from, const char *to, struct decimal *number)
{
	for (; from < to; from++) {
		unsigned digit = (unsigned)(*from - '0');

		if (number->whole > (UINT64_MAX - digit) / 10)
			number->too_large = true;
		else
			number->whole = number->whole * 10 + digit;
	}
}

static void read_fraction(const char *from, const char *to, struct decimal *number)
{
	while (to > from && to[-1] == '0')
		to--;
	number->too_fine = to - from > 18;
	for (; from < to && !number->too_fine; from++) {
		number->fraction = number->fraction * 10 + (unsigned)(*from - '0');
		number->fraction_base *= 10;
	}
}

/* How many characters make up the number; 0 when `text` does not begin with one. */
static size_t read_decimal(const char *text, struct decimal *number)
{
	const char *point = skip_digits(text), *end;

	*number = (struct decimal){ .fraction_base = 1 };
	read_whole(text, point, number);
	if (point == text || *point != '.')
		return (size_t)(point - text);
	end = skip_digits(point + 1);
	if (end == point + 1)
		return 0;
	read_fraction(point + 1, end, number);
	return (size_t)(end - text);
}

/* Quoted in a sentence: shortened, since whoever gave it may have given a megabyte. */
enum { QUOTE_CHARS = 60 };

static int refuse(const struct grammar *grammar, const char *text, const char *why)
{
	return fail(EINVAL, "'%.*s'%s is not a %s%s (try: %s)", QUOTE_CHARS, text,
		    strlen(text) > QUOTE_CHARS ? "..." : "", grammar->what, why, grammar->examples);
}

static const struct unit *find_unit(const struct unit *units, const char *name)
{
	for (; units->name; units++)
		if (strcmp(units->name, name) == 0)
			return units;
	return NULL;
}

static int parse(const struct grammar *grammar, const char *text, uint64_t *value)
{
	struct decimal number;
	const struct unit *unit;
	unsigned __int128 total, part;
	size_t used = read_decimal(text, &number);

	if (used == 0)
		return refuse(grammar, text, *text == '-' ? ": it is negative" : "");
	/* One space is fine: format_size() and the like write one. */
	unit = find_unit(grammar->units, text + used + (text[used] == ' ' && text[used + 1]));
	if (!unit)
		return refuse(grammar, text, text[used] ? ": its unit is unknown" : ": it has no unit");
	part = (unsigned __int128)number.fraction * unit->factor;
	if (number.too_fine || part % number.fraction_base)
		return refuse(grammar, text, grammar->too_fine);
	total = (unsigned __int128)number.whole * unit->factor + part / number.fraction_base;
	if (number.too_large || total > UINT64_MAX)
		return refuse(grammar, text, ": it is too large");
	*value = (uint64_t)total;
	return 0;
}

int parse_size(const char *text, uint64_t *bytes)
{
	return parse(&size_grammar, text, bytes);
}

int parse_duration(const char *text, uint64_t *ns)
{
	return parse(&duration_grammar, text, ns);
}

int parse_rate(const char *text, uint64_t *per_second)
{
	return parse(&rate_grammar, text, per_second);
}

int parse_count(const char *text, uint64_t *count)
{
	return parse(&count_grammar, text, count);
}

int parse_percent(const char *text, uint64_t *millipercent)
{
	return parse(&percent_grammar, text, millipercent);
}

int parse_speed(const char *text, uint64_t *bytes_per_second)
{
	return parse(&speed_grammar, text, bytes_per_second);
}

int parse_milli(const char *text, uint64_t *thousandths)
{
	return parse(&milli_grammar, text, thousandths);
}

/*
 * value / factor with at most 4 significant digits, rounded half up, no trailing zeros.
 * Integers only: printf's %g writes the decimal point of the locale.
 */
static const char *format(uint64_t value, uint64_t factor, const char *unit,
			  char out[static UNITS_BYTES])
{
	static const uint64_t tens[] = { 1, 10, 100, 1000 };
	unsigned decimals = 3;
	uint64_t digits;

	for (;; decimals--) {
		digits = (uint64_t)(((unsigned __int128)value * tens[decimals] + factor / 2) / factor);
		if (digits < 10000 || decimals == 0)
			break;
	}
	for (; decimals > 0 && digits % 10 == 0; decimals--)
		digits /= 10;
	if (decimals == 0)
		snprintf(out, UNITS_BYTES, "%llu%s", (unsigned long long)digits, unit);
	else
		snprintf(out, UNITS_BYTES, "%u.%0*u%s", (unsigned)(digits / tens[decimals]),
			 (int)decimals, (unsigned)(digits % tens[decimals]) % 1000u, unit);
	return out;
}

/* The largest unit of which `value`, rounded to 4 digits, is at least one. */
static const char *format_largest(uint64_t value, const struct unit *units, size_t count,
				  char out[static UNITS_BYTES])
{
	size_t i = 0;

	while (i + 1 < count && value >= units[i + 1].factor - units[i + 1].factor / 20000)
		i++;
	return format(value, units[i].factor, units[i].name, out);
}

const char *format_size(uint64_t bytes, char out[static UNITS_BYTES])
{
	static const struct unit binary[] = {
		{ " TiB", KIB * KIB * KIB * KIB }, { " GiB", KIB * KIB * KIB },
		{ " MiB", KIB * KIB }, { " KiB", KIB },
	};
	static const struct unit decimal[] = {
		{ " B", 1 }, { " kB", 1000 }, { " MB", 1000000 }, { " GB", 1000000000 },
		{ " TB", 1000000000000 }, { " PB", 1000000000000000 },
	};

	for (size_t i = 0; i < sizeof(binary) / sizeof(*binary); i++)
		if (bytes && bytes % binary[i].factor == 0 && bytes / binary[i].factor < 10000)
			return format(bytes, binary[i].factor, binary[i].name, out);
	return format_largest(bytes, decimal, sizeof(decimal) / sizeof(*decimal), out);
}

const char *format_speed(uint64_t bytes_per_second, char out[static UNITS_BYTES])
{
	static const struct unit decimal[] = {
		{ " B/s", 1 }, { " kB/s", 1000 }, { " MB/s", 1000000 }, { " GB/s", 1000000000 },
		{ " TB/s", 1000000000000 }, { " PB/s", 1000000000000000 },
	};

	return format_largest(bytes_per_second, decimal, sizeof(decimal) / sizeof(*decimal), out);
}

const char *format_percent(uint64_t millipercent, char out[static UNITS_BYTES])
{
	return format(millipercent, 1000, "%", out);
}

const char *format_count(uint64_t count, char out[static UNITS_BYTES])
{
	snprintf(out, UNITS_BYTES, "%llu", (unsigned long long)count);
	return out;
}

const char *format_duration(uint64_t ns, char out[static UNITS_BYTES])
{
	static const struct unit units[] = {
		{ " ns", 1 }, { " us", 1000 }, { " ms", 1000000 }, { " s", NS_PER_S },
	};

	/* "90 s" reads better than "1.5 m", "90 m" better than "1.5 h". */
	if (ns >= 2 * 3600 * NS_PER_S)
		return format(ns, 3600 * NS_PER_S, " h", out);
	if (ns >= 120 * NS_PER_S)
		return format(ns, 60 * NS_PER_S, " m", out);
	return format_largest(ns, units, sizeof(units) / sizeof(*units), out);
}

const char *format_rate(double per_second, char out[static UNITS_BYTES])
{
	static const struct unit milli[] = {
		{ "", 1000 }, { "k", 1000000 }, { "M", 1000000000 }, { "G", 1000000000000 },
	};

	if (!(per_second >= 0 && per_second < 1e15)) {
		snprintf(out, UNITS_BYTES, "n/a");
		return out;
	}
	return format_largest((uint64_t)(per_second * 1000 + 0.5), milli,
			      sizeof(milli) / sizeof(*milli), out);
}
