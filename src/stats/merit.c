#include "stats/merit.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

void merits_add(struct merits *merits, const char *name, const char *unit, double value)
{
	assert(isfinite(value));
	assert(!merits_find(merits, name));
	merits->rows = xrealloc(merits->rows, (merits->count + 1) * sizeof(*merits->rows));
	merits->rows[merits->count++] = (struct merit){ xstrdup(name), xstrdup(unit), value };
}

const struct merit *merits_find(const struct merits *merits, const char *name)
{
	for (size_t i = 0; i < merits->count; i++)
		if (!strcmp(merits->rows[i].name, name))
			return &merits->rows[i];
	return NULL;
}

void merits_clear(struct merits *merits)
{
	for (size_t i = 0; i < merits->count; i++) {
		free(merits->rows[i].name);
		free(merits->rows[i].unit);
	}
	free(merits->rows);
	*merits = (struct merits){ NULL, 0 };
}
