/*
 * cleanup.h - locals that clean up after themselves.
 *
 *	_cleanup_free_ char *text = strdup(name);
 *	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
 */
#ifndef DRIVEBAY_BASE_CLEANUP_H
#define DRIVEBAY_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

#define _cleanup_free_ __attribute__((cleanup(cleanup_free)))
#define _cleanup_close_ __attribute__((cleanup(cleanup_close)))
#define _cleanup_file_ __attribute__((cleanup(cleanup_file)))

#endif
