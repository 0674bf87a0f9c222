#include "base/units.h"

#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <string.h>

#include "base/fail.h"
#include "tap.h"

typedef int parser(const char *text, uint64_t *value);

static uint64_t value_of(parser *parse, const char *text)
{
	uint64_t value = 12345;

	if (parse(text, &value))
		tap_fail("'%s': %s", text, fail_message());
	return value;
}

/* Refused with this sentence, and the destination left alone. */
static void check_refused(parser *parse, const char *text, const char *sentence)
{
	uint64_t value = 12345;
	int err = parse(text, &value);

	if (err != -EINVAL || value != 12345)
		tap_fail("'%s' gives %d and the value %llu", text, err, (unsigned long long)value);
	if (strcmp(fail_message(), sentence))
		tap_fail("'%s' says: %s", text, fail_message());
}

TEST(a_size_is_binary_with_a_bare_letter_and_decimal_with_KB)
{
	check_equal(value_of(parse_size, "4096"), 4096);
	check_equal(value_of(parse_size, "4k"), 4096);
	check_equal(value_of(parse_size, "4K"), 4096);
	check_equal(value_of(parse_size, "4KiB"), 4096);
	check_equal(value_of(parse_size, "4kB"), 4000);
	check_equal(value_of(parse_size, "4KB"), 4000);
	check_equal(value_of(parse_size, "3M"), 3 << 20);
	check_equal(value_of(parse_size, "3MB"), 3000000);
	check_equal(value_of(parse_size, "2G"), 2ll << 30);
	check_equal(value_of(parse_size, "2GB"), 2000000000);
	check_equal(value_of(parse_size, "1T"), 1ll << 40);
	check_equal(value_of(parse_size, "512B"), 512);
	check_equal(value_of(parse_size, "0"), 0);
}

TEST(decimals_are_exact_to_the_byte)
{
	check_equal(value_of(parse_size, "1.92TB"), 1920000000000);
	check_equal(value_of(parse_size, "1.92 TB"), 1920000000000);
	check_equal(value_of(parse_size, "1.5k"), 1536);
	check_equal(value_of(parse_size, "0.5"  "00000000000000000000000k"), 512);
	check_equal(value_of(parse_size, "1.000"), 1);
	check_refused(parse_size, "0.3k",
		      "'0.3k' is not a size: it is not a whole number of bytes (try: 4096, 128K, 1.92TB)");
	check_refused(parse_size, "1.0000000000000000001T",
		      "'1.0000000000000000001T' is not a size: it is not a whole number of bytes "
		      "(try: 4096, 128K, 1.92TB)");
}

TEST(a_duration_needs_a_unit)
{
	check_equal(value_of(parse_duration, "700ns"), 700);
	check_equal(value_of(parse_duration, "60us"), 60000);
	check_equal(value_of(parse_duration, "1.72us"), 1720);
	check_equal(value_of(parse_duration, "5ms"), 5000000);
	check_equal(value_of(parse_duration, "1.5s"), 1500000000);
	check_equal(value_of(parse_duration, "300s"), 300000000000);
	check_equal(value_of(parse_duration, "2m"), 120000000000);
	check_equal(value_of(parse_duration, "3h"), 10800000000000);
	check_equal(value_of(parse_duration, "1d"), 86400000000000);
	check_equal(value_of(parse_duration, "0s"), 0);
	check_refused(parse_duration, "60",
		      "'60' is not a duration: it has no unit (try: 60us, 5ms, 300s, 2m, 3h)");
	check_refused(parse_duration, "0.5ns",
		      "'0.5ns' is not a duration: it is not a whole number of nanoseconds "
		      "(try: 60us, 5ms, 300s, 2m, 3h)");
}

TEST(rates_and_counts_are_decimal)
{
	check_equal(value_of(parse_rate, "1000"), 1000);
	check_equal(value_of(parse_rate, "10k"), 10000);
	check_equal(value_of(parse_rate, "1.5M"), 1500000);
	check_equal(value_of(parse_count, "128"), 128);
	check_equal(value_of(parse_count, "10k"), 10000);
	check_refused(parse_count, "1.5",
		      "'1.5' is not a count: it is not a whole number (try: 128, 10k)");
	check_refused(parse_rate, "1m",
		      "'1m' is not a rate: its unit is unknown (try: 1000, 10k, 1.5M)");
}

