/* Tables for programs: CSV and JSON. */
#include "report/report.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/escape.h"
#include "report/page.h"
#include "report/words.h"

static bool is_unknown(const char *cell)
{
	return !cell || !*cell || !strcmp(cell, "n/a") || !strcmp(cell, "-");
}

/* "1,234,567.8" or "+0.00" as a number alone; "16 x 16" and "1-2" are none. */
static bool number_of(const char *cell, struct buf *out)
{
	const char *c = cell + (*cell == '+');
	char *end;

	buf_puts(out, "");
	for (; *c; c++) {
		if (*c == ',' && isdigit((unsigned char)c[1]))
			continue;
		if (!isdigit((unsigned char)*c) && *c != '.' && !(*c == '-' && !out->size))
			return false;
		buf_append(out, c, 1);
	}
	if (!out->size || !isdigit((unsigned char)out->text[out->size - 1]))
		return false;
	strtod(out->text, &end);
	return !*end;
}

/* "12.3ms" in a column of microseconds: people get the longer unit, programs the same one. */
static bool latency_of(const char *cell, const char *unit, struct buf *out)
{
	_cleanup_buf_ struct buf digits = BUF_INIT, number = BUF_INIT;
	size_t length = strspn(cell, "0123456789.,");
	double factor = !strcmp(cell + length, "ms") ? 1e3 : !strcmp(cell + length, "s") ? 1e6 : 0;

	if (strcmp(unit, "us") || !length || factor <= 0)
		return false;
	buf_append(&digits, cell, length);
	if (!number_of(digits.text, &number))
		return false;
	buf_printf(out, "%.0f", strtod(number.text, NULL) * factor);
	return true;
}

/* A cell as a number, in the unit of its column; false when it is none. */
static bool value_of(const char *cell, const char *unit, struct buf *out)
{
	if (latency_of(cell, unit, out))
		return true;
	return number_of(cell, out);
}

static void csv_text(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++)
		fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
	fputc('"', out);
}

static void csv_cell(FILE *out, const char *cell, const char *unit)
{
	_cleanup_buf_ struct buf number = BUF_INIT;

	if (is_unknown(cell))
		return;
	csv_text(out, value_of(cell, unit, &number) ? number.text : cell);
}

static void csv_table(void *context, const struct table *table)
{
	FILE *out = context;

	fprintf(out, "\n# %s\n", table->title);
	for (size_t i = 0; i < table->column_count; i++) {
		_cleanup_buf_ struct buf name = BUF_INIT;

		buf_puts(&name, table->columns[i].name);
		if (*table->columns[i].unit)
			buf_printf(&name, " (%s)", table->columns[i].unit);
		fputs(i ? "," : "", out);
		csv_text(out, name.text);
	}
	for (size_t r = 0; r < table->row_count; r++)
		for (size_t i = 0; i < table->column_count; i++) {
			fputc(i ? ',' : '\n', out);
			csv_cell(out, table->rows[r].cells[i], table->columns[i].unit);
		}
	fputc('\n', out);
}

int report_print_csv(struct result *result, FILE *out, bool curves)
{
	struct summary *summary;
	int err = summary_read(result, &summary);

	if (err)
		return err;
	page_tables(summary, curves, csv_table, out);
	summary_free(summary);
	return 0;
}

static void json_cell(struct buf *out, const char *cell, const char *unit)
{
	_cleanup_buf_ struct buf number = BUF_INIT;

	if (is_unknown(cell))
		buf_puts(out, "null");
	else if (value_of(cell, unit, &number) && (number.text[0] != '0' || !isdigit((unsigned char)number.text[1])))
		buf_puts(out, number.text);
	else
		escape_json(out, cell);
}

static void json_table(void *context, const struct table *table)
{
	struct buf *out = context;

	buf_puts(out, out->text[out->size - 1] == '[' ? "\n    {\"title\": " : ",\n    {\"title\": ");
	escape_json(out, table->title);
	buf_puts(out, ", \"columns\": [");
	for (size_t i = 0; i < table->column_count; i++) {
		buf_puts(out, i ? ", {\"name\": " : "{\"name\": ");
		escape_json(out, table->columns[i].name);
		buf_puts(out, ", \"unit\": ");
		escape_json(out, table->columns[i].unit);
		buf_puts(out, "}");
	}
	buf_puts(out, "], \"rows\": [");
	for (size_t r = 0; r < table->row_count; r++) {
		buf_puts(out, r ? ", [" : "[");
		for (size_t i = 0; i < table->column_count; i++) {
			buf_puts(out, i ? ", " : "");
			json_cell(out, table->rows[r].cells[i], table->columns[i].unit);
		}
		buf_puts(out, "]");
	}
	buf_puts(out, "]}");
}

static void json_head(struct buf *out, const struct summary *summary)
{
	struct words words = words_about(summary);

	buf_puts(out, "{\n  \"target\": ");
	escape_json(out, summary->target);
	buf_printf(out, ",\n  \"modelled\": %s,\n  \"plan\": ", summary->modelled ? "true" : "false");
	escape_json(out, summary->plan);
	buf_puts(out, ",\n  \"seed\": ");
	escape_json(out, summary->seed);
	buf_printf(out, ",\n  \"scale\": %llu,\n  \"words\": [", (unsigned long long)summary->scale);
	for (size_t i = 0; i < words.count; i++) {
		buf_printf(out, "%s{\"good\": %s, \"text\": ", i ? ", " : "",
			   words.sentences[i].good ? "true" : "false");
		escape_json(out, words.sentences[i].text);
		buf_puts(out, "}");
	}
	words_clear(&words);
	buf_puts(out, "],\n  \"caveats\": [");
	for (size_t i = 0; i < summary->caveat_count; i++) {
		buf_puts(out, i ? ", " : "");
		escape_json(out, summary->caveats[i]);
	}
	buf_puts(out, "],\n  \"tables\": [");
}

int report_print_json(struct result *result, FILE *out, bool curves)
{
	_cleanup_buf_ struct buf text = BUF_INIT;
	struct summary *summary;
	int err = summary_read(result, &summary);

	if (err)
		return err;
	json_head(&text, summary);
	page_tables(summary, curves, json_table, &text);
	buf_puts(&text, "\n  ]\n}\n");
	fputs(text.text, out);
	summary_free(summary);
	return 0;
}
