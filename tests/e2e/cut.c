/*
 * cut.c - ends a process group at its n-th step towards a file; for LD_PRELOAD.
 *
 * A step is a call that changes a file, its name or its size. The processes of a run share
 * the count, in the file that CUT_COUNT names (at least 8 bytes, zero at first). Before step
 * CUT_AT all of them get signal CUT_SIGNAL (default: SIGKILL): what a power button, an
 * impatient administrator or the kernel short of memory do, at every moment that matters.
 * With CUT_AT=0 steps are only counted.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_ulong *count;
static unsigned long cut_at;
static int cut_signal = SIGKILL;

__attribute__((constructor)) static void set_up(void)
{
	const char *path = getenv("CUT_COUNT"), *at = getenv("CUT_AT"), *signal = getenv("CUT_SIGNAL");
	int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
	void *map;

	if (fd < 0)
		return;
	map = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		abort();
	count = map;
	cut_at = at ? strtoul(at, NULL, 10) : 0;
	if (signal)
		cut_signal = (int)strtoul(signal, NULL, 10);
}

static void step(void)
{
	if (count && atomic_fetch_add(count, 1) + 1 == cut_at)
		kill(0, cut_signal);
}

/* The call as the C library has it. */
static void *next(const char *name)
{
	void *found = dlsym(RTLD_NEXT, name);

	if (!found)
		abort();
	return found;
}

#define NEXT(name) \
	static union { \
		void *found; \
		__typeof__(name) *call; \
	} real; \
	if (!real.found) \
		real.found = next(#name)

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
	NEXT(pwrite);
	step();
	return real.call(fd, bytes, size, at);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t at)
{
	NEXT(pwrite64);
	step();
	return real.call(fd, bytes, size, at);
}

ssize_t write(int fd, const void *bytes, size_t size)
{
	NEXT(write);
	if (fd > STDERR_FILENO)
		step();
	return real.call(fd, bytes, size);
}

int ftruncate64(int fd, off_t size)
{
	NEXT(ftruncate64);
	step();
	return real.call(fd, size);
}

int rename(const char *from, const char *to)
{
	NEXT(rename);
	step();
	return real.call(from, to);
}

int unlink(const char *path)
{
	NEXT(unlink);
	step();
	return real.call(path);
}