TEST(a_percentage_carries_its_sign)
{
	check_equal(value_of(parse_percent, "25%"), 25000);
	check_equal(value_of(parse_percent, "12.5%"), 12500);
	check_equal(value_of(parse_percent, "0.001%"), 1);
	check_equal(value_of(parse_percent, "200%"), 200000);
	check_refused(parse_percent, "25",
		      "'25' is not a percentage: it has no unit (try: 25%, 12.5%)");
	check_refused(parse_percent, "0.0001%",
		      "'0.0001%' is not a percentage: it is not a multiple of 0.001% "
		      "(try: 25%, 12.5%)");
}

TEST(a_plain_number_counts_in_thousandths)
{
	check_equal(value_of(parse_milli, "1.2"), 1200);
	check_equal(value_of(parse_milli, "41.05"), 41050);
	check_equal(value_of(parse_milli, "7"), 7000);
	check_refused(parse_milli, "0.0001",
		      "'0.0001' is not a number: it is not a multiple of 0.001 "
		      "(try: 1, 0.99, 41.05)");
	check_refused(parse_milli, "1%",
		      "'1%' is not a number: its unit is unknown (try: 1, 0.99, 41.05)");
}

TEST(a_speed_is_bytes_per_second)
{
	check_equal(value_of(parse_speed, "800MB/s"), 800000000);
	check_equal(value_of(parse_speed, "3.4GB/s"), 3400000000);
	check_equal(value_of(parse_speed, "1200MiB/s"), 1200ll << 20);
	check_refused(parse_speed, "800MB",
		      "'800MB' is not a speed: its unit is unknown "
		      "(try: 800MB/s, 3.4GB/s, 1200MiB/s)");
}

