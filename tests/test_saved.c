/* test_saved.c - the state of a drive in a file: it is what it was, or it is refused. */
#include "tiny_drive.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/rng.h"

enum { READ = 0, MAPPED = 1 };

static size_t map_bytes(int how)
{
	return how == MAPPED ? 1 : SIZE_MAX;
}

/* Large enough for tables of several pages, with a cache and a map in the flash. */
static struct drive some_drive(void)
{
	struct drive description = tiny_drive();

	description.planes = 2;
	description.pages_per_program = 3;
	description.pages_per_block = 96;
	description.blocks_per_plane = 256;
	description.user_bytes = 70000ull * UNIT_BYTES;
	description.buffer_bytes = 64 * UNIT_BYTES;
	description.gc_policy = GC_SAMPLED;
	description.gc_choices = 4;
	description.map_cache_bytes = 100 << 10;
	description.map_page_bytes = UNIT_BYTES;
	description.map_read_ns = TR;
	description.slc_static_bytes = 1 << 20;
	description.slc_program_ns = description.slc_read_ns = TR;
	description.slc_idle_ns = 1000000;
	return description;
}

/* What requests come to, as a number. */
static uint64_t fingerprint(struct rng *rng, int count)
{
	uint64_t hash = 0;

	for (int i = 0; i < count; i++)
		hash = hash * 1099511628211u + alone_ns(rng_below(rng, 4) ? IO_WRITE : IO_READ,
							rng_below(rng, ssd->user_units));
	return hash;
}

static int new_file(void)
{
	int fd = memfd_create("saved", 0);

	check(fd >= 0);
	return fd;
}

/* Of a drive that was used. */
static int saved_file(void)
{
	struct rng rng = rng_stream(5, "test");
	int fd = new_file();

	make(some_drive());
	fingerprint(&rng, 100000);
	ssd_settle(ssd);
	check_equal(ssd_save(ssd, fd), 0);
	drop();
	return fd;
}

static int load(int fd, int how)
{
	check_equal(lseek(fd, 0, SEEK_SET), 0);
	sim_init(&sim);
	ssd = ssd_new_blank(&drive, &sim, 1);
	return saved_load(ssd, fd, map_bytes(how));
}

static void unload(void)
{
	ssd_free(ssd);
	sim_free(&sim);
}

TEST(a_drive_goes_on_as_the_one_that_was_saved_read_or_mapped)
{
	for (int how = READ; how <= MAPPED; how++) {
		struct rng rng = rng_stream(3, "test"), later;
		uint64_t expected;
		int fd = new_file();

		make(some_drive());
		fingerprint(&rng, 100000);
		ssd_settle(ssd);
		check_equal(ssd_save(ssd, fd), 0);
		later = rng;
		expected = fingerprint(&rng, 30000);
		ssd_settle(ssd);
		drop();
		check_equal(load(fd, how), 0);
		check(fingerprint(&later, 30000) == expected);
		ssd_settle(ssd);
		drop();
		close(fd);
	}
}

TEST(a_drive_in_use_takes_a_state_that_lies_ahead_of_it)
{
	struct rng rng = rng_stream(1, "other");
	int fd = saved_file();

	make(some_drive());
	fingerprint(&rng, 1000);
	check_equal(lseek(fd, 0, SEEK_SET), 0);
	check_equal(ssd_load(ssd, fd), 0);
	drop();
	close(fd);
}

static uint64_t sum_of(int fd)
{
	size_t size = (size_t)lseek(fd, 0, SEEK_END);
	const uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	uint64_t sum = 0;

	check(bytes != MAP_FAILED);
	for (size_t i = 0; i < size; i++)
		sum = sum * 31 + bytes[i];
	munmap((void *)(uintptr_t)bytes, size);
	return sum;
}

TEST(what_a_loaded_drive_does_leaves_the_file_as_it_was)
{
	struct rng rng = rng_stream(1, "other");
	int fd = saved_file();
	uint64_t sum = sum_of(fd);

	check_equal(load(fd, MAPPED), 0);
	fingerprint(&rng, 30000);
	ssd_format(ssd);
	drop();
	check(sum_of(fd) == sum);
	close(fd);
}

TEST(the_same_state_is_saved_as_the_same_bytes)
{
	int one = saved_file(), two = new_file();

	check_equal(load(one, MAPPED), 0);
	check_equal(ssd_save(ssd, two), 0);
	drop();
	check(sum_of(one) == sum_of(two));
	check_equal(lseek(one, 0, SEEK_END), lseek(two, 0, SEEK_END));
	close(one);
	close(two);
}

