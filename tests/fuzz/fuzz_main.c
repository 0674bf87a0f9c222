/*
 * fuzz_main.c - replays a corpus where libFuzzer is not at hand.
 *
 * fuzz_NAME PATH...: each file, and each file of a directory in order of name, is given to
 * the target once. A corpus without a single input is an error: it would show nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static unsigned replayed;

__attribute__((noreturn)) static void die(const char *path)
{
	fprintf(stderr, "%s: %s\n", path, strerror(errno));
	exit(1);
}

/* Exactly as much memory as the input has, so that a sanitizer sees a read beyond it. */
static void replay_file(const char *path, size_t size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *bytes = malloc(size ? size : 1);

	if (!file || !bytes || fread(bytes, 1, size, file) != size)
		die(path);
	fclose(file);
	printf("%s\n", path);
	fflush(stdout); /* the last name printed is the input that crashed */
	LLVMFuzzerTestOneInput(bytes, size);
	free(bytes);
	replayed++;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void replay(const char *path);

static void replay_directory(const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, is_visible, by_bytes);

	if (count < 0)
		die(path);
	for (int i = 0; i < count; i++) {
		char *child;

		if (asprintf(&child, "%s/%s", path, entries[i]->d_name) < 0)
			die(path);
		replay(child);
		free(child);
		free(entries[i]);
	}
	free(entries);
}

static void replay(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		die(path);
	if (S_ISDIR(st.st_mode))
		replay_directory(path);
	else
		replay_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		replay(argv[i]);
	printf("%u inputs\n", replayed);
	return replayed ? 0 : 1;
}
