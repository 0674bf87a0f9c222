#include "load/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/data.h"
#include "base/fail.h"
#include "doc.h"
#include "tap.h"

#define S_NS 1000000000ull

static const struct plan_options as_written;

static struct plan *load(const char *const *names, size_t count, const struct plan_options *options)
{
	struct plan *plan;

	if (plan_load(names, count, options, &plan))
		tap_fail("%s", fail_message());
	return plan;
}

static struct plan *load_one(const char *name, const struct plan_options *options)
{
	return load(&name, 1, options);
}

static struct plan *parse(const char *text, const struct plan_options *options)
{
	struct plan *plan;

	if (plan_parse("p.yaml", text, strlen(text), options, &plan))
		tap_fail("%s", fail_message());
	return plan;
}

static void check_refused(const char *text, const char *sentence)
{
	struct plan *plan = NULL;
	int err = plan_parse("p.yaml", text, strlen(text), &as_written, &plan);

	if (err != -EINVAL)
		tap_fail("gives %d: %s", err, text);
	if (strcmp(fail_message(), sentence))
		tap_fail("says: %s", fail_message());
	check(plan == NULL);
}

/* Five lines; the text under test begins in line 6. */
#define HEAD "name: p\nhelp: h\nsource: ours\nsteps:\n  - do: purge\n"

static const struct phase *phase(const struct plan *plan, const char *name)
{
	for (size_t i = 0; i < plan->phase_count; i++)
		if (strcmp(plan->phases[i].name, name) == 0)
			return &plan->phases[i];
	tap_fail("no phase is called %s", name);
}

static void check_names_unique(const struct plan *plan)
{
	for (size_t i = 0; i < plan->phase_count; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(plan->phases[i].name, plan->phases[j].name) == 0)
				tap_fail("two phases are called %s", plan->phases[i].name);
}

