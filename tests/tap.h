/*
 * tap.h - unit tests as claims, spoken in TAP.
 *
 *	TEST(an_empty_histogram_has_no_quantile) { check(hist_quantile(&h, 500000, NULL) == 0); }
 *	int main(void) { return tap_run(); }
 *
 * A failed check() says file, line and condition and ends its test; the others go on.
 */
#ifndef DRIVEBAY_TESTS_TAP_H
#define DRIVEBAY_TESTS_TAP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

struct tap_test {
	const char *name;
	void (*body)(void);
	struct tap_test *next;
};

static struct tap_test *tap_first, **tap_last = &tap_first;
static int tap_count;
static jmp_buf tap_escape;
static char tap_reason[512];
static const char *tap_skip_reason = "";

#define TEST(name) \
	static void test_##name(void); \
	static struct tap_test tap_##name = { #name, test_##name, NULL }; \
	__attribute__((constructor)) static void tap_register_##name(void) \
	{ \
		*tap_last = &tap_##name; \
		tap_last = &tap_##name.next; \
		tap_count++; \
	} \
	static void test_##name(void)

#define check(condition) \
	do { \
		if (!(condition)) \
			tap_fail("%s:%d: %s", __FILE__, __LINE__, #condition); \
	} while (0)

/* check_equal(got, expected): integers, both printed. */
#define check_equal(got, expected) \
	do { \
		long long tap_got = (long long)(got), tap_expected = (long long)(expected); \
		if (tap_got != tap_expected) \
			tap_fail("%s:%d: %s is %lld, expected %lld", __FILE__, __LINE__, #got, \
				 tap_got, tap_expected); \
	} while (0)

__attribute__((format(printf, 1, 2), noreturn, unused)) static void tap_fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(tap_reason, sizeof(tap_reason), format, args);
	va_end(args);
	longjmp(tap_escape, 1);
}

/* Ends the test as skipped, with the reason. */
__attribute__((noreturn, unused)) static void tap_skip(const char *reason)
{
	tap_skip_reason = reason;
	longjmp(tap_escape, 2);
}

static int tap_run(void)
{
	static int number, failed; /* static: they survive longjmp() */

	printf("1..%d\n", tap_count);
	for (struct tap_test *test = tap_first; test; test = test->next) {
		int how = setjmp(tap_escape);

		if (how == 0)
			test->body();
		printf("%sok %d - %s", how == 1 ? "not " : "", ++number, test->name);
		if (how == 2)
			printf(" # SKIP %s", tap_skip_reason);
		printf("\n");
		if (how == 1) {
			printf("# %s\n", tap_reason);
			failed++;
		}
		fflush(stdout);
	}
	return failed ? 1 : 0;
}

#endif
