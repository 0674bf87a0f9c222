#include "report/words.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* A group by hand: everything in it is plain data that nobody owns. */
static struct group_summary group;
static struct run_summary runs[8];
static struct sample samples[8];
static struct summary summary;
static struct words words;

static void begin(void)
{
	words_clear(&words);
	memset(runs, 0, sizeof(runs));
	memset(samples, 0, sizeof(samples));
	group = (struct group_summary){ .name = (char *)(uintptr_t)"g/w", .title = (char *)(uintptr_t)"4K random write",
					.runs = runs, .maximum = SUMMARY_NONE, .peak = SUMMARY_NONE,
					.dirtiest = SUMMARY_NONE };
	summary = (struct summary){ .label = (char *)(uintptr_t)"one", .group_count = 1, .groups = &group };
}

static void point(uint64_t iops, uint64_t p50_ns, uint64_t p99_ns)
{
	struct run_summary *run = &runs[group.run_count++];

	*run = (struct run_summary){ .kind = PHASE_POINT, .status = PHASE_DONE, .measured = true, .sustained = true,
				     .iops = (double)iops };
	run->submit = (struct latency_summary){ .count = 1000, .mean_ns = (double)p50_ns,
						.p50 = { p50_ns, true }, .p99 = { p99_ns, true } };
	group.has_curve = true;
	group.peak = group.run_count - 1;
}

/* `from` IOPS for a drive write, then `to`, every half a drive write; steady at `to`. */
static void writes(double from, double to)
{
	for (size_t i = 0; i < 8; i++)
		samples[i] = (struct sample){ .written = 0.5 + 0.5 * (double)i, .iops = i < 2 ? from : to, .served = true };
	group.series = (struct series){ .count = 8, .samples = samples, .has_written = true };
	group.steady = (struct steady_summary){ .present = true, .ended = true, .judged = true, .round_count = 7,
						.verdict = { .steady = true, .average = to } };
}

/* The only sentence; NULL: there is none. */
static const struct sentence *only(void)
{
	words = words_about(&summary);
	check(words.count <= 1);
	return words.count ? &words.sentences[0] : NULL;
}

#define check_says(got, is_good, part) \
	do { \
		const struct sentence *said = (got); \
		if (!said) \
			tap_fail("%s:%d: nothing is said", __FILE__, __LINE__); \
		if (!strstr(said->text, part)) \
			tap_fail("%s:%d: '%s' lacks '%s'", __FILE__, __LINE__, said->text, part); \
		check_equal(said->good, is_good); \
		check(!strcmp(said->group, "g/w")); \
	} while (0)

TEST(writes_that_fall_collapse_by_their_factor_and_after_their_fills)
{
	begin();
	writes(354000, 52800);
	check_says(only(), false, "Writes collapse 6.7 x after 1.5 drive fills: 4K random write falls from 354,000 to 52,800 IOPS.");
}

TEST(writes_that_do_not_fall_hold_their_rate)
{
	begin();
	writes(54000, 52800);
	check_says(only(), true, "Writes hold their rate: 4K random write ends at 98 % of where it began, 52,800 IOPS");
}

TEST(writes_that_fall_a_little_are_not_worth_a_word)
{
	begin();
	writes(1.3 * 52800, 52800);
	check(!only());
	begin();
	writes(1.5 * 52800, 52800); /* 1.5 is not more than 1.5 */
	check(!only());
	begin();
	writes(1.51 * 52800, 52800);
	check(only());
}

TEST(writes_that_never_settle_are_told_and_their_collapse_is_not)
{
	begin();
	writes(354000, 52800);
	group.steady.verdict.steady = false;
	group.steady.verdict.range_share = .31;
	check_says(only(), false, "Does not settle: 4K random write was not steady after 7 rounds; their range is 31 %");
	begin();
	writes(354000, 52800);
	group.steady.verdict.steady = false;
	group.steady.ended = false; /* a killed run proves nothing */
	check(!only());
}

TEST(reads_until_steady_are_no_writes)
{
	begin();
	writes(354000, 52800);
	group.series.has_written = false;
	check(!only());
}

TEST(a_maximum_run_far_above_the_peak_is_a_burst)
{
	begin();
	point(50000, 100, 500);
	runs[group.run_count] = (struct run_summary){ .kind = PHASE_RUN, .iops = 350000 };
	group.maximum = group.run_count++;
	group.has_burst = true;
	group.burst = 7;
	check_says(only(), false, "reached 350,000 IOPS at first and sustains 50,000, 14 % of it");
	begin();
	point(50000, 100, 500);
	runs[group.run_count] = (struct run_summary){ .kind = PHASE_RUN, .iops = 51000 };
	group.maximum = group.run_count++;
	group.has_burst = true;
	group.burst = 1.02;
	check(!only());
}

TEST(a_p99_far_above_the_median_is_a_long_tail)
{
	begin();
	point(50000, 100000, 1000000);
	check_says(only(), false, "at 50,000 IOPS one in a hundred of 4K random write takes 10.0 x the median or more, p99 1.00 ms");
}

