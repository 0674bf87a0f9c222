#include "report/compare.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/* Points that were offered rates this close to each other had the same to do. */
#define SAME_OFFER 0.01

/* On a real host other work, heat and the drive's own housekeeping come and go by the second. */
#define DISTURBED_NS 5000000000.0

struct side {
	const char *letter;
	struct result *result;
	struct result_phase phase;
	struct window *windows;
	size_t window_count;
};

static void note(struct comparison *comparison, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct comparison *comparison, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	comparison->notes = xrealloc(comparison->notes,
				     (comparison->note_count + 1) * sizeof(char *));
	comparison->notes[comparison->note_count++] = xstrdup(text);
}

static const char *text_of(struct result *result, const char *key)
{
	const char *text = result_get(result, key);

	return text ? text : "";
}

/* What must not differ, and what one may as well know. */
static const struct condition {
	const char *key, *name;
	bool refuses;
} conditions[] = {
	{ "plan", "plan", true },
	{ "bed", "bed", true },
	{ "scale", "scale", true },
	{ "model", "kind (1 is modelled, 0 is measured)", true },
	{ "full_size_bytes", "size in bytes", false },
	{ "target", "target", false },
	{ "seed", "seed", false },
	{ "version", "version of drivebay", false },
};

static int check_conditions(struct comparison *comparison, struct result *a, struct result *b,
			    bool anyway)
{
	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++) {
		const struct condition *condition = &conditions[i];
		const char *of_a = text_of(a, condition->key), *of_b = text_of(b, condition->key);

		if (!strcmp(of_a, of_b))
			continue;
		if (condition->refuses && !anyway)
			return fail(EINVAL, "compare: the results differ in their %s, '%s' and '%s', which "
				    "would be compared along with the drives; --anyway compares what they "
				    "have in common", condition->name, of_a, of_b);
		note(comparison, "The %s differs: %s and %s.", condition->name, *of_a ? of_a : "none",
		     *of_b ? of_b : "none");
	}
	return 0;
}

static void side_clear(struct side *side)
{
	result_phase_free(&side->phase);
	free(side->windows);
	side->phase = (struct result_phase){ 0 };
	side->windows = NULL;
	side->window_count = 0;
}

/* The phase called `name` with its windows. -ENOENT: there is none. */
static int side_read(struct side *side, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		int err = result_phase_read(side->result, i, &side->phase);

		if (err)
			return err;
		if (strcmp(side->phase.name, name)) {
			result_phase_free(&side->phase);
			continue;
		}
		return result_windows_read(side->result, i, &side->windows, &side->window_count);
	}
	return -ENOENT;
}

/* A value over a weight, so that means of windows are those of the whole. */
static struct compare_window window_of(const struct window *window, enum compare_figure figure)
{
	switch (figure) {
	case COMPARE_IOPS:
		return (struct compare_window){ (double)window->ios, (double)window->elapsed_ns / 1e9 };
	case COMPARE_MEAN:
		return (struct compare_window){ (double)window->mean_ns * (double)window->ios,
						(double)window->ios };
	case COMPARE_P99:
		return (struct compare_window){ (double)window->p99_ns, window->p99_ns > 0 };
	}
	abort();
}

static struct compare_window *windows_of(const struct window *from, size_t count,
					 enum compare_figure figure)
{
	struct compare_window *windows = xcalloc(count + 1, sizeof(*windows));

	for (size_t i = 0; i < count; i++)
		windows[i] = window_of(&from[i], figure);
	return windows;
}

static double mean_of(const struct compare_window *windows, size_t count)
{
	double value = 0, weight = 0;

	for (size_t i = 0; i < count; i++) {
		value += windows[i].value;
		weight += windows[i].weight;
	}
	return weight > 0 ? value / weight : 0;
}

static struct compare_line *add_line(struct comparison *comparison, const struct result_phase *phase,
				     enum compare_figure figure)
{
	struct compare_line *line;

	comparison->lines = xrealloc(comparison->lines,
				     (comparison->line_count + 1) * sizeof(*comparison->lines));
	line = &comparison->lines[comparison->line_count++];
	*line = (struct compare_line){ .phase = xstrdup(phase->name), .kind = phase->kind,
				       .figure = figure, .verdict = COMPARE_UNJUDGED };
	return line;
}

