#include "cli/doctor.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "target/blockdev.h"

/* Reading */

static char *path_of(const struct doctor *doctor, const char *format, va_list args)
{
	_cleanup_free_ char *tail = NULL;

	if (vasprintf(&tail, format, args) < 0)
		tail = NULL;
	return xasprintf("%s%s", doctor->root, tail ? tail : "");
}

bool doctor_text(const struct doctor *doctor, char *out, size_t size, const char *format, ...)
{
	_cleanup_free_ char *path = NULL;
	va_list args;

	va_start(args, format);
	path = path_of(doctor, format, args);
	va_end(args);
	return blockdev_text(path, out, size) == 0 && out[0];
}

bool doctor_number(const struct doctor *doctor, long long *out, const char *format, ...)
{
	_cleanup_free_ char *path = NULL;
	char text[64], *end;
	va_list args;

	va_start(args, format);
	path = path_of(doctor, format, args);
	va_end(args);
	if (blockdev_text(path, text, sizeof(text)) < 0 || !text[0])
		return false;
	*out = strtoll(text, &end, 10);
	return end != text && (!*end || *end == ' ');
}

char *doctor_file(const struct doctor *doctor, const char *path)
{
	_cleanup_free_ char *whole = xasprintf("%s%s", doctor->root, path);
	_cleanup_file_ FILE *file = fopen(whole, "re");
	struct buf text = BUF_INIT;
	char part[4096];
	size_t got;

	buf_puts(&text, "");
	while (file && (got = fread(part, 1, sizeof(part), file)) > 0)
		buf_append(&text, part, got);
	return text.text;
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **doctor_names(const struct doctor *doctor, const char *path, const char *prefix, size_t *count)
{
	_cleanup_free_ char *whole = xasprintf("%s%s", doctor->root, path);
	DIR *directory = opendir(whole);
	const struct dirent *entry;
	char **names = NULL;

	*count = 0;
	while (directory && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.' || strncmp(entry->d_name, prefix, strlen(prefix)))
			continue;
		names = xrealloc(names, (*count + 1) * sizeof(*names));
		names[(*count)++] = xstrdup(entry->d_name);
	}
	if (directory)
		closedir(directory);
	if (*count)
		qsort(names, *count, sizeof(*names), by_bytes);
	return names;
}

void doctor_names_free(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

bool doctor_chosen(const char *text, char *out, size_t size)
{
	const char *from = strchr(text, '['), *to = from ? strchr(from, ']') : NULL;

	if (!to)
		return false;
	snprintf(out, size, "%.*s", (int)(to - from - 1), from + 1);
	return true;
}

/* Findings */

void doctor_add(struct doctor *doctor, bool spoils, const char *what, const char *where,
		const char *found, const char *why, const char *mend)
{
	struct finding *finding;

	doctor->findings = xrealloc(doctor->findings,
				    (doctor->finding_count + 1) * sizeof(*doctor->findings));
	finding = &doctor->findings[doctor->finding_count++];
	*finding = (struct finding){ spoils, xstrdup(what), xstrdup(where), xstrdup(found),
				     xstrdup(why), xstrdup(mend) };
}

const struct finding *doctor_finding(const struct doctor *doctor, const char *what)
{
	for (size_t i = 0; i < doctor->finding_count; i++)
		if (!strcmp(doctor->findings[i].what, what))
			return &doctor->findings[i];
	return NULL;
}

size_t doctor_spoilers(const struct doctor *doctor)
{
	size_t count = 0;

	for (size_t i = 0; i < doctor->finding_count; i++)
		count += doctor->findings[i].spoils;
	return count;
}

void doctor_put_lines(const struct doctor *doctor, struct buf *out)
{
	for (size_t i = 0; i < doctor->finding_count; i++) {
		const struct finding *finding = &doctor->findings[i];

		buf_printf(out, "%s%c %s: %s (%s): %s", i ? "\n" : "", finding->spoils ? '!' : '-', finding->what, finding->found,
			   finding->where, finding->why);
	}
}

/* Layers */

/* What sysfs calls the directory behind a link, below the root, to be freed; NULL: nothing. */
static char *resolve(const struct doctor *doctor, const char *link)
{
	_cleanup_free_ char *whole = xasprintf("%s%s", doctor->root, link);
	_cleanup_free_ char *real = realpath(whole, NULL);

	return real ? xstrdup(real + strlen(doctor->root)) : NULL;
}

static bool is_known(const struct doctor *doctor, const char *path)
{
	for (size_t i = 0; i < doctor->layer_count; i++)
		if (!strcmp(doctor->layers[i].path, path))
			return true;
	return false;
}

static void add_layer(struct doctor *doctor, char *path);

/* What lies beneath: of a partition its disk, of a mapped device those that it is made of. */
static bool add_beneath(struct doctor *doctor, const char *path)
{
	_cleanup_free_ char *slaves = xasprintf("%s/slaves", path);
	long long number;
	size_t count;
	char **names;

	if (doctor_number(doctor, &number, "%s/partition", path)) {
		char *disk = xstrdup(path);

		*strrchr(disk, '/') = '\0';
		add_layer(doctor, disk);
		return true;
	}
	names = doctor_names(doctor, slaves, "", &count);
	for (size_t i = 0; i < count; i++) {
		_cleanup_free_ char *link = xasprintf("%s/%s", slaves, names[i]);
		char *beneath = resolve(doctor, link);

		if (beneath)
			add_layer(doctor, beneath);
	}
	doctor_names_free(names, count);
	return count > 0;
}

/* Takes `path`. */
static void add_layer(struct doctor *doctor, char *path)
{
	struct doctor_layer *layer = &doctor->layers[doctor->layer_count];
	unsigned int high, low;
	char text[64];

	if (doctor->layer_count == DOCTOR_LAYERS || is_known(doctor, path)) {
		free(path);
		return;
	}
	doctor->layer_count++;
	*layer = (struct doctor_layer){ .path = path, .name = xstrdup(strrchr(path, '/') + 1) };
	if (doctor_text(doctor, text, sizeof(text), "%s/dev", path)
	    && sscanf(text, "%u:%u", &high, &low) == 2)
		layer->dev = makedev(high, low);
	layer->is_disk = !add_beneath(doctor, path);
}

struct doctor *doctor_examine(const char *root, dev_t dev, bool is_file)
{
	struct doctor *doctor = xcalloc(1, sizeof(*doctor));
	char *real = *root ? realpath(root, NULL) : NULL; /* links in it are absolute */
	_cleanup_free_ char *link = xasprintf("/sys/dev/block/%u:%u", major(dev), minor(dev));
	char *path;

	doctor->root = real ? real : xstrdup(root);
	doctor->dev = dev;
	doctor->is_file = is_file;
	path = resolve(doctor, link);
	if (path)
		add_layer(doctor, path);
	doctor_check_layers(doctor);
	for (size_t i = 0; i < doctor->layer_count; i++)
		if (doctor->layers[i].is_disk)
			doctor_check_device(doctor, &doctor->layers[i]);
	doctor_check_host(doctor);
	return doctor;
}

int doctor_examine_path(const char *path, struct doctor **out)
{
	struct stat st;

	if (!strncmp(path, "uring:", 6))
		path += 6;
	if (stat(path, &st) < 0)
		return fail(errno == ENOENT ? EINVAL : errno, "doctor: %s: %s", path, strerror(errno));
	if (S_ISBLK(st.st_mode))
		*out = doctor_examine("", st.st_rdev, false);
	else if (S_ISREG(st.st_mode))
		*out = doctor_examine("", st.st_dev, true);
	else
		return fail(EINVAL, "doctor: %s: is no block device and no regular file", path);
	return 0;
}

void doctor_free(struct doctor *doctor)
{
	if (!doctor)
		return;
	for (size_t i = 0; i < doctor->layer_count; i++) {
		free(doctor->layers[i].path);
		free(doctor->layers[i].name);
	}
	for (size_t i = 0; i < doctor->finding_count; i++) {
		free(doctor->findings[i].what);
		free(doctor->findings[i].where);
		free(doctor->findings[i].found);
		free(doctor->findings[i].why);
		free(doctor->findings[i].mend);
	}
	free(doctor->findings);
	free(doctor->root);
	free(doctor);
}
