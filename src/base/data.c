#include "base/data.h"

#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"

static char *root;

void data_set_root(const char *path)
{
	char *copy = xstrdup(path);

	free(root);
	root = copy;
}

const char *data_root(void)
{
	return root ? root : ".";
}

/* Words collected while looking for a name. */
struct words {
	char **words;
	size_t count;
};

static void words_add(struct words *words, const char *text, size_t length)
{
	words->words = xrealloc(words->words, (words->count + 1) * sizeof(*words->words));
	words->words[words->count++] = xasprintf("%.*s", (int)length, text);
}

static bool words_have(const struct words *words, size_t from, const char *name)
{
	for (size_t i = from; i < words->count; i++)
		if (strcmp(words->words[i], name) == 0)
			return true;
	return false;
}

static void words_free(struct words *words)
{
	data_list_free(words->words, words->count);
}

/* The words of "[a, 'b']" or "- a": whatever is not space, punctuation of YAML or comment. */
static void words_add_line(struct words *words, const char *line)
{
	static const char separators[] = " \t\r\n[],\"'";

	if (strncmp(line, "- ", 2) == 0)
		line++;
	while (*(line += strspn(line, separators)) && *line != '#') {
		size_t length = strcspn(line, separators);

		words_add(words, line, length);
		line += length;
	}
}

/*
 * The `aliases:` of a file, on one line or as a list below it. Not a YAML parser: looking up
 * a name must not fail because some other file is broken.
 */
static void read_aliases(const char *path, struct words *words)
{
	_cleanup_file_ FILE *file = fopen(path, "re");
	_cleanup_free_ char *line = NULL;
	size_t capacity = 0;
	bool inside = false;

	if (!file)
		return;
	while (getline(&line, &capacity, file) >= 0) {
		const char *text = line + strspn(line, " \t");

		if (strncmp(line, "aliases:", 8) == 0) {
			inside = true;
			words_add_line(words, line + 8);
		} else if (inside && (text > line || *text == '-')) {
			words_add_line(words, text);
		} else {
			inside = false;
		}
	}
}

static bool is_path(const char *name)
{
	size_t length = strlen(name);

	return strchr(name, '/') || (length >= 5 && strcmp(name + length - 5, ".yaml") == 0);
}

/* "drives" is a folder of files, each of which is a drive. */
static const char *kind_word(const char *kind)
{
	static const char *const words[][2] = {
		{ "drives", "drive" },
		{ "beds", "bed" },
		{ "workloads", "workload" },
		{ "workloads/plans", "plan" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(words[i][0], kind) == 0)
			return words[i][1];
	return kind;
}

/* "'a', 'b' or 'c'": the names that begin with this one, when they are few. */
static bool put_beginning(const char *name, char **known, size_t count, struct buf *out)
{
	enum { BEGINNING_MIN = 3, NAMED_MAX = 6 };
	size_t length = strlen(name), found = 0, put = 0;

	if (length < BEGINNING_MIN)
		return false;
	for (size_t i = 0; i < count; i++)
		found += strncasecmp(known[i], name, length) == 0;
	if (found == 0 || found > NAMED_MAX)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (strncasecmp(known[i], name, length))
			continue;
		buf_printf(out, "%s'%s'", put == 0 ? "" : put + 1 == found ? " or " : ", ", known[i]);
		put++;
	}
	return true;
}

static int not_found(const char *kind, const char *name, char **known, size_t count,
		     const struct words *aliases)
{
	size_t total = count + aliases->count;
	_cleanup_free_ const char **all = xcalloc(total, sizeof(*all));
	_cleanup_buf_ struct buf list = BUF_INIT;
	const char *nearest;

	if (put_beginning(name, known, count, &list))
		return fail(EINVAL, "no %s is called '%.60s' (did you mean %s?)", kind_word(kind), name,
			    list.text);
	for (size_t i = 0; i < total; i++)
		all[i] = i < count ? known[i] : aliases->words[i - count];
	nearest = data_nearest(name, all, total);
	if (nearest)
		return fail(EINVAL, "no %s is called '%.60s' (did you mean '%s'?)", kind_word(kind),
			    name, nearest);
	for (size_t i = 0; i < count; i++)
		buf_printf(&list, "%s%s", i ? ", " : "", known[i]);
	return fail(EINVAL, "no %s is called '%.60s' (there are: %s)", kind_word(kind), name,
		    count ? list.text : "none");
}

int data_find(const char *kind, const char *name, char **path)
{
	char **known = NULL;
	size_t count = 0;
	struct words aliases = { NULL, 0 };
	int err;

	if (is_path(name)) {
		*path = xstrdup(name);
		return 0;
	}
	err = data_list(kind, &known, &count);
	if (err)
		return err;
	*path = NULL;
	for (size_t i = 0; i < count && !*path; i++)
		if (strcmp(known[i], name) == 0)
			*path = xasprintf("%s/%s/%s.yaml", data_root(), kind, name);
	for (size_t i = 0; i < count && !*path; i++) {
		_cleanup_free_ char *file = xasprintf("%s/%s/%s.yaml", data_root(), kind, known[i]);
		size_t before = aliases.count;

		read_aliases(file, &aliases);
		if (words_have(&aliases, before, name))
			*path = xstrdup(file);
	}
	if (!*path)
		err = not_found(kind, name, known, count, &aliases);
	data_list_free(known, count);
	words_free(&aliases);
	return err;
}

static int by_name(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

int data_list(const char *kind, char ***names, size_t *count)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", data_root(), kind);
	DIR *dir = opendir(path);
	struct words found = { NULL, 0 };
	struct dirent *entry;

	if (!dir)
		return fail(errno == EINVAL ? EIO : errno, "%s: %s (drivebay's own files should be there)",
			    path, strerror(errno));
	while ((entry = readdir(dir))) {
		size_t length = strlen(entry->d_name);

		if (length > 5 && entry->d_name[0] != '.' &&
		    strcmp(entry->d_name + length - 5, ".yaml") == 0)
			words_add(&found, entry->d_name, length - 5);
	}
	closedir(dir);
	if (found.count)
		qsort(found.words, found.count, sizeof(*found.words), by_name);
	*names = found.words;
	*count = found.count;
	return 0;
}

void data_list_free(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

enum { WORD_MAX = 64 }; /* nobody means a longer one */

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Insertions, deletions, substitutions and swaps of neighbours that lead from one word to
 * the other, whatever their case.
 */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t rows[3][WORD_MAX + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];

	assert(a_length <= WORD_MAX);
	assert(b_length <= WORD_MAX);
	for (size_t j = 0; j <= b_length; j++)
		above[j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t *free_row = before;

		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);

			row[j] = smaller(above[j - 1] + (x != y), smaller(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
			    y == tolower((unsigned char)a[i - 2]))
				row[j] = smaller(row[j], before[j - 2] + 1);
		}
		before = above;
		above = row;
		row = free_row;
	}
	return above[b_length];
}

const char *data_nearest(const char *word, const char *const *words, size_t count)
{
	size_t length = strlen(word), best = length / 3 + 1;
	const char *nearest = NULL;

	if (length > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		size_t other = strlen(words[i]), distance;

		if (other > WORD_MAX)
			continue;
		distance = edit_distance(word, length, words[i], other);
		if (distance < best) {
			best = distance;
			nearest = words[i];
		}
	}
	return nearest;
}
