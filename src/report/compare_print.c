/* A comparison for people and for programs. */
#include "report/compare.h"

#include <stdlib.h>

#include "report/escape.h"
#include "report/table.h"

static const char *verdict_word(const struct compare_line *line)
{
	switch (line->verdict) {
	case COMPARE_SAME:
		return "no difference";
	case COMPARE_FASTER:
		return "B is faster";
	case COMPARE_SLOWER:
		return "B is slower";
	case COMPARE_UNJUDGED:
		return line->why;
	}
	abort();
}

static bool is_shown(const struct compare_line *line, bool all)
{
	return all || line->kind != PHASE_POINT || line->verdict == COMPARE_FASTER
		|| line->verdict == COMPARE_SLOWER;
}

static void add_value(struct table *table, double value)
{
	if (value > 0)
		table_number(table, value);
	else
		table_cell(table, "n/a");
}

static void add_row(struct table *table, const struct compare_line *line)
{
	double unit = line->figure == COMPARE_IOPS ? 1 : 1e3;

	table_row(table);
	if (line->verdict == COMPARE_SLOWER)
		table_mark(table, "bad");
	table_cell(table, "%s %s", line->phase, compare_figure_name(line->figure));
	add_value(table, line->a / unit);
	add_value(table, line->b / unit);
	if (line->ratio.known)
		table_cell(table, "%.1f", line->ratio.ratio * 100);
	else
		table_cell(table, "n/a");
	if (line->ratio.judged) {
		table_cell(table, "%.1f..%.1f", line->ratio.low * 100, line->ratio.high * 100);
		table_cell(table, "%.1f", line->ratio.effective);
	} else {
		table_cell(table, "n/a");
		table_cell(table, "n/a");
	}
	table_cell(table, "%s", verdict_word(line));
}

/* The line that is farthest from equal, among those that differ. */
static const struct compare_line *farthest(const struct comparison *comparison,
					   enum compare_verdict verdict)
{
	const struct compare_line *found = NULL;

	for (size_t i = 0; i < comparison->line_count; i++) {
		const struct compare_line *line = &comparison->lines[i];
		double mine, best;

		if (line->verdict != verdict)
			continue;
		mine = compare_goodness(line);
		best = found ? compare_goodness(found) : 1;
		if (!found || (verdict == COMPARE_SLOWER ? mine < best : mine > best))
			found = line;
	}
	return found;
}

static void put_farthest(const struct comparison *comparison, enum compare_verdict verdict,
			 size_t count, struct buf *out)
{
	const struct compare_line *line = farthest(comparison, verdict);

	buf_printf(out, "B is %s in %zu of %zu figures, most in %s: %s %.1f %% of A's (%.1f to %.1f %%).",
		   verdict == COMPARE_SLOWER ? "slower" : "faster", count, comparison->judged_count,
		   line->phase, compare_figure_name(line->figure), line->ratio.ratio * 100,
		   line->ratio.low * 100, line->ratio.high * 100);
}

static void put_verdict(const struct comparison *comparison, struct buf *out)
{
	if (comparison->slower_count)
		put_farthest(comparison, COMPARE_SLOWER, comparison->slower_count, out);
	if (comparison->slower_count && comparison->faster_count)
		buf_puts(out, " ");
	if (comparison->faster_count)
		put_farthest(comparison, COMPARE_FASTER, comparison->faster_count, out);
	if (!comparison->judged_count)
		buf_puts(out, "No verdict: no figure has enough windows on both sides.");
	else if (!comparison->slower_count && !comparison->faster_count)
		buf_printf(out, "No difference: none of %zu figures differs by more than %.3g %% beyond doubt.",
			   comparison->judged_count, comparison->margin * 100);
}

void compare_print(const struct comparison *comparison, FILE *out, unsigned columns, bool all)
{
	struct table *table = table_new("A: %s, B: %s", comparison->name_a, comparison->name_b);
	_cleanup_buf_ struct buf verdict = BUF_INIT;
	size_t hidden = 0;

	table_column(table, "Phase and figure", "", 0);
	table_column(table, "A", "1/s, us", COLUMN_WIDE);
	table_column(table, "B", "1/s, us", COLUMN_WIDE);
	table_column(table, "B : A", "%", 0);
	table_column(table, "Interval", "%", 0);
	table_column(table, "Samples", "", COLUMN_WIDE);
	table_column(table, "Verdict", "", COLUMN_TEXT);
	for (size_t i = 0; i < comparison->line_count; i++) {
		if (is_shown(&comparison->lines[i], all))
			add_row(table, &comparison->lines[i]);
		else
			hidden++;
	}
	table_note(table, "The intervals hold all together at %.4g %% confidence. Samples: independent ones, "
		   "reckoned from how windows resemble their neighbours.", comparison->confidence * 100);
	table_print(table, out, columns);
	table_free(table);
	if (hidden)
		fprintf(out, "%zu figures of points that do not differ are left out (--all shows them).\n\n",
			hidden);
	for (size_t i = 0; i < comparison->note_count; i++)
		text_wrap(comparison->notes[i], out, columns, "- ", "  ");
	put_verdict(comparison, &verdict);
	text_wrap(verdict.text, out, columns, "", "");
}

static void put_number(struct buf *out, const char *name, bool known, double value)
{
	buf_printf(out, ", \"%s\": ", name);
	if (known)
		buf_printf(out, "%.6g", value);
	else
		buf_puts(out, "null");
}

static void put_line(struct buf *out, const struct compare_line *line)
{
	static const char *const verdicts[] = { "same", "faster", "slower", "unjudged" };
	const struct compare_ratio *ratio = &line->ratio;

	buf_puts(out, "    {\"phase\": ");
	escape_json(out, line->phase);
	buf_printf(out, ", \"figure\": \"%s\", \"unit\": \"%s\"", compare_figure_name(line->figure),
		   line->figure == COMPARE_IOPS ? "1/s" : "ns");
	put_number(out, "a", line->window_count, line->a);
	put_number(out, "b", line->window_count, line->b);
	put_number(out, "ratio", ratio->known, ratio->ratio);
	put_number(out, "low", ratio->judged, ratio->low);
	put_number(out, "high", ratio->judged, ratio->high);
	put_number(out, "effective_samples", ratio->judged, ratio->effective);
	buf_printf(out, ", \"windows\": %zu, \"verdict\": \"%s\"", line->window_count,
		   verdicts[line->verdict]);
	if (line->why) {
		buf_puts(out, ", \"why\": ");
		escape_json(out, line->why);
	}
	buf_puts(out, "}");
}

void compare_json(const struct comparison *comparison, struct buf *out)
{
	buf_puts(out, "{\n  \"a\": ");
	escape_json(out, comparison->name_a);
	buf_puts(out, ",\n  \"b\": ");
	escape_json(out, comparison->name_b);
	buf_printf(out, ",\n  \"confidence\": %.6g,\n  \"margin\": %.6g,\n  \"judged\": %zu,\n"
		   "  \"faster\": %zu,\n  \"slower\": %zu,\n  \"notes\": [", comparison->confidence,
		   comparison->margin, comparison->judged_count, comparison->faster_count,
		   comparison->slower_count);
	for (size_t i = 0; i < comparison->note_count; i++) {
		buf_puts(out, i ? ", " : "");
		escape_json(out, comparison->notes[i]);
	}
	buf_puts(out, "],\n  \"figures\": [\n");
	for (size_t i = 0; i < comparison->line_count; i++) {
		put_line(out, &comparison->lines[i]);
		buf_puts(out, i + 1 < comparison->line_count ? ",\n" : "\n");
	}
	buf_puts(out, "  ]\n}\n");
}