TEST(a_state_goes_through_a_pipe_and_may_stand_anywhere)
{
	int fd = saved_file(), moved = new_file(), pipes[2];
	size_t size = (size_t)lseek(fd, 0, SEEK_END);
	uint8_t *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	check(bytes != MAP_FAILED);
	check_equal(pipe(pipes), 0);
	if (fork() == 0) {
		for (size_t at = 0; at < size;)
			at += (size_t)write(pipes[1], bytes + at, size - at);
		_exit(0);
	}
	close(pipes[1]);
	sim_init(&sim);
	ssd = ssd_new_blank(&drive, &sim, 1);
	check_equal(saved_load(ssd, pipes[0], map_bytes(MAPPED)), 0);
	drop();
	close(pipes[0]);

	check(write(moved, "12345678", 8) == 8); /* nothing can be mapped there */
	check(write(moved, bytes, size) == (ssize_t)size);
	check_equal(lseek(moved, 8, SEEK_SET), 8);
	sim_init(&sim);
	ssd = ssd_new_blank(&drive, &sim, 1);
	check_equal(saved_load(ssd, moved, map_bytes(MAPPED)), 0);
	drop();
	munmap(bytes, size);
	close(moved);
	close(fd);
}

static void flip(int fd, off_t at)
{
	uint8_t byte;

	check(pread(fd, &byte, 1, at) == 1);
	byte ^= 0x10;
	check(pwrite(fd, &byte, 1, at) == 1);
}

static void check_damage(int fd, off_t at)
{
	flip(fd, at);
	for (int how = READ; how <= MAPPED; how++) {
		if (load(fd, how) != -EBADMSG)
			tap_fail("damage at byte %lld is not seen", (long long)at);
		unload();
	}
	flip(fd, at);
}

TEST(damage_is_found_wherever_it_is)
{
	int fd = saved_file();
	off_t size = lseek(fd, 0, SEEK_END);

	for (off_t at = 0; at < size; at += at < 1000 ? 8 : size / 97)
		check_damage(fd, at);
	for (off_t at = 4096; at < size; at += size / 16 / 4096 * 4096) { /* the edges of pages */
		check_damage(fd, at);
		check_damage(fd, at - 1);
	}
	check_damage(fd, size - 1);
	check_equal(load(fd, MAPPED), 0); /* all of that was undone */
	drop();
	close(fd);
}

TEST(a_file_that_is_cut_off_is_refused)
{
	int fd = saved_file();

	for (off_t at = lseek(fd, 0, SEEK_END) - 1; at > 0; at = at * 2 / 3) {
		check_equal(ftruncate(fd, at), 0);
		for (int how = READ; how <= MAPPED; how++) {
			check_equal(load(fd, how), -EBADMSG);
			check(strstr(fail_message(), "ends too early"));
			unload();
		}
	}
	close(fd);
}

static void check_refused(int fd, const char *words)
{
	check_equal(load(fd, MAPPED), -EBADMSG);
	if (!strstr(fail_message(), words))
		tap_fail("%s", fail_message());
	unload();
}

TEST(what_is_not_for_this_drive_is_refused_with_the_reason)
{
	int fd = saved_file();

	check(pwrite(fd, "dbssd04", 8, 0) == 8);
	check_refused(fd, "format dbssd04, and this one reads dbssd05");
	check(pwrite(fd, "SQLite f", 8, 0) == 8);
	check_refused(fd, "not the saved state of a drive");
	check(pwrite(fd, "dbssd05", 8, 0) == 8);
	drive.blocks_per_plane++;
	check_refused(fd, "not of this drive at this scale");
	drive = some_drive();
	drive.map_cache_bytes /= 2; /* as with less memory of the host */
	check_refused(fd, "not of this drive at this scale");
	drive = some_drive();
	check_equal(load(fd, MAPPED), 0);
	drop();
	close(fd);
}

TEST(a_full_disk_is_an_error)
{
	FILE *full = fopen("/dev/full", "w");

	check(full != NULL);
	make(some_drive());
	ssd_settle(ssd);
	check_equal(ssd_save(ssd, fileno(full)), -ENOSPC);
	drop();
	fclose(full);
}

int main(void)
{
	return tap_run();
}
