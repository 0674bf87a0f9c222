/* fio.c - the lines and sections of a fio job file. */
#include "wire/fio.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "wire/fio_read.h"

enum {
	INCLUDES_MAX = 16,   /* one in another */
	JOBS_MAX = 256,
	ENTRIES_MAX = 4096,  /* of a section */
	LINE_MAX_BYTES = 65536,
};

int fio_fail(const struct fio_entry *entry, const char *format, ...)
{
	char sentence[512];
	va_list args;

	va_start(args, format);
	vsnprintf(sentence, sizeof(sentence), format, args);
	va_end(args);
	return fail(EINVAL, "%s:%u: %.60s%s%.60s: %s", entry->path, entry->line, entry->key,
		    entry->value ? "=" : "", entry->value ? entry->value : "", sentence);
}

void fio_note(struct fio_reader *reader, const struct fio_entry *entry, const char *sentence)
{
	struct fio_file *file = reader->file;
	char *note = xasprintf("%s:%u: %s%s%s: %s", entry->path, entry->line, entry->key,
			       entry->value ? "=" : "", entry->value ? entry->value : "", sentence);

	for (size_t i = 0; i < file->note_count; i++)
		if (!strcmp(file->notes[i], note)) {
			free(note);
			return;
		}
	file->notes = xrealloc(file->notes, (file->note_count + 1) * sizeof(*file->notes));
	file->notes[file->note_count++] = note;
}

/* ---- jobs ---- */

static void job_free(struct fio_job *job)
{
	free(job->name);
	free(job->engine);
	free(job->filename);
}

static char *copy(const char *text)
{
	return text ? xstrdup(text) : NULL;
}

static struct fio_job job_copy(const struct fio_job *job)
{
	struct fio_job out = *job;

	out.name = copy(job->name);
	out.engine = copy(job->engine);
	out.filename = copy(job->filename);
	return out;
}

static void set_defaults(struct fio_job *job)
{
	*job = (struct fio_job){
		.does = { [FIO_READS] = true },
		.read_percent = 50,
		.random_percent = 100,
		.iodepth = 1,
		.numjobs = 1,
		.loops = 1,
		.kb_base = 1024,
	};
	for (int kind = 0; kind < FIO_KINDS; kind++)
		job->sizes[kind] = (struct fio_sizes){ 1, { { 4096, 1 } } };
}

/* ---- sections ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static char *trim(char *text)
{
	char *end = text + strlen(text);

	while (is_blank(*text))
		text++;
	while (end > text && is_blank(end[-1]))
		*--end = '\0';
	return text;
}

static void drop_entries(struct fio_reader *reader)
{
	for (size_t i = 0; i < reader->entry_count; i++) {
		free(reader->entries[i].key);
		free(reader->entries[i].value);
	}
	free(reader->entries);
	reader->entries = NULL;
	reader->entry_count = 0;
}

/* kb_base holds for the whole section, wherever it stands. */
static int apply_entries(struct fio_reader *reader, struct fio_job *job)
{
	int err = 0;

	for (int round = 0; round < 2; round++)
		for (size_t i = 0; !err && i < reader->entry_count; i++)
			if (!strcmp(reader->entries[i].key, "kb_base") == (round == 0))
				err = fio_apply(reader, &reader->entries[i], job);
	return err;
}

static int add_job(struct fio_reader *reader)
{
	struct fio_file *file = reader->file;
	struct fio_job *job;
	int err;

	if (file->job_count == JOBS_MAX)
		return fail(EINVAL, "%s:%u: more than %d jobs", reader->path, reader->section_line,
			    JOBS_MAX);
	file->jobs = xrealloc(file->jobs, (file->job_count + 1) * sizeof(*file->jobs));
	job = &file->jobs[file->job_count++];
	*job = job_copy(&reader->defaults);
	free(job->name);
	job->name = copy(reader->section);
	job->line = reader->section_line;
	err = apply_entries(reader, job);
	if (!err && job->is_time_based && !job->runtime_ns)
		err = fail(EINVAL, "%s:%u: [%.60s]: time_based without a runtime has no end; add "
			   "runtime=60s", reader->path, job->line, job->name);
	return err;
}

static int end_section(struct fio_reader *reader)
{
	int err = 0;

	if (reader->in_section)
		err = reader->is_global ? apply_entries(reader, &reader->defaults) : add_job(reader);
	drop_entries(reader);
	free(reader->section);
	reader->section = NULL;
	reader->in_section = false;
	return err;
}

static int begin_section(struct fio_reader *reader, char *line, unsigned number)
{
	char *end = strrchr(line, ']');
	int err = end_section(reader);

	if (err)
		return err;
	if (!end || end[1] || line + 1 + strspn(line + 1, " \t\r\f\v") == end)
		return fail(EINVAL, "%s:%u: '%.60s' is no section: a name between [ and ] must stand here",
			    reader->path, number, line);
	*end = '\0';
	reader->section = xstrdup(trim(line + 1));
	reader->section_line = number;
	reader->in_section = true;
	reader->is_global = !strcmp(reader->section, "global");
	return 0;
}

