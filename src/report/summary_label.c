/* Several summaries side by side: what tells them apart, and what they share. */
#include "report/summary_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static bool differ(struct summary *const *summaries, size_t count, size_t which,
		   char *(*text)(const struct summary *))
{
	bool found = false;
	char *mine = text(summaries[which]);

	for (size_t i = 0; i < count && !found; i++) {
		char *theirs = text(summaries[i]);

		found = i != which && !strcmp(summaries[i]->drive, summaries[which]->drive)
			&& strcmp(mine, theirs);
		free(theirs);
	}
	free(mine);
	return found;
}

static char *seed_text(const struct summary *summary)
{
	return xasprintf("seed %s", summary->seed);
}

static char *bed_text(const struct summary *summary)
{
	return xasprintf("bed %s", summary->bed);
}

static char *scale_text(const struct summary *summary)
{
	return xasprintf("1/%llu size", (unsigned long long)summary->scale);
}

static char *plan_text(const struct summary *summary)
{
	return xasprintf("plan %s", summary->plan);
}

static bool label_taken(struct summary *const *summaries, size_t count, const char *label)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(summaries[i]->label, label))
			return true;
	return false;
}

void summary_label(struct summary *const *summaries, size_t count)
{
	char *(*const texts[])(const struct summary *) = { bed_text, scale_text, seed_text,
							   plan_text };

	for (size_t i = 0; i < count; i++) {
		char *label = xstrdup(*summaries[i]->drive ? summaries[i]->drive : "unnamed");

		for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++) {
			char *detail, *longer;

			if (!differ(summaries, count, i, texts[k]))
				continue;
			detail = texts[k](summaries[i]);
			longer = xasprintf("%s, %s", label, detail);
			free(detail);
			free(label);
			label = longer;
		}
		if (label_taken(summaries, i, label)) {
			char *longer = xasprintf("%s (%zu)", label, i + 1);

			free(label);
			label = longer;
		}
		free(summaries[i]->label);
		summaries[i]->label = label;
	}
}

static bool listed(const char **names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

const char **summary_groups(struct summary *const *summaries, size_t count, size_t *group_count)
{
	const char **names = NULL;
	size_t found = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < summaries[i]->group_count; k++) {
			const char *name = summaries[i]->groups[k].name;

			if (listed(names, found, name))
				continue;
			names = xrealloc(names, (found + 1) * sizeof(*names));
			names[found++] = name;
		}
	}
	*group_count = found;
	return names;
}
