/*
 * data.h - where drive, bed, workload and plan files are found.
 *
 * A name with a slash or ending in .yaml is a path and taken as it is; any other
 * name is looked up in ROOT/KIND/NAME.yaml, then among the aliases that the files of
 * ROOT/KIND state. ROOT is set once by main(): the source tree, or the installed
 * share directory.
 */
#ifndef DRIVEBAY_BASE_DATA_H
#define DRIVEBAY_BASE_DATA_H

#include <stddef.h>

void data_set_root(const char *root);
const char *data_root(void);

/*
 * The path of the file called `name` of this kind ("drives", "beds", "workloads",
 * "workloads/plans") in *path, to be freed by the caller. -EINVAL with the nearest
 * known name as a suggestion when there is none.
 */
int data_find(const char *kind, const char *name, char **path);

/* Names (without .yaml) of all files of a kind, sorted; free with data_list_free(). */
int data_list(const char *kind, char ***names, size_t *count);
void data_list_free(char **names, size_t count);

/*
 * Which of `count` words is nearest to `word` (edit distance, at most a third of its
 * length), or NULL: for "did you mean".
 */
const char *data_nearest(const char *word, const char *const *words, size_t count);

#endif