/* Where the last five rounds begin that both have; a run is compared as a whole. */
static size_t first_window(const struct side *side, size_t count)
{
	uint64_t last_rounds;

	if (side->phase.kind != PHASE_ROUNDS || !side->phase.window_ns)
		return 0;
	last_rounds = STEADY_ROUNDS * (side->phase.duration_ns / side->phase.window_ns);
	return count > last_rounds ? count - (size_t)last_rounds : 0;
}

static void add_figure(struct comparison *comparison, const struct side *a, const struct side *b,
		       enum compare_figure figure)
{
	struct compare_line *line = add_line(comparison, &a->phase, figure);
	size_t count = a->window_count < b->window_count ? a->window_count : b->window_count;
	size_t first = first_window(a, count);

	count -= first;
	line->window_count = count;
	line->least_batch = comparison->measured && a->phase.window_ns
		? (size_t)ceil(DISTURBED_NS / (double)a->phase.window_ns) : 1;
	line->windows_a = windows_of(&a->windows[first], count, figure);
	line->windows_b = windows_of(&b->windows[first], count, figure);
	line->a = mean_of(line->windows_a, count);
	line->b = mean_of(line->windows_b, count);
	if (count < COMPARE_WINDOWS)
		line->why = xasprintf("%zu window%s, fewer than %d", count, count == 1 ? "" : "s",
				      COMPARE_WINDOWS);
	else if (count / line->least_batch < COMPARE_WINDOWS)
		line->why = xasprintf("shorter than %d s", (int)(COMPARE_WINDOWS * DISTURBED_NS / 1e9));
	else if (!(line->a > 0) || !(line->b > 0))
		line->why = xstrdup(figure == COMPARE_P99 ? "too few requests in a window for a p99"
				    : "no request completed");
}

static bool overloaded(const struct side *side)
{
	return side->phase.outcome.stats.unissued > 0;
}

/* Beyond what a drive takes, the offer does not matter. */
static bool same_offer(const struct side *a, const struct side *b)
{
	double of_a = (double)a->phase.outcome.offered_iops;
	double of_b = (double)b->phase.outcome.offered_iops;

	if (overloaded(a) || overloaded(b))
		return overloaded(a) && overloaded(b);
	return fabs(of_a - of_b) <= SAME_OFFER * of_a;
}

/* NULL when the two can be set against each other, else what stands in the way. */
static char *obstacle(const struct side *a, const struct side *b)
{
	const struct side *const sides[] = { a, b };

	if (a->phase.kind != b->phase.kind || strcmp(a->phase.workload, b->phase.workload)
	    || a->phase.outstanding != b->phase.outstanding)
		return xstrdup("not the same in A and B");
	if (a->phase.duration_ns != b->phase.duration_ns || a->phase.window_ns != b->phase.window_ns)
		return xstrdup("not as long in A and B");
	if (a->phase.kind == PHASE_POINT && !same_offer(a, b))
		return xstrdup("not offered the same");
	for (int i = 0; i < 2; i++) {
		if (sides[i]->phase.outcome.status != PHASE_DONE)
			return xasprintf("not finished in %s", sides[i]->letter);
		if (sides[i]->phase.kind == PHASE_ROUNDS && !sides[i]->phase.outcome.steady.steady)
			return xasprintf("not steady in %s", sides[i]->letter);
	}
	return NULL;
}

static void add_phase(struct comparison *comparison, const struct side *a, const struct side *b)
{
	char *why = obstacle(a, b);

	if (why) {
		add_line(comparison, &a->phase, COMPARE_IOPS)->why = why;
		return;
	}
	add_figure(comparison, a, b, COMPARE_IOPS);
	if (a->phase.kind == PHASE_POINT && overloaded(a))
		return; /* its latency is that of the queue */
	add_figure(comparison, a, b, COMPARE_MEAN);
	add_figure(comparison, a, b, COMPARE_P99);
}