/* ---- lines ---- */

/* ${NAME} as the environment has it. */
static int substitute(const struct fio_reader *reader, const char *text, unsigned number,
		      struct buf *out)
{
	const char *open, *close;

	buf_puts(out, "");
	while ((open = strstr(text, "${")) && (close = strchr(open, '}'))) {
		_cleanup_free_ char *name = xasprintf("%.*s", (int)(close - open - 2), open + 2);
		const char *value = reader->world->variable(reader->world->context, name);

		if (!value)
			return fail(EINVAL, "%s:%u: ${%.60s} is not set in the environment (try: %.60s=... "
				    "drivebay run ...)", reader->path, number, name, name);
		buf_append(out, text, (size_t)(open - text));
		buf_puts(out, value);
		text = close + 1;
	}
	buf_puts(out, text);
	return 0;
}

static int add_entry(struct fio_reader *reader, const char *line, unsigned number)
{
	_cleanup_buf_ struct buf text = BUF_INIT;
	struct fio_entry *entry;
	char *value;
	int err = substitute(reader, line, number, &text);

	if (err)
		return err;
	if (reader->entry_count == ENTRIES_MAX)
		return fail(EINVAL, "%s:%u: more than %d keys in a section", reader->path, number,
			    ENTRIES_MAX);
	value = strchr(text.text, '=');
	if (value)
		*value++ = '\0';
	reader->entries = xrealloc(reader->entries,
				   (reader->entry_count + 1) * sizeof(*reader->entries));
	entry = &reader->entries[reader->entry_count++];
	*entry = (struct fio_entry){
		.key = xstrdup(trim(text.text)),
		.value = value ? xstrdup(trim(value)) : NULL,
		.path = reader->path,
		.line = number,
	};
	return 0;
}

static int read_text(struct fio_reader *reader, const char *text, size_t size);

static int include(struct fio_reader *reader, const char *name, unsigned number)
{
	const char *before = reader->path;
	_cleanup_free_ char *text = NULL;
	size_t size;
	int err;

	if (reader->depth == INCLUDES_MAX)
		return fail(EINVAL, "%s:%u: include %.60s: %d files include each other; is it a circle?",
			    reader->path, number, name, INCLUDES_MAX);
	err = reader->world->include(reader->world->context, name, &text, &size);
	if (err) {
		_cleanup_free_ char *why = xstrdup(fail_message());

		return fail(EINVAL, "%s:%u: include %.60s: %s", reader->path, number, name, why);
	}
	reader->paths = xrealloc(reader->paths, (reader->path_count + 1) * sizeof(*reader->paths));
	reader->path = reader->paths[reader->path_count++] = xstrdup(name);
	reader->depth++;
	err = read_text(reader, text, size);
	reader->depth--;
	reader->path = before;
	return err;
}

static int read_line(struct fio_reader *reader, char *line, unsigned number)
{
	line[strcspn(line, ";#")] = '\0';
	line = trim(line);
	if (!*line)
		return 0;
	if (*line == '[')
		return begin_section(reader, line, number);
	if (!strncmp(line, "include", 7) && is_blank(line[7]))
		return include(reader, trim(line + 7), number);
	if (!reader->in_section)
		return fail(EINVAL, "%s:%u: '%.60s' stands before the first section; [global] or a job's "
			    "[name] must come first", reader->path, number, line);
	return add_entry(reader, line, number);
}

static int read_text(struct fio_reader *reader, const char *text, size_t size)
{
	const char *end = text + size;
	unsigned number = 1;
	int err = 0;

	for (; !err && text < end; number++) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t length = (size_t)((stop ? stop : end) - text);
		_cleanup_free_ char *line = NULL;

		if (length > LINE_MAX_BYTES || memchr(text, '\0', length))
			return fail(EINVAL, "%s:%u: this is no line of a job file", reader->path, number);
		line = xasprintf("%.*s", (int)length, text);
		err = read_line(reader, line, number);
		text += length + 1;
	}
	return err;
}

int fio_parse(const char *path, const char *text, size_t size, const struct fio_world *world,
	      struct fio_file **out)
{
	struct fio_reader reader = { .path = path, .world = world };
	int err;

	reader.file = xcalloc(1, sizeof(*reader.file));
	set_defaults(&reader.defaults);
	err = read_text(&reader, text, size);
	if (!err)
		err = end_section(&reader);
	if (!err && reader.file->job_count == 0)
		err = fail(EINVAL, "%s: has no job: a section such as [reads] must say what to do", path);
	drop_entries(&reader);
	free(reader.section);
	job_free(&reader.defaults);
	for (size_t i = 0; i < reader.path_count; i++)
		free(reader.paths[i]);
	free(reader.paths);
	if (err) {
		fio_file_free(reader.file);
		return err;
	}
	*out = reader.file;
	return 0;
}

void fio_file_free(struct fio_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->job_count; i++)
		job_free(&file->jobs[i]);
	for (size_t i = 0; i < file->note_count; i++)
		free(file->notes[i]);
	free(file->jobs);
	free(file->notes);
	free(file);
}
