/*
 * device.h - block devices for tests: loop devices that nobody has to clean up.
 *
 * Backing is anonymous memory (memfd) and the loop device detaches itself when its last
 * user is gone, so a test that fails, aborts or is killed leaves nothing behind. Mounts are
 * made in a mount namespace of the test's own, which dies with it. What outlives a process
 * all the same (swap, device mapper) is undone by a watchdog, another process that waits
 * for the end of this one, however that comes about.
 */
#ifndef DRIVEBAY_TESTS_DEVICE_H
#define DRIVEBAY_TESTS_DEVICE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

struct loop {
	int fd;         /* keeps it attached */
	int backing;    /* the file behind it */
	int number;
	char path[32];  /* "/dev/loop3" */
	char name[16];  /* "loop3" */
};

static int watchdog_pipe = -1;
static pid_t watchdog;

__attribute__((unused)) static void watchdog_main(int fd)
{
	static char text[65536];
	size_t size = 0;
	ssize_t got;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	while (size < sizeof(text) - 1 && (got = read(fd, text + size, sizeof(text) - 1 - size)) > 0)
		size += (size_t)got;
	/* One line an undo, the last first. */
	while (size) {
		char *line;

		text[--size] = '\0';
		line = memrchr(text, '\n', size);
		line = line ? line + 1 : text;
		size = (size_t)(line - text);
		if (!strncmp(line, "swapoff ", 8))
			swapoff(line + 8);
		else if (system(line))
			fprintf(stderr, "# could not undo: %s\n", line);
	}
	_exit(0);
}

/* Before any test: a mount namespace of our own, and the watchdog. */
__attribute__((unused)) static void device_start(void)
{
	int ends[2];

	if (geteuid() != 0 || pipe2(ends, O_CLOEXEC) < 0)
		return;
	fflush(stdout);
	watchdog = fork();
	if (watchdog == 0) {
		setpgid(0, 0);
		close(ends[1]);
		watchdog_main(ends[0]);
	}
	close(ends[0]);
	watchdog_pipe = ends[1];
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		fprintf(stderr, "# no mount namespace: %s\n", strerror(errno));
}

/* After all tests: what the watchdog would have done is done now. */
__attribute__((unused)) static void device_end(void)
{
	if (watchdog_pipe < 0)
		return;
	close(watchdog_pipe);
	waitpid(watchdog, NULL, 0);
}

__attribute__((unused, format(printf, 1, 2))) static void undo_later(const char *format, ...)
{
	char line[256];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	line[length++] = '\n';
	check(write(watchdog_pipe, line, (size_t)length) == length);
}

/* A loop device over `backing`; the test is skipped where that cannot be had. */
__attribute__((unused)) static struct loop loop_over(int backing, uint32_t block_bytes)
{
	struct loop loop = { .backing = backing };
	struct loop_config config = {
		.fd = (uint32_t)backing,
		.block_size = block_bytes,
		.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_PARTSCAN,
	};
	int control;

	if (geteuid() != 0)
		tap_skip("needs root for a loop device");
	control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	if (control < 0)
		tap_skip("there are no loop devices here");
	/* Somebody else may take the free one first. */
	for (int attempt = 0; attempt < 100; attempt++) {
		loop.number = ioctl(control, LOOP_CTL_GET_FREE);
		if (loop.number < 0)
			break;
		snprintf(loop.name, sizeof(loop.name), "loop%d", loop.number);
		snprintf(loop.path, sizeof(loop.path), "/dev/%s", loop.name);
		loop.fd = open(loop.path, O_RDWR | O_CLOEXEC);
		if (loop.fd >= 0 && ioctl(loop.fd, LOOP_CONFIGURE, &config) == 0) {
			/* It counts as an open for writing otherwise, though only in our own process. */
			close(control);
			return loop;
		}
		if (loop.fd >= 0)
			close(loop.fd);
	}
	close(control);
	tap_skip("no loop device could be set up");
}

__attribute__((unused)) static struct loop loop_new(uint64_t bytes, uint32_t block_bytes)
{
	int backing = memfd_create("drivebay-test", MFD_CLOEXEC);

	check(backing >= 0);
	check(ftruncate(backing, (off_t)bytes) == 0);
	return loop_over(backing, block_bytes);
}

__attribute__((unused)) static void loop_free(struct loop *loop)
{
	close(loop->fd);
	close(loop->backing);
}

/* A partition of it, as the kernel would make from a table; "/dev/loop3p1" in `path`. */
__attribute__((unused)) static void loop_partition(struct loop *loop, int number, uint64_t from,
						   uint64_t bytes, char path[static 40])
{
	struct blkpg_partition partition = {
		.start = (long long)from, .length = (long long)bytes, .pno = number,
	};
	struct blkpg_ioctl_arg argument = {
		.op = BLKPG_ADD_PARTITION, .datalen = sizeof(partition), .data = &partition,
	};

	check(ioctl(loop->fd, BLKPG, &argument) == 0);
	snprintf(path, 40, "%sp%d", loop->path, number);
	for (int i = 0; i < 100 && access(path, F_OK) < 0; i++)
		usleep(10000);
	if (access(path, F_OK) < 0)
		tap_skip("no device node appears for a partition");
}

/* Of all bytes behind the device, as far as it was synced. */
__attribute__((unused)) static uint64_t hash_file(int fd)
{
	uint64_t hash = 14695981039346656037u;
	static unsigned char block[65536];
	off_t at = 0;
	ssize_t got;

	while ((got = pread(fd, block, sizeof(block), at)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			hash = (hash ^ block[i]) * 1099511628211u;
		at += got;
	}
	return hash;
}

/* Runs a command; the test is skipped where its program is missing. */
__attribute__((unused, format(printf, 1, 2))) static void command(const char *format, ...)
{
	char line[256];
	va_list args;
	int status;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	fflush(stdout);
	status = system(line);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		tap_skip("a program that it needs is not installed");
	if (status)
		tap_fail("%s: status %d", line, status);
}

#endif
