#include "load/replay.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "load/run.h"
#include "server.h"
#include "tap.h"

static const uint64_t us = 1000, ms = 1000000;

/* Request i is due at i x 1 ms: a read of 4096 bytes at i x 4096, every third a flush. */
struct list {
	struct replay base;
	unsigned count, at;
};

static int list_rewind(struct replay *replay)
{
	container_of(replay, struct list, base)->at = 0;
	return 0;
}

static bool list_next(struct replay *replay, struct replay_request *out)
{
	struct list *list = container_of(replay, struct list, base);

	if (list->at == list->count)
		return false;
	*out = (struct replay_request){ .due_ns = list->at * ms, .op = IO_READ,
					.offset_bytes = list->at * 4096, .size_bytes = 4096 };
	if (list->at % 3 == 2)
		*out = (struct replay_request){ .due_ns = list->at * ms, .op = IO_FLUSH };
	list->at++;
	return true;
}

static struct list list;
static struct stats stats;
static struct server server;

static struct workload recorded(uint32_t depth, bool is_timed)
{
	static char name[] = "recorded";

	list.base = (struct replay){ is_timed, list_rewind, list_next };
	return (struct workload){
		.name = name, .read_percent = 99, .pattern = PATTERN_TRACE, .replay = &list.base,
		.read_sizes = { 1, { { 4096, 1 } } }, .write_sizes = { 1, { { 4096, 1 } } },
		.threads = 1, .depth = depth, .span_millipercent = 100000,
	};
}

static int replay(const struct workload *workload, unsigned count, uint64_t service_ns,
		  uint64_t duration_ns)
{
	struct run_config config = { .workload = workload, .seed = 1, .name = "test",
				     .duration_ns = duration_ns };

	list.count = count;
	server_init(&server, 4, service_ns);
	return run(&server.base, &config, &stats);
}

TEST(requests_go_out_at_their_recorded_times)
{
	struct workload workload = recorded(8, true);

	check_equal(replay(&workload, 300, 100 * us, UINT64_MAX), 0);
	check_equal(stats.ios[IO_READ], 200);
	check_equal(stats.ios[IO_FLUSH], 100);
	check_equal(stats.elapsed_ns, 299 * ms + 100 * us);
	check_equal(stats.late_max_ns, 0);
	check_equal(stats.unfinished, 0);
	check_equal(stats.unissued, 0);
}

TEST(a_drive_that_is_too_slow_shows_in_the_latency_from_the_due_time)
{
	struct workload workload = recorded(1, true);

	check_equal(replay(&workload, 100, 2 * ms, UINT64_MAX), 0);
	check_equal(stats.from_submit.max_ns, 2 * ms);
	check_equal(stats.elapsed_ns, 200 * ms);
	check_equal(stats.late_max_ns, 99 * ms);
	check_equal(stats.from_due.max_ns, 101 * ms);
}

TEST(without_times_the_depth_is_kept)
{
	struct workload workload = recorded(4, false);

	check_equal(replay(&workload, 400, 100 * us, UINT64_MAX), 0);
	check_equal(stats.elapsed_ns, 10 * ms);
	check_equal(stats.from_due.max_ns, 100 * us);
}

TEST(what_an_early_end_leaves_unsent_is_counted)
{
	struct workload workload = recorded(1, true);

	check_equal(replay(&workload, 100, 10 * ms, 50 * ms), 0);
	check_equal(stats.ios[IO_READ] + stats.ios[IO_FLUSH], 5);
	check_equal(stats.unissued, 45);
	check_equal(stats.from_due.count, 50);
}

TEST(a_trace_is_replayed_again_from_its_beginning)
{
	struct workload workload = recorded(4, true);

	check_equal(replay(&workload, 30, 100 * us, UINT64_MAX), 0);
	check_equal(replay(&workload, 30, 100 * us, UINT64_MAX), 0);
	check_equal(stats.ios[IO_READ], 20);
}

TEST(a_workload_whose_trace_is_not_there_is_refused)
{
	struct workload workload = recorded(4, true);

	workload.replay = NULL;
	check_equal(replay(&workload, 30, 100 * us, UINT64_MAX), -EINVAL);
	check(strstr(fail_message(), "run the trace anew"));
}

int main(void)
{
	return tap_run();
}
