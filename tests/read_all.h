/*
 * read_all.h - everything that can be read of a result, for tests that want no crash.
 */
#ifndef DRIVEBAY_TESTS_READ_ALL_H
#define DRIVEBAY_TESTS_READ_ALL_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/result.h"

static int read_phase(struct result *result, size_t index, struct result_phase *phase)
{
	struct window *windows;
	uint64_t *rounds;
	size_t count;
	int err = result_phase_read(result, index, phase);

	if (err)
		return err;
	result_phase_free(phase);
	err = result_windows_read(result, index, &windows, &count);
	free(windows);
	if (err)
		return err;
	err = result_rounds_read(result, index, &rounds, &count);
	free(rounds);
	return err;
}

/* The first error met, or 0. `out` takes the export. */
static int read_all(struct result *result, FILE *out)
{
	struct result_phase *phase = calloc(1, sizeof(*phase));
	struct result_text *texts;
	struct plan *plan;
	size_t count;
	int err = result_phase_count(result, &count), first;

	for (size_t i = 0; !err && i < count; i++)
		err = read_phase(result, i, phase);
	free(phase);
	first = err;
	for (int host = 0; host < 2; host++) {
		err = result_texts_read(result, host, &texts, &count);
		result_texts_free(texts, count);
		if (!first)
			first = err;
	}
	result_get(result, "plan");
	err = result_plan_read(result, &plan);
	plan_free(plan);
	if (!first)
		first = err;
	err = result_export_csv(result, out);
	if (!first)
		first = err;
	err = result_export_fio(result, out);
	return first ? first : err == -ENOTSUP ? 0 : err;
}

#endif
