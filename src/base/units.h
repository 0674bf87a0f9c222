/*
 * units.h - sizes, durations, rates and counts as people write them.
 *
 * The whole string must be understood: "6x" is an error, never 6. Each parser
 * returns 0 and stores the value, or returns -EINVAL with a sentence in fail()
 * that quotes the text and says what would do; the caller adds where it stood.
 * Decimals are exact to the unit ("1.92TB" is 1,920,000,000,000 bytes); values
 * that do not fit, negative ones and "nan" are errors. Independent of the locale.
 *
 *	size      4096, 4k, 4K, 4KiB = 4096 bytes; 4kB, 4KB = 4000; M, G, T likewise
 *	duration  300s, 2m, 3h, 1d, 60us, 5ms, 700ns, 1.5s; a bare number is an error
 *	rate      1000, 10k, 1.5M (per second, decimal)
 *	count     128, 10k (decimal)
 *	percent   25%, 12.5% (the sign is required): in 1/1000 of a percent
 *	speed     800MB/s, 3.4GB/s, 1200MiB/s: bytes per second
 *	milli     1.2, 0.99 (no unit): in thousandths
 */
#ifndef DRIVEBAY_BASE_UNITS_H
#define DRIVEBAY_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

int parse_size(const char *text, uint64_t *bytes);
int parse_duration(const char *text, uint64_t *ns);
int parse_rate(const char *text, uint64_t *per_second);
int parse_count(const char *text, uint64_t *count);
int parse_percent(const char *text, uint64_t *millipercent);
int parse_speed(const char *text, uint64_t *bytes_per_second);
int parse_milli(const char *text, uint64_t *thousandths);

/*
 * The other way, for people: at most 4 significant digits and a unit. Each writes
 * into `out` (UNITS_BYTES) and returns it. Sizes: exact powers as KiB/MiB/GiB/TiB,
 * everything else decimal (1.92 TB).
 */
enum { UNITS_BYTES = 32 };

const char *format_size(uint64_t bytes, char out[static UNITS_BYTES]);
const char *format_duration(uint64_t ns, char out[static UNITS_BYTES]);
const char *format_rate(double per_second, char out[static UNITS_BYTES]);
const char *format_count(uint64_t count, char out[static UNITS_BYTES]); /* all its digits */
const char *format_percent(uint64_t millipercent, char out[static UNITS_BYTES]);
const char *format_speed(uint64_t bytes_per_second, char out[static UNITS_BYTES]); /* decimal */

#endif