/* What a plan goes on after is named before it. */
static bool ends_with(const char *text, const char *end)
{
	return strlen(text) >= strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

TEST(every_shipped_plan_loads)
{
	static const struct plan_options options[] = {
		{ 0 },
		{ .scale = 64 },
		{ .quick = true },
		{ .quick = true, .precondition_steady = true },
	};
	char **names;
	size_t count;

	check_equal(data_list("workloads/plans", &names, &count), 0);
	check(count >= 3);
	for (size_t i = 0; i < count; i++)
		for (size_t o = 0; o < sizeof(options) / sizeof(*options); o++) {
			struct plan *plan = load_one(names[i], &options[o]);

			check(ends_with(plan->name, names[i]));
			check_names_unique(plan);
			check(plan->phases[0].kind == PHASE_PURGE);
			plan_free(plan);
		}
	data_list_free(names, count);
}

TEST(the_four_corners_run_in_the_published_order_and_lengths)
{
	static const char *const corners[] = {
		"4k-random-read", "4k-random-write", "64k-sequential-read", "64k-sequential-write",
	};
	struct plan *plan = load_one("four-corners", &as_written);
	size_t at = 2;

	check_equal(plan->phase_count, 2 + 4 * 13);
	check_equal(plan->chain_count, 1);
	check_equal(plan->phases[0].kind, PHASE_PURGE);
	check_equal(plan->phases[1].kind, PHASE_FILL);
	check_equal(plan->phases[1].passes, 1);
	check_equal(plan->phases[1].fill_bytes, 128 << 10);
	check(strcmp(plan->phases[1].name, "four-corners/fill") == 0);
	check(strcmp(plan->phases[1].group, "") == 0);
	for (size_t c = 0; c < 4; c++) {
		size_t base = at;

		check_equal(plan->phases[at].kind, PHASE_RUN);
		check(strcmp(plan->phases[at].workload->name, corners[c]) == 0);
		check_equal(plan->phases[at].duration_ns, 120 * S_NS);
		check_equal(plan->phases[at].window_ns, S_NS);
		at++;
		for (uint32_t percent = 10; percent <= 120; percent += 10, at++) {
			check_equal(plan->phases[at].kind, PHASE_POINT);
			check_equal(plan->phases[at].percent, percent);
			check_equal(plan->phases[at].base, base);
			check_equal(plan->phases[at].duration_ns, 300 * S_NS);
			check(plan->phases[at].workload == plan->phases[base].workload);
			check(strcmp(plan->phases[at].group, plan->phases[base].group) == 0);
		}
	}
	check(strcmp(plan->phases[2].name, "four-corners/4k-random-read/max") == 0);
	check(strcmp(plan->phases[3].name, "four-corners/4k-random-read/010") == 0);
	check(strcmp(plan->phases[14].name, "four-corners/4k-random-read/120") == 0);
	check(strcmp(plan->phases[14].group, "four-corners/4k-random-read") == 0);
	plan_free(plan);
}

TEST(a_plan_goes_on_in_the_chain_of_the_one_it_is_after)
{
	static const char *const review[] = { "four-corners", "write-saturation", "sql-oracle-vdi" };
	struct plan *plan = load(review, 3, &as_written);
	struct plan *alone = load(review + 2, 1, &as_written);
	const struct phase *first = phase(plan, "sql-oracle-vdi/sql/max");

	check_equal(plan->chain_count, 2);
	check_equal(phase(plan, "write-saturation/purge")->chain, 1);
	check_equal(first->chain, 0);
	check_equal(phase(plan, "sql-oracle-vdi/vdi-lc-monday-login/120")->chain, 0);
	check(&plan->phases[first[1].base] == first);
	check(!strcmp(plan->name, "four-corners+write-saturation+sql-oracle-vdi"));
	check(!strcmp(alone->name, "four-corners+sql-oracle-vdi"));
	check_equal(alone->chain_count, 1);
	check_equal(alone->phase_count, 2 + (4 + 12) * 13);
	plan_free(plan);
	plan_free(alone);
}

TEST(what_a_plan_is_after_is_laid_once_and_first_whatever_the_order_of_the_names)
{
	static const char *const names[] = { "sql-oracle-vdi", "four-corners" };
	struct plan *plan = load(names, 2, &as_written);

	check(!strcmp(plan->name, "four-corners+sql-oracle-vdi"));
	check_names_unique(plan);
	plan_free(plan);
}

TEST(the_drive_is_written_twice_once_for_both_plans_of_a_chain)
{
	struct plan *plan = load_one("sql-oracle-vdi",
				     &(struct plan_options){ .precondition_steady = true });

	check_equal(plan->phase_count, 2 + 1 + (4 + 12) * 14);
	plan_free(plan);
}

TEST(a_plan_after_nothing_or_after_what_another_is_after_is_refused)
{
	static const char two[] = "name: p\nhelp: h\nsource: ours\nafter: four-corners\nsteps:\n"
				  "  - {do: run, workload: 4k-random-read, time: 1s}\n";
	const char *names[] = { "sql-oracle-vdi", "./test_plan_after.yaml" };
	struct plan *plan;
	FILE *file = fopen(names[1], "w");

	check_refused("name: p\nhelp: h\nsource: ours\nafter: four-cornes\nsteps: []\n",
		      "p.yaml:4: after: no plan is called 'four-cornes' (did you mean 'four-corners'?)");
	check(file && fputs(two, file) >= 0 && !fclose(file));
	check_equal(plan_load(names, 2, &as_written, &plan), -EINVAL);
	check(strstr(fail_message(), "another plan goes on after 'four-corners' already"));
	file = fopen(names[1], "w");
	check(file && fputs("name: p\nhelp: h\nsource: ours\nafter: ./test_plan_after.yaml\nsteps:\n"
			    "  - {do: run, workload: 4k-random-read, time: 1s}\n", file) >= 0);
	check(!fclose(file));
	check_equal(plan_load(names + 1, 1, &as_written, &plan), -EINVAL);
	check(strstr(fail_message(), "the plan goes on after itself"));
	remove(names[1]);
}

TEST(a_run_with_loads_is_laid_once_for_each)
{
	struct plan *plan = parse(
		HEAD "  - {do: run, workload: [4k-random-read, 4k-random-write], loads: [2x2, 16x4], time: 1s}\n",
		&as_written);
	const struct phase *last = phase(plan, "p/4k-random-write-16t-4q/run");

	check_equal(plan->phase_count, 5);
	check(!strcmp(plan->phases[1].name, "p/4k-random-read-2t-2q/run"));
	check_equal(workload_outstanding(plan->phases[1].workload), 4);
	check_equal(last->workload->threads, 16);
	check_equal(last->workload->depth, 4);
	check_equal(last->workload->read_percent, 0);
	plan_free(plan);
	check_refused(HEAD "  - {do: run, workload: 4k-random-read, loads: [2], time: 1s}\n",
		      "p.yaml:6: steps.loads: threads x depth must stand here, such as 16x4, at most 65536 "
		      "outstanding");
	check_refused(HEAD "  - {do: run, workload: 4k-random-read, loads: [0x2], time: 1s}\n",
		      "p.yaml:6: steps.loads: threads x depth must stand here, such as 16x4, at most 65536 "
		      "outstanding");
	check_refused(HEAD "  - {do: run, workload: 4k-random-read, loads: [257x256], time: 1s}\n",
		      "p.yaml:6: steps.loads: threads x depth must stand here, such as 16x4, at most 65536 "
		      "outstanding");
}

TEST(the_sweep_goes_on_with_the_drive_of_the_preconditioning)
{
	struct plan *plan = load_one("synthetic-sweep", &as_written);

	check_equal(plan->chain_count, 1);
	check(!strcmp(plan->name, "synthetic+synthetic-sweep"));
	check_equal(phase(plan, "synthetic-sweep/8k-70-30-random-2t-16q/run")->workload->read_percent, 70);
	check_equal(phase(plan, "synthetic-sweep/synthetic-4k-read-16t-16q/run")->chain, 0);
	plan_free(plan);
}

TEST(write_saturation_is_not_judged_before_the_drive_was_written_twice)
{
	struct plan *plan = load_one("write-saturation", &as_written);
	const struct phase *rounds = phase(plan, "write-saturation/4k-random-write-full/rounds");

	check_equal(plan->phase_count, 2);
	check_equal(rounds->kind, PHASE_ROUNDS);
	check_equal(rounds->duration_ns, 1800 * S_NS);
	check_equal(rounds->round_max, 25);
	check_equal(rounds->min_fill_millipercent, 200000);
	check_equal(rounds->workload->span_millipercent, 100000);
	check_equal(phase_planned_ns(rounds), 25 * 1800 * S_NS);
	plan_free(plan);
}

TEST(steady_state_fills_twice_as_snia_says)
{
	struct plan *plan = load_one("steady-state", &as_written);

	check_equal(plan->phase_count, 3);
	check_equal(plan->phases[1].passes, 2);
	check_equal(plan->phases[1].fill_bytes, 128 << 10);
	check_equal(plan->phases[2].duration_ns, 60 * S_NS);
	check_equal(plan->phases[2].round_max, 25);
	plan_free(plan);
}

TEST(a_scale_divides_durations_and_windows_alike)
{
	struct plan *full = load_one("four-corners", &as_written);
	struct plan *scaled = load_one("four-corners", &(struct plan_options){ .scale = 64 });

	check_equal(scaled->phase_count, full->phase_count);
	for (size_t i = 2; i < full->phase_count; i++) {
		check_equal(scaled->phases[i].duration_ns, full->phases[i].duration_ns / 64);
		check_equal(scaled->phases[i].window_ns, full->phases[i].window_ns / 64);
		check_equal(scaled->phases[i].percent, full->phases[i].percent);
	}
	plan_free(full);
	plan_free(scaled);
}

TEST(the_quick_review_takes_at_most_six_minutes)
{
	static const char *const review[] = { "four-corners", "sql-oracle-vdi", "write-saturation" };
	struct plan *plan = load(review, 3, &(struct plan_options){ .quick = true });
	uint64_t total_ns = 0;

	for (size_t i = 0; i < plan->phase_count; i++)
		total_ns += phase_planned_ns(&plan->phases[i]);
	check(total_ns >= 120 * S_NS);
	check(total_ns <= 345 * S_NS); /* and 15 s for two purges and a fill of 1 GiB */
	plan_free(plan);
}

TEST(several_plans_are_laid_one_after_another)
{
	static const char *const review[] = { "four-corners", "write-saturation" };
	struct plan *plan = load(review, 2, &as_written);
	struct plan *first = load(review, 1, &as_written);

	check(strcmp(plan->name, "four-corners+write-saturation") == 0);
	check_equal(plan->chain_count, 2);
	check_equal(plan->phase_count, first->phase_count + 2);
	for (size_t i = 0; i < plan->phase_count; i++)
		check_equal(plan->phases[i].chain, i < first->phase_count ? 0 : 1);
	check(plan->phases[first->phase_count].kind == PHASE_PURGE);
	plan_free(plan);
	plan_free(first);
}

TEST(a_point_refers_to_its_own_maximum_in_a_later_plan_too)
{
	static const char *const names[] = { "write-saturation", "four-corners" };
	struct plan *plan = load(names, 2, &as_written);
	const struct phase *point = phase(plan, "four-corners/64k-sequential-write/050");

	check(&plan->phases[point->base] == phase(plan, "four-corners/64k-sequential-write/max"));
	plan_free(plan);
}

TEST(a_workload_is_loaded_once)
{
	static const char *const names[] = { "write-saturation", "steady-state" };
	struct plan *plan = load(names, 2, &as_written);

	check_equal(plan->workload_count, 1);
	check(plan->phases[1].workload == plan->phases[4].workload);
	plan_free(plan);
}

TEST(precondition_steady_comes_before_every_maximum_and_fills_once_a_chain)
{
	struct plan *plan = load_one("four-corners", &(struct plan_options){ .precondition_steady = true });
	const struct phase *fill = phase(plan, "four-corners/fill-2");
	const struct phase *write = phase(plan, "four-corners/4k-random-write/precondition");

	check_equal(plan->phase_count, 2 + 1 + 4 * 14);
	check_equal(fill->passes, 2);
	check(fill + 1 == phase(plan, "four-corners/4k-random-read/precondition"));
	check(fill + 2 == phase(plan, "four-corners/4k-random-read/max"));
	check_equal(fill[1].min_fill_millipercent, 0); /* reads fill nothing */
	check_equal(write->kind, PHASE_ROUNDS);
	check_equal(write->round_max, 25);
	check_equal(write->duration_ns, 1800 * S_NS);
	check_equal(write->min_fill_millipercent, 50000); /* twice its quarter of the drive */
	check(write + 1 == phase(plan, "four-corners/4k-random-write/max"));
	check(strcmp(write->group, "four-corners/4k-random-write/precondition") == 0);
	plan_free(plan);
}

TEST(quick_takes_what_the_file_says_and_else_what_is_written)
{
	static const char text[] =
		HEAD "  - {do: run, workload: 4k-random-read, time: 10s, quick_time: 2s}\n"
		     "  - {do: run, workload: 4k-random-write, time: 10s}\n"
		     "  - do: curve\n"
		     "    workload: 4k-random-read\n"
		     "    maximum: 9s\n"
		     "    point: 8s\n"
		     "    percents: [50, 100]\n"
		     "    quick_percents: [70]\n"
		     "    window: 4s\n"
		     "    quick_window: 2s\n";
	struct plan *plan = parse(text, &(struct plan_options){ .quick = true });

	check_equal(phase(plan, "p/4k-random-read/run")->duration_ns, 2 * S_NS);
	check_equal(phase(plan, "p/4k-random-write/run")->duration_ns, 10 * S_NS);
	check_equal(phase(plan, "p/4k-random-read-2/max")->duration_ns, 9 * S_NS);
	check_equal(phase(plan, "p/4k-random-read-2/070")->duration_ns, 8 * S_NS);
	check_equal(phase(plan, "p/4k-random-read-2/070")->window_ns, 2 * S_NS);
	check_equal(plan->phase_count, 5);
	plan_free(plan);
	plan = parse(text, &as_written);
	check_equal(phase(plan, "p/4k-random-read-2/050")->window_ns, 4 * S_NS);
	check_equal(plan->phase_count, 6);
	plan_free(plan);
}

TEST(a_list_of_workloads_is_laid_in_order)
{
	struct plan *plan = parse(
		HEAD "  - {do: rounds, workload: [4k-random-write, 4k-random-read], round: 1s, max: 5}\n"
		     "  - do: purge\n"
		     "  - {do: rounds, workload: 4k-random-write, round: 1s, max: 5}\n",
		&as_written);

	check_equal(plan->phase_count, 5);
	check(strcmp(plan->phases[1].name, "p/4k-random-write/rounds") == 0);
	check(strcmp(plan->phases[2].name, "p/4k-random-read/rounds") == 0);
	check(strcmp(plan->phases[3].name, "p/purge-2") == 0);
	check(strcmp(plan->phases[4].name, "p/4k-random-write-2/rounds") == 0);
	check_equal(plan->chain_count, 2);
	check_equal(plan->phases[2].chain, 0);
	check_equal(plan->phases[3].chain, 1);
	check_equal(plan->workload_count, 2);
	plan_free(plan);
}

TEST(one_workload_is_a_plan_of_one_phase)
{
	struct workload *workload;
	struct plan *plan;

	check_equal(workload_load("4k-random-read", &workload), 0);
	plan = plan_for(workload, 5 * S_NS, S_NS);
	check_equal(plan->phase_count, 1);
	check_equal(plan->chain_count, 1);
	check_equal(plan->phases[0].kind, PHASE_RUN);
	check_equal(plan->phases[0].duration_ns, 5 * S_NS);
	check(strcmp(plan->phases[0].workload->name, "4k-random-read") == 0);
	plan_fill_first(plan, 128 << 10);
	check_equal(plan->phase_count, 2);
	check_equal(plan->phases[0].kind, PHASE_FILL);
	check(strcmp(plan->phases[0].name, "4k-random-read/fill") == 0);
	check(plan->phases[0].workload == NULL);
	check_equal(plan->phases[0].passes, 1);
	check_equal(plan->phases[0].fill_bytes, 128 << 10);
	check_equal(plan->phases[1].kind, PHASE_RUN);
	check_equal(plan->phases[1].duration_ns, 5 * S_NS);
	plan_free(plan);
}

TEST(rounds_come_before_a_run_and_a_fill_before_them)
{
	struct workload *workload;
	struct plan *plan;

	check_equal(workload_load("4k-random-write", &workload), 0);
	workload->span_millipercent = 25000;
	plan = plan_for(workload, 5 * S_NS, S_NS);
	plan_rounds_first(plan, 2 * S_NS, 25);
	plan_fill_first(plan, 128 << 10);
	check_equal(plan->phase_count, 3);
	check_equal(plan->phases[0].kind, PHASE_FILL);
	check_equal(plan->phases[1].kind, PHASE_ROUNDS);
	check(strcmp(plan->phases[1].name, "4k-random-write/precondition") == 0);
	check_equal(plan->phases[1].duration_ns, 2 * S_NS);
	check_equal(plan->phases[1].window_ns, S_NS);
	check_equal(plan->phases[1].round_max, 25);
	check_equal(plan->phases[1].min_fill_millipercent, 25000);
	check(plan->phases[1].workload == workload);
	check_equal(plan->phases[2].kind, PHASE_RUN);
	plan_free(plan);
}

TEST(rounds_that_write_nothing_wait_for_no_writes)
{
	struct workload *workload;
	struct plan *plan;

	check_equal(workload_load("4k-random-read", &workload), 0);
	plan = plan_for(workload, S_NS, S_NS);
	plan_rounds_first(plan, S_NS, 25);
	check_equal(plan->phases[0].min_fill_millipercent, 0);
	plan_free(plan);
	check_equal(workload_load("4k-random-write", &workload), 0);
	workload->trim_percent = 100;
	plan = plan_for(workload, S_NS, S_NS);
	plan_rounds_first(plan, S_NS, 25);
	check_equal(plan->phases[0].min_fill_millipercent, 0);
	plan_free(plan);
}

TEST(a_plan_begins_with_a_purge)
{
	check_refused("name: p\nhelp: h\nsource: ours\nsteps:\n"
		      "  - {do: fill, size: 128K, passes: 1}\n",
		      "p.yaml:5: steps: the first step must be a purge: a plan owes nothing to what "
		      "ran before");
}

TEST(wrong_steps_are_refused_with_their_line)
{
	check_refused("name: p\nhelp: h\nsource: ours\nsteps: []\n",
		      "p.yaml:4: steps: a list of steps must stand here (- do: ...)");
	check_refused(HEAD "  - fill\n",
		      "p.yaml:6: steps: a mapping (key: value) must stand here, not a single value");
	check_refused(HEAD "  - {size: 128K}\n",
		      "p.yaml:6: unknown key 'size' in 'steps' (known: do)");
	check_refused(HEAD "  - {}\n",
		      "p.yaml:6: missing key 'do' in 'steps' (what the step does)");
	check_refused(HEAD "  - do: fil\n",
		      "p.yaml:6: steps.do: 'fil' is not one of: purge, fill, curve, rounds, run, "
		      "application");
	check_refused(HEAD "  - do: fill\n    passes: 1\n",
		      "p.yaml:6: missing key 'size' in 'steps' (size of a request)");
	check_refused(HEAD "  - do: fill\n    size: 128K\n    pases: 1\n",
		      "p.yaml:8: unknown key 'pases' in 'steps' (did you mean 'passes'?)");
	check_refused(HEAD "  - {do: fill, size: 128K, passes: 0}\n",
		      "p.yaml:6: steps.passes: '0' is out of range (1 to 100)");
	check_refused(HEAD "  - do: run\n    time: 1s\n    workload: 4k-random-raed\n",
		      "p.yaml:8: steps.workload: no workload is called '4k-random-raed' "
		      "(did you mean '4k-random-read'?)");
	check_refused(HEAD "  - {do: run, time: 1s, workload: []}\n",
		      "p.yaml:6: steps.workload: the list of workloads is empty");
	check_refused(HEAD "  - {do: run, time: 1, workload: 4k-random-read}\n",
		      "p.yaml:6: steps.time: '1' is not a duration: it has no unit "
		      "(try: 60us, 5ms, 300s, 2m, 3h)");
	check_refused(HEAD "  - {do: run, time: 31d, workload: 4k-random-read}\n",
		      "p.yaml:6: steps.time: '31d' is out of range (1 ms to 720 h)");
	check_refused(HEAD "  - {do: rounds, round: 1s, max: 4, workload: 4k-random-read}\n",
		      "p.yaml:6: steps.max: '4' is out of range (5 to 1000)");
	check_refused(HEAD "  - do: rounds\n    round: 1s\n    max: 5\n    min_fill: 10%\n"
			   "    workload: 4k-random-read\n",
		      "p.yaml:9: steps.min_fill: 4k-random-read only reads: it never fills anything");
}

TEST(an_application_whose_end_is_not_known_has_windows_of_minutes)
{
	const struct plan_options at_a_64th = { .scale = 64 };
	struct plan *plan = load_one("out-of-core", &at_a_64th);
	const struct phase *application = phase(plan, "out-of-core/out-of-core");

	check_equal(application->duration_ns, 0);
	check_equal(application->window_ns, 60000000000 / 64);
	plan_free(plan);
	plan = load_one("oltp", &at_a_64th);
	application = phase(plan, "oltp/oltp");
	check(application->duration_ns > 0);
	check_equal(application->window_ns, application->duration_ns / 120);
	plan_free(plan);
}

TEST(wrong_points_are_refused)
{
#define CURVE HEAD "  - do: curve\n    workload: 4k-random-read\n    maximum: 1s\n    point: 1s\n"
	check_refused(CURVE, "p.yaml:6: missing key 'percents' in 'steps' "
			     "(the points, in percent of the maximum)");
	check_refused(CURVE "    percents: []\n",
		      "p.yaml:10: steps.percents: a list of percentages must stand here, such as "
		      "[50, 100]");
	check_refused(CURVE "    percents: [0]\n",
		      "p.yaml:10: steps.percents: '0' is out of range (1 to 1000)");
	check_refused(CURVE "    percents: [50, 50]\n",
		      "p.yaml:10: steps.percents: 50 is in the list already");
	check_refused(CURVE "    percents: [1.5]\n",
		      "p.yaml:10: steps.percents: '1.5' is not a count: it is not a whole number "
		      "(try: 128, 10k)");
}

TEST(the_number_of_phases_is_bounded)
{
	_cleanup_buf_ struct buf text = BUF_INIT;
	struct plan *plan;

	buf_puts(&text, HEAD);
	for (int i = 1; i < 5000; i++)
		buf_puts(&text, "  - do: purge\n");
	plan = parse(text.text, &as_written);
	check_equal(plan->phase_count, 5000);
	plan_free(plan);
	buf_puts(&text, "  - do: purge\n");
	check_refused(text.text, "p.yaml:5005: steps: the plan has more than 5000 phases");
}

TEST(two_workloads_of_one_name_have_groups_of_their_own)
{
	/* The same file by two ways: the plan cannot know, and keeps them apart. */
	_cleanup_buf_ struct buf text = BUF_INIT;
	struct plan *plan;

	buf_printf(&text, HEAD "  - {do: run, workload: 4k-random-read, time: 1s}\n"
		   "  - {do: run, workload: %s/workloads/../workloads/4k-random-read.yaml, time: 1s}\n",
		   SOURCE_ROOT);
	plan = parse(text.text, &as_written);
	check(strcmp(plan->phases[1].group, "p/4k-random-read") == 0);
	check(strcmp(plan->phases[2].group, "p/4k-random-read-2") == 0);
	plan_free(plan);
}

TEST(a_plan_is_named_once)
{
	static const char *const names[] = { "steady-state", "steady-state" };
	struct plan *plan;

	check_equal(plan_load(names, 2, &as_written, &plan), -EINVAL);
	check(strcmp(fail_message(), "plan 'steady-state' is named twice") == 0);
	check_equal(plan_load(names, 0, &as_written, &plan), -EINVAL);
}

TEST(the_example_of_the_format_is_right)
{
	_cleanup_free_ char *text = doc_example("plan-format.md");
	struct plan *plan = parse(text, &as_written);

	check_equal(plan->phase_count, 3 + 2 * 5);
	plan_free(plan);
}

int main(void)
{
	data_set_root(SOURCE_ROOT);
	return tap_run();
}
