/* summary_application.c - what an application came to. */
#include "report/summary_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

void summary_add_application(struct summary *summary, const struct result_phase *phase,
			     const struct merits *merits)
{
	struct application_summary *one;

	summary->applications = xrealloc(summary->applications, (summary->application_count + 1) *
					 sizeof(*summary->applications));
	one = &summary->applications[summary->application_count++];
	*one = (struct application_summary){
		.name = summary_copy(phase->application),
		.title = workload_title(phase->application ? phase->application : ""),
		.run = run_summarise(phase),
	};
	for (size_t i = 0; i < merits->count; i++)
		merits_add(&one->merits, merits->rows[i].name, merits->rows[i].unit,
			   merits->rows[i].value);
}

const struct application_summary *summary_application(const struct summary *summary,
						      const char *name)
{
	for (size_t i = 0; i < summary->application_count; i++)
		if (!strcmp(summary->applications[i].name, name))
			return &summary->applications[i];
	return NULL;
}

/* Names are unique in what merits_add() has made; a file may hold anything. */
int summary_read_application(struct result *result, struct summary *summary,
			     const struct result_phase *phase)
{
	struct merits merits;
	int err = result_figures_read(result, phase->index, &merits);

	for (size_t i = 0; !err && i < merits.count; i++)
		if (merits_find(&merits, merits.rows[i].name) != &merits.rows[i])
			err = fail(EBADMSG, "corrupt: figure '%s' of %s stands there twice",
				   merits.rows[i].name, phase->name);
	if (!err)
		summary_add_application(summary, phase, &merits);
	merits_clear(&merits);
	return err;
}

/* A figure may have been fitted to: the file that says so is a part of the plan. */
int summary_read_application_texts(struct result *result, struct summary *summary)
{
	struct plan *plan;
	int err;

	if (!summary->application_count)
		return 0;
	err = result_plan_read(result, &plan);
	if (err)
		return err;
	for (size_t i = 0; i < summary->application_count; i++) {
		struct application_summary *one = &summary->applications[i];

		for (size_t k = 0; k < plan->application_count && !one->text; k++)
			if (!strcmp(plan->applications[k]->name, one->name))
				one->text = xstrdup(plan->applications[k]->text);
	}
	plan_free(plan);
	return 0;
}

void summary_free_applications(struct summary *summary)
{
	for (size_t i = 0; i < summary->application_count; i++) {
		struct application_summary *one = &summary->applications[i];

		free(one->name);
		free(one->title);
		free(one->text);
		free(one->run.name);
		free(one->run.note);
		merits_clear(&one->merits);
	}
	free(summary->applications);
}
