#include "cli/job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "cli/lines.h"
#include "cli/setup.h"

enum {
	TEXT_MAX = 4 << 20,   /* of what people write by hand */
	HEAD_BYTES = 1 << 16, /* by which a kind is told */
};

/* A new kind of file is a new file and a line here. */
static const struct job_ops *const kinds[] = {
	&job_fio_ops,
	&job_vdbench_ops,
	&job_trace_ops,
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

bool job_names_a_file(const char *name)
{
	size_t length = strlen(name);
	struct stat st;

	if (length > 5 && !strcmp(name + length - 5, ".yaml"))
		return false;
	return stat(name, &st) == 0 && S_ISREG(st.st_mode);
}

/* The whole text, with a NUL behind it. */
static int read_text(const char *path, char **text, size_t *size)
{
	_cleanup_file_ FILE *file = fopen(path, "re");
	size_t got;

	if (!file)
		return fail(EINVAL, "%s: %s", path, strerror(errno));
	*text = xmalloc(TEXT_MAX + 1);
	got = fread(*text, 1, TEXT_MAX + 1, file);
	if (ferror(file) || got > TEXT_MAX) {
		int err = ferror(file) ? fail(EIO, "%s: cannot be read", path) :
			  fail(EINVAL, "%s: is longer than 4 MiB, as no job file is", path);

		free(*text);
		*text = NULL;
		return err;
	}
	(*text)[got] = '\0';
	*text = xrealloc(*text, got + 1);
	*size = got;
	return 0;
}

static int unknown_kind(const char *path, const char *format)
{
	_cleanup_buf_ struct buf names = BUF_INIT;

	for (size_t i = 0; i < KINDS; i++)
		buf_printf(&names, "%s%s", i ? ", " : "", kinds[i]->formats);
	if (format)
		return fail(EINVAL, "--format: '%.60s' is no kind of file that is read here; %s are", format,
			    names.text);
	return fail(EINVAL, "%s: what kind of file this is cannot be told from what is in it; say it with "
		    "--format (%s)", path, names.text);
}

static int find_kind(const char *path, const char *format, const struct job_ops **out)
{
	_cleanup_free_ char *head = xmalloc(HEAD_BYTES);
	size_t size = 0;
	int err = lines_head(path, head, HEAD_BYTES, &size);

	if (err)
		return err;
	for (size_t i = 0; i < KINDS; i++) {
		const char *what = format ? NULL : kinds[i]->recognise(head, size);

		if (what)
			fprintf(stderr, "note: %s: is read as %s\n", path, what);
		if (what || (format && kinds[i]->is_called(format))) {
			*out = kinds[i];
			return 0;
		}
	}
	return unknown_kind(path, format);
}

int job_load(const char *path, const struct job_options *options, struct job **out)
{
	const struct job_ops *ops = NULL;
	char *text = NULL;
	size_t size = 0;
	int err = find_kind(path, options->format, &ops);

	if (!err && ops->is_text && (options->device || options->scaling || options->asap || options->depth))
		return fail(EINVAL, "--%s: is for traces, and %s is none", options->device ? "device" :
			    options->scaling ? "scale-addresses" : options->asap ? "asap" : "depth", path);
	if (!err && ops->is_text)
		err = read_text(path, &text, &size);
	if (!err)
		err = ops->load(path, text, size, options, out);
	if (err) {
		free(text);
		return err;
	}
	(*out)->ops = ops;
	(*out)->path = xstrdup(path);
	(*out)->text = text;
	(*out)->size = size;
	if (text)
		job_add_text(*out, "job_file", xstrdup(text));
	return 0;
}

void job_add_text(struct job *job, const char *key, char *value)
{
	size_t count = 0;

	while (job->texts && job->texts[count].key)
		count++;
	job->texts = xrealloc(job->texts, (count + 2) * sizeof(*job->texts));
	job->texts[count] = (struct setup_text){ key, value };
	job->texts[count + 1] = (struct setup_text){ NULL, NULL };
}

void job_free(struct job *job)
{
	if (!job)
		return;
	free(job->path);
	free(job->text);
	for (struct setup_text *text = job->texts; text && text->key; text++)
		free((char *)(uintptr_t)text->value);
	free(job->texts);
	job->ops->free(job);
}

int job_plan(struct job *job, struct plan **out)
{
	return job->ops->plan(job, out);
}

int job_fit(struct job *job, const struct target *target, struct plan *plan)
{
	return job->ops->fit(job, target, plan);
}

struct plan *job_plan_new(const char *path, size_t workloads, size_t phases)
{
	const char *slash = strrchr(path, '/');
	struct plan *plan = xcalloc(1, sizeof(*plan));

	plan->name = xstrdup(slash && slash[1] ? slash + 1 : path);
	plan->help = xasprintf("what %s asks for", plan->name);
	plan->source = xasprintf("ours: the file %s, given on the command line", plan->name);
	plan->workloads = xcalloc(workloads, sizeof(*plan->workloads));
	plan->phases = xcalloc(phases, sizeof(*plan->phases));
	plan->chain_count = 1;
	return plan;
}

uint64_t job_window_ns(uint64_t duration_ns)
{
	if (duration_ns >= 20000000000u)
		return 1000000000u;
	return duration_ns >= 20 ? duration_ns / 20 : 1;
}

void job_say_notes(char *const *notes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, "note: %s\n", notes[i]);
}