TEST(the_whole_text_must_be_understood)
{
	static const char *const wrong[] = {
		"", " ", "x", "k", "6x", "6 x", "6  k", "6k ", " 6k", "6kk", "6K iB", "0x10", "1e6",
		"1.", ".5", "1.k", "1..2", "1,5k", "+5", "-5", "-0", "nan", "inf", "six", "5\n",
		"6\xc2\xb5",
	};
	parser *const all[] = {
		parse_size, parse_duration, parse_rate, parse_count, parse_percent, parse_speed,
		parse_milli,
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		for (size_t p = 0; p < sizeof(all) / sizeof(*all); p++) {
			uint64_t value = 12345;

			if (all[p](wrong[i], &value) != -EINVAL || value != 12345)
				tap_fail("parser %zu takes '%s'", p, wrong[i]);
		}
	check_refused(parse_size, "6x",
		      "'6x' is not a size: its unit is unknown (try: 4096, 128K, 1.92TB)");
	check_refused(parse_size, "-5",
		      "'-5' is not a size: it is negative (try: 4096, 128K, 1.92TB)");
	check_refused(parse_size, "many", "'many' is not a size (try: 4096, 128K, 1.92TB)");
}

TEST(what_does_not_fit_64_bits_is_refused)
{
	check(value_of(parse_count, "18446744073709551615") == UINT64_MAX);
	check(value_of(parse_size, "16777215T") == 16777215ull << 40);
	check_refused(parse_count, "18446744073709551616",
		      "'18446744073709551616' is not a count: it is too large (try: 128, 10k)");
	check_refused(parse_size, "16777216T",
		      "'16777216T' is not a size: it is too large (try: 4096, 128K, 1.92TB)");
	check_refused(parse_duration, "99999999999999999999999999999999h",
		      "'99999999999999999999999999999999h' is not a duration: it is too large "
		      "(try: 60us, 5ms, 300s, 2m, 3h)");
}

TEST(a_long_text_is_quoted_shortened)
{
	char text[2000];
	uint64_t value;

	memset(text, 'z', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	check(parse_size(text, &value) == -EINVAL);
	check(strlen(fail_message()) < 150);
	check(strstr(fail_message(), "zzz'... is not a size"));
}

TEST(no_locale_changes_the_decimal_point)
{
	char out[UNITS_BYTES];

	setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is not installed, "C" proves the same */
	check_equal(value_of(parse_size, "1.5k"), 1536);
	check(strcmp(format_size(1920000000000, out), "1.92 TB") == 0);
	setlocale(LC_ALL, "C");
}

static void check_text(const char *got, const char *expected)
{
	if (strcmp(got, expected))
		tap_fail("got '%s', expected '%s'", got, expected);
}

TEST(sizes_are_written_binary_where_that_is_exact)
{
	char out[UNITS_BYTES];

	check_text(format_size(0, out), "0 B");
	check_text(format_size(512, out), "512 B");
	check_text(format_size(1023, out), "1.023 kB");
	check_text(format_size(1024, out), "1 KiB");
	check_text(format_size(1025, out), "1.025 kB");
	check_text(format_size(4096, out), "4 KiB");
	check_text(format_size(3 << 19, out), "1536 KiB");
	check_text(format_size(1ull << 40, out), "1 TiB");
	check_text(format_size(1920383410176, out), "1.92 TB");
	check_text(format_size(999949, out), "999.9 kB");
	check_text(format_size(999950, out), "1 MB");
	check_text(format_size(UINT64_MAX, out), "18447 PB");
}

TEST(durations_are_written_with_four_digits)
{
	char out[UNITS_BYTES];

	check_text(format_duration(0, out), "0 ns");
	check_text(format_duration(999, out), "999 ns");
	check_text(format_duration(1000, out), "1 us");
	check_text(format_duration(82040, out), "82.04 us");
	check_text(format_duration(123456, out), "123.5 us");
	check_text(format_duration(999949, out), "999.9 us");
	check_text(format_duration(999950, out), "1 ms");
	check_text(format_duration(119 * 1000000000ull, out), "119 s");
	check_text(format_duration(120 * 1000000000ull, out), "2 m");
	check_text(format_duration(7199 * 1000000000ull, out), "120 m");
	check_text(format_duration(7200 * 1000000000ull, out), "2 h");
	check_text(format_duration(UINT64_MAX, out), "5124096 h");
}

TEST(rates_are_written_with_four_digits)
{
	char out[UNITS_BYTES];

	check_text(format_rate(0, out), "0");
	check_text(format_rate(0.25, out), "0.25");
	check_text(format_rate(999, out), "999");
	check_text(format_rate(35420, out), "35.42k");
	check_text(format_rate(1234567, out), "1.235M");
	check_text(format_rate(-1, out), "n/a");
	check_text(format_rate(0.0 / 0.0, out), "n/a");
}

TEST(counts_percentages_and_speeds_are_written)
{
	char out[UNITS_BYTES];

	check_text(format_count(UINT64_MAX, out), "18446744073709551615");
	check_text(format_percent(12500, out), "12.5%");
	check_text(format_percent(100000, out), "100%");
	check_text(format_percent(1, out), "0.001%");
	check_text(format_speed(1048576000, out), "1.049 GB/s");
	check_text(format_speed(800000000, out), "800 MB/s");
}

/* Oracle: what is written is read back to within half of the fourth digit. */
TEST(written_values_read_back)
{
	char out[UNITS_BYTES];
	uint64_t back;

	for (uint64_t value = 1; value < UINT64_MAX / 4; value = value * 5 / 3 + 1) {
		uint64_t slack = value / 1999;

		if (value < 900ull * 1000000000000) { /* format_size knows PB, parse_size does not */
			back = value_of(parse_size, format_size(value, out));
			check(back + slack >= value && back <= value + slack);
		}
		back = value_of(parse_duration, format_duration(value, out));
		check(back + slack >= value && back <= value + slack);
		if (value < 900000000000) {
			back = value_of(parse_rate, format_rate((double)value, out));
			check(back + slack >= value && back <= value + slack);
		}
	}
}

int main(void)
{
	return tap_run();
}