static int read_lines(struct comparison *comparison, struct result *of_a, struct result *of_b)
{
	size_t count_a, count_b, common = 0;
	int err = result_phase_count(of_a, &count_a);

	if (!err)
		err = result_phase_count(of_b, &count_b);
	for (size_t i = 0; !err && i < count_a; i++) {
		struct side a = { .letter = "A", .result = of_a }, b = { .letter = "B", .result = of_b };
		struct result_phase phase;

		err = result_phase_read(of_a, i, &phase);
		if (err)
			break;
		if (phase.kind != PHASE_PURGE && phase.kind != PHASE_FILL) {
			err = side_read(&a, count_a, phase.name);
			if (!err)
				err = side_read(&b, count_b, phase.name);
			if (!err) {
				add_phase(comparison, &a, &b);
				common++;
			} else if (err == -ENOENT) {
				add_line(comparison, &phase, COMPARE_IOPS)->why = xstrdup("only in A");
				err = 0;
			}
		}
		side_clear(&a);
		side_clear(&b);
		result_phase_free(&phase);
	}
	if (!err && !common)
		return fail(EINVAL, "compare: the results have no measured phase in common");
	return err;
}

double compare_goodness(const struct compare_line *line)
{
	return line->figure == COMPARE_IOPS ? line->ratio.ratio : 1 / line->ratio.ratio;
}

static void judge(struct comparison *comparison)
{
	double alpha = 1 - comparison->confidence;

	for (size_t i = 0; i < comparison->line_count; i++)
		comparison->judged_count += !comparison->lines[i].why;
	if (comparison->judged_count)
		alpha /= (double)comparison->judged_count;
	for (size_t i = 0; i < comparison->line_count; i++) {
		struct compare_line *line = &comparison->lines[i];
		bool below, above;

		line->ratio = compare_windows(line->windows_a, line->windows_b, line->window_count,
					      line->least_batch, alpha);
		if (line->why)
			continue;
		below = line->ratio.high < 1 - comparison->margin;
		above = line->ratio.low > 1 + comparison->margin;
		line->verdict = !below && !above ? COMPARE_SAME
			: above == (line->figure == COMPARE_IOPS) ? COMPARE_FASTER : COMPARE_SLOWER;
		comparison->faster_count += line->verdict == COMPARE_FASTER;
		comparison->slower_count += line->verdict == COMPARE_SLOWER;
	}
}

static char *drive_of(struct result *result)
{
	const char *drive = text_of(result, "drive");

	return xstrdup(*drive ? drive : text_of(result, "target"));
}

int compare_results(struct result *a, struct result *b, const struct compare_options *options,
		    struct comparison **out)
{
	struct comparison *comparison = xcalloc(1, sizeof(*comparison));
	int err;

	comparison->name_a = drive_of(a);
	comparison->name_b = drive_of(b);
	comparison->confidence = options->confidence;
	comparison->margin = options->margin;
	comparison->measured = strcmp(text_of(a, "model"), "1") || strcmp(text_of(b, "model"), "1");
	err = check_conditions(comparison, a, b, options->anyway);
	if (!err)
		err = read_lines(comparison, a, b);
	if (err) {
		comparison_free(comparison);
		return err;
	}
	judge(comparison);
	*out = comparison;
	return 0;
}

void comparison_free(struct comparison *comparison)
{
	if (!comparison)
		return;
	for (size_t i = 0; i < comparison->line_count; i++) {
		free(comparison->lines[i].phase);
		free(comparison->lines[i].why);
		free(comparison->lines[i].windows_a);
		free(comparison->lines[i].windows_b);
	}
	for (size_t i = 0; i < comparison->note_count; i++)
		free(comparison->notes[i]);
	free(comparison->notes);
	free(comparison->lines);
	free(comparison->name_a);
	free(comparison->name_b);
	free(comparison);
}

const struct compare_line *compare_failure(const struct comparison *comparison, double least)
{
	const struct compare_line *worst = NULL;

	for (size_t i = 0; i < comparison->line_count; i++) {
		const struct compare_line *line = &comparison->lines[i];

		if (line->verdict != COMPARE_SLOWER || compare_goodness(line) >= least)
			continue;
		if (!worst || compare_goodness(line) < compare_goodness(worst))
			worst = line;
	}
	return worst;
}

const char *compare_figure_name(enum compare_figure figure)
{
	switch (figure) {
	case COMPARE_IOPS:
		return "IOPS";
	case COMPARE_MEAN:
		return "mean";
	case COMPARE_P99:
		return "p99";
	}
	abort();
}