TEST(a_p99_near_the_median_answers_evenly)
{
	begin();
	point(50000, 100000, 300000);
	check_says(only(), true, "the p99 of 4K random write is 3.0 x its median, 300 us");
}

TEST(in_between_and_unknown_tails_are_not_told)
{
	begin();
	point(50000, 100000, 301000);
	check(!only());
	begin();
	point(50000, 100000, 999000);
	check(!only());
	begin();
	point(50000, 100000, 1000000);
	runs[0].submit.p99.known = false;
	check(!only());
}

TEST(the_tail_is_that_of_the_busiest_point_that_is_not_overloaded)
{
	begin();
	point(50000, 100000, 1000000);
	point(60000, 100000, 500000);
	point(70000, 100000, 9000000);
	runs[2].overloaded = true;
	group.peak = 1;
	/* 500 us : 100 us is in between, and the mean never doubles. */
	words = words_about(&summary);
	check_equal(words.count, 1);
	check(strstr(words.sentences[0].text, "Stays quick"));
}

TEST(latency_that_stays_low_up_to_the_peak_is_quick_under_load)
{
	begin();
	point(10000, 100000, 500000);
	point(80000, 200000, 1000000);
	point(100000, 201000, 1005000);
	check_says(only(), true, "below twice that of an idle drive up to 80,000 IOPS, 80 % of the peak");
}

TEST(latency_that_doubles_early_is_told)
{
	begin();
	point(10000, 100000, 500000);
	point(49000, 200000, 1000000);
	point(100000, 400000, 2000000);
	check_says(only(), false, "doubles beyond 49,000 IOPS, 49 % of the peak");
	begin();
	point(10000, 100000, 500000);
	point(50000, 200000, 1000000);
	point(100000, 400000, 2000000);
	check(!only()); /* half is in between */
}

static void wear(double lasts, double rated)
{
	runs[group.run_count] = (struct run_summary){ .has_endurance = true,
						      .endurance = { .lasts_bytes = lasts, .rated_bytes = rated } };
	group.dirtiest = group.run_count++;
}

TEST(wear_is_held_against_the_warranty)
{
	begin();
	wear(2.8e15, 2.733e15);
	check_says(only(), true, "its blocks take 2,800 TB, 2,733 are warranted");
	begin();
	wear(2.733e15, 2.733e15);
	check_says(only(), true, "Outlasts");
	begin();
	wear(2.1e15, 2.733e15);
	check_says(only(), false, "Wears out before its warranty under 4K random write: its blocks take 2,100 of the 2,733 TB");
	begin();
	wear(2.3e15, 2.733e15);
	check(!only());
	begin();
	wear(2.1e15, 0);
	check(!only());
}

TEST(side_by_side_the_leader_and_the_last_are_named)
{
	struct group_summary other_group;
	struct summary other;
	struct summary *both[] = { &summary, &other };

	begin();
	point(50000, 100, 500);
	other_group = group;
	other = summary;
	other.groups = &other_group;
	other.label = (char *)(uintptr_t)"two";
	other_group.runs = &runs[4];
	runs[4] = runs[0];
	runs[4].iops = 90000;
	words = words_beside(both, 2);
	check_equal(words.count, 1);
	check(!strcmp(words.sentences[0].text, "4K random write: two leads with 90,000 IOPS, 1.8 x one, the last of 2."));
	words_clear(&words);
	runs[4].iops = 51000;
	words = words_beside(both, 2);
	check(!strcmp(words.sentences[0].text, "4K random write: no lead worth a word, all reach 50,000 to 51,000 IOPS."));
	words_clear(&words);
	runs[4].measured = false;
	words = words_beside(both, 2);
	check_equal(words.count, 0);
}

/* As many groups with an even tail, of which all after the second are named in one sentence. */
static void tails(size_t count)
{
	static struct group_summary groups[6];
	static const char *const titles[] = { "A", "B", "C", "D", "E", "F" };

	begin();
	point(100, 100000, 200000);
	for (size_t i = 0; i < count; i++) {
		groups[i] = group;
		groups[i].name = groups[i].title = (char *)(uintptr_t)titles[i];
	}
	summary.groups = groups;
	summary.group_count = count;
	words = words_about(&summary);
}

TEST(what_holds_for_many_workloads_is_said_of_two_and_the_others_are_named)
{
	tails(3);
	check_equal(words.count, 3);
	check(strstr(words.sentences[2].text, "p99 of C"));
	tails(6);
	check_equal(words.count, 3);
	check(strstr(words.sentences[1].text, "p99 of B"));
	check(!strcmp(words.sentences[2].text, "So it is with 4 more workloads: C, D, E, F."));
	check(words.sentences[2].good);
	check(!strcmp(words.sentences[2].group, "C"));
	words_clear(&words);
}

int main(void)
{
	return tap_run();
}
