/* The error table as a page: see validate.h. */
#include "report/validate.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "report/escape.h"
#include "report/page.h"

static bool is_drawn(const struct figure *figure)
{
	return figure->judged == JUDGED_YES && figure->modelled_known;
}

/* Is this the first figure of its drive that is drawn? */
static bool begins_drive(const struct validation *validation, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (is_drawn(&validation->figures[i]) &&
		    !strcmp(validation->figures[i].drive, validation->figures[index].drive))
			return false;
	return is_drawn(&validation->figures[index]);
}

static void put_drives(const struct validation *validation, struct buf *out)
{
	const char *comma = "";

	for (size_t i = 0; i < validation->figure_count; i++) {
		if (!begins_drive(validation, i))
			continue;
		buf_puts(out, comma);
		escape_json(out, validation->figures[i].drive);
		comma = ",";
	}
}

static void put_points(const struct validation *validation, const char *drive, struct buf *out)
{
	const char *comma = "";

	for (size_t i = 0; i < validation->figure_count; i++) {
		const struct figure *figure = &validation->figures[i];
		_cleanup_free_ char *name = xasprintf("%s %s", figure->test, figure->statistic);

		if (!is_drawn(figure) || strcmp(figure->drive, drive))
			continue;
		buf_printf(out, "%s[", comma);
		escape_json(out, name);
		buf_printf(out, ",%.6g,%.6g,%.4g,%s]", figure->published, figure->modelled,
			   figure->error * 100, figure->calibrated ? "true" : "false");
		comma = ",";
	}
}

void validate_json(const struct validation *validation, struct buf *out)
{
	size_t drives = 0;

	buf_puts(out, "{\"drives\":[");
	put_drives(validation, out);
	buf_puts(out, "],\"charts\":{\"errors\":{\"kind\":\"errors\",\"title\":\"Errors\",\"series\":[");
	for (size_t i = 0; i < validation->figure_count; i++) {
		if (!begins_drive(validation, i))
			continue;
		buf_printf(out, "%s{\"drive\":%zu,\"points\":[", drives ? "," : "", drives);
		put_points(validation, validation->figures[i].drive, out);
		buf_puts(out, "]}");
		drives++;
	}
	buf_puts(out, "]}}}\n");
}

static void put_table(struct table *table, struct buf *out)
{
	if (table->row_count)
		table_html(table, out);
	table_free(table);
}

static bool has_variants(const struct validation *validation)
{
	for (size_t i = 0; i < validation->figure_count; i++)
		for (size_t v = 0; v < VARIANTS; v++)
			if (validation->figures[i].variant_known[v])
				return true;
	return false;
}

static void put_sensitivity(const struct validation *validation, struct buf *out)
{
	if (!has_variants(validation))
		return;
	buf_puts(out, "<section><h2>Sensitivity</h2>\n<p>How long the laboratories ran is not published; "
		 "by how much each figure differs when all runs last half as long as ours, or twice.</p>\n");
	put_table(validate_table_sensitivity(validation), out);
	buf_puts(out, "</section>\n");
}

static void put_tally(const struct validation *validation, struct buf *out)
{
	struct validate_tally tally = validate_tally(validation);
	struct validate_score all = validate_score_all(validation);

	buf_printf(out, "<p class=\"lede\">What laboratories published of drives, beside what their "
		   "models give in the same tests. %zu judged figures: %zu compared, %zu not mapped "
		   "to a run, %zu not given by their run.", tally.judged, tally.compared,
		   tally.unmapped, tally.missing);
	if (all.count)
		buf_printf(out, " Of those compared the median absolute error is %.1f %%, the worst "
			   "%.1f %%.", all.median * 100, all.worst * 100);
	buf_puts(out, "</p>\n");
}

void validate_html(const struct validation *validation, const struct relations *relations,
		   struct buf *out)
{
	_cleanup_buf_ struct buf json = BUF_INIT;

	page_begin(out, "drivebay validate: models against published figures");
	buf_puts(out, "<header>\n<h1>Models against published figures <span class=\"kind modelled\">"
		 "MODELLED</span></h1>\n");
	put_tally(validation, out);
	buf_puts(out, "</header>\n<main id=\"main\">\n");
	if (validate_score_all(validation).count)
		buf_puts(out, "<section><h2>Errors by drive</h2>\n<p>A full dot is a prediction; a "
			 "ring is a figure that a value of the drive or bed file was fitted to.</p>\n"
			 "<div class=\"plot\" data-chart=\"errors\"></div></section>\n");
	buf_puts(out, "<section><h2>Figures</h2>\n");
	put_table(validate_table(validation, JUDGED_YES, false), out);
	put_table(validate_table(validation, JUDGED_YES, true), out);
	put_table(validate_table(validation, JUDGED_LAB_WIDE, false), out);
	put_table(relations_table(relations), out);
	put_table(validate_table_fitted(validation), out);
	put_table(validate_table_unmapped(validation), out);
	buf_puts(out, "</section>\n");
	put_sensitivity(validation, out);
	validate_json(validation, &json);
	page_end(out, &json);
}
