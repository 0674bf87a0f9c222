#include "report/table.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "report/escape.h"

static char *format_text(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		abort();
	return text;
}

struct table *table_new(const char *title, ...)
{
	struct table *table = xcalloc(1, sizeof(*table));
	va_list args;

	va_start(args, title);
	table->title = format_text(title, args);
	va_end(args);
	return table;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	for (size_t r = 0; r < table->row_count; r++)
		for (size_t c = 0; c < table->column_count; c++)
			free(table->rows[r].cells[c]);
	for (size_t c = 0; c < table->column_count; c++) {
		free(table->columns[c].name);
		free(table->columns[c].unit);
	}
	free(table->rows);
	free(table->title);
	free(table->note);
	free(table);
}

void table_note(struct table *table, const char *format, ...)
{
	va_list args;

	free(table->note);
	va_start(args, format);
	table->note = format_text(format, args);
	va_end(args);
}

void table_column(struct table *table, const char *name, const char *unit, unsigned flags)
{
	assert(table->column_count < TABLE_COLUMNS);
	assert(table->row_count == 0);
	table->columns[table->column_count++] = (struct column){ xstrdup(name), xstrdup(unit), flags };
}

void table_row(struct table *table)
{
	assert(table->row_count == 0 || table->filled == table->column_count);
	table->rows = xrealloc(table->rows, (table->row_count + 1) * sizeof(*table->rows));
	table->rows[table->row_count++] = (struct row){ 0 };
	table->filled = 0;
}

void table_mark(struct table *table, const char *mark)
{
	assert(table->row_count > 0);
	table->rows[table->row_count - 1].mark = mark;
}

void table_cell(struct table *table, const char *format, ...)
{
	va_list args;

	assert(table->row_count > 0);
	assert(table->filled < table->column_count);
	va_start(args, format);
	table->rows[table->row_count - 1].cells[table->filled++] = format_text(format, args);
	va_end(args);
}

void number_put(struct buf *buf, double value)
{
	char digits[64];
	int decimals = value < 1 && value > -1 ? 3 : value < 10 && value > -10 ? 2
		: value < 100 && value > -100 ? 1 : 0;
	size_t length;

	if (value == 0)
		decimals = 0;
	snprintf(digits, sizeof(digits), "%.*f", decimals, value);
	length = strcspn(digits, ".");
	for (size_t i = 0; digits[i]; i++) {
		buf_append(buf, &digits[i], 1);
		if (digits[i] != '-' && i + 1 < length && (length - i - 1) % 3 == 0)
			buf_puts(buf, ",");
	}
}

void table_number(struct table *table, double value)
{
	_cleanup_buf_ struct buf text = BUF_INIT;

	number_put(&text, value);
	table_cell(table, "%s", text.text);
}

void latency_put(struct buf *buf, double ns)
{
	double us = ns / 1e3;

	/* As they would be rounded: 10,000 of the smaller are never shown. */
	if (us < 9999.5) {
		number_put(buf, us);
	} else if (us < 9999.5e3) {
		number_put(buf, us / 1e3);
		buf_puts(buf, "ms");
	} else {
		number_put(buf, us / 1e6);
		buf_puts(buf, "s");
	}
}

void table_latency(struct table *table, double ns)
{
	_cleanup_buf_ struct buf text = BUF_INIT;

	latency_put(&text, ns);
	table_cell(table, "%s", text.text);
}

/* Terminal: the width that each column needs. */
static void measure(const struct table *table, size_t width[TABLE_COLUMNS])
{
	for (size_t c = 0; c < table->column_count; c++) {
		size_t unit = text_width(table->columns[c].unit);

		width[c] = text_width(table->columns[c].name);
		if (unit > width[c])
			width[c] = unit;
		for (size_t r = 0; r < table->row_count; r++) {
			size_t cell = text_width(table->rows[r].cells[c]);

			if (cell > width[c])
				width[c] = cell;
		}
	}
}

/* Which columns fit: the wide ones go first, from the right. */
static void choose(const struct table *table, const size_t width[TABLE_COLUMNS], size_t columns,
		   bool shown[TABLE_COLUMNS])
{
	size_t total = 0;

	for (size_t c = 0; c < table->column_count; c++) {
		shown[c] = true;
		total += width[c] + (c ? 2 : 0);
	}
	for (size_t c = table->column_count; c-- > 0 && total > columns;) {
		if (!(table->columns[c].flags & COLUMN_WIDE))
			continue;
		shown[c] = false;
		total -= width[c] + 2;
	}
}

static void pad(struct buf *line, size_t count)
{
	while (count--)
		buf_puts(line, " ");
}

static void print_line(const struct table *table, const size_t width[TABLE_COLUMNS],
		       const bool shown[TABLE_COLUMNS], const char *const cells[TABLE_COLUMNS],
		       FILE *out)
{
	_cleanup_buf_ struct buf line = BUF_INIT;

	for (size_t c = 0; c < table->column_count; c++) {
		size_t spare = width[c] - text_width(cells[c]);

		if (!shown[c])
			continue;
		if (c)
			buf_puts(&line, "  ");
		if (c && !(table->columns[c].flags & COLUMN_TEXT))
			pad(&line, spare);
		escape_terminal(&line, cells[c]);
		if (!c || table->columns[c].flags & COLUMN_TEXT)
			pad(&line, spare);
	}
	while (line.size && line.text[line.size - 1] == ' ')
		line.text[--line.size] = '\0';
	fprintf(out, "%s\n", line.size ? line.text : "");
}

void text_wrap(const char *text, FILE *out, unsigned columns, const char *first, const char *next)
{
	_cleanup_buf_ struct buf clean = BUF_INIT;
	size_t used = text_width(first);
	bool begun = false;

	escape_terminal(&clean, text);
	fprintf(out, "%s", first);
	for (char *word = clean.text; word && *word;) {
		size_t length = strcspn(word, " ");
		size_t width;
		char after;

		while (word[length] == ' ' && word[length + 1] == '%') /* a number and its sign */
			length += 1 + strcspn(word + length + 1, " ");
		after = word[length];

		word[length] = '\0';
		width = text_width(word);
		if (begun && used + 1 + width > columns) {
			fprintf(out, "\n%s", next);
			used = text_width(next);
			begun = false;
		}
		fprintf(out, "%s%s", begun ? " " : "", word);
		used += width + begun;
		begun = true;
		word += length + (after != '\0');
	}
	fprintf(out, "\n");
}

void table_print(const struct table *table, FILE *out, unsigned columns)
{
	size_t width[TABLE_COLUMNS];
	bool shown[TABLE_COLUMNS];
	const char *cells[TABLE_COLUMNS];
	bool units = false;

	measure(table, width);
	choose(table, width, columns, shown);
	fprintf(out, "%s\n\n", table->title);
	for (size_t c = 0; c < table->column_count; c++)
		cells[c] = table->columns[c].name;
	print_line(table, width, shown, cells, out);
	for (size_t c = 0; c < table->column_count; c++) {
		cells[c] = table->columns[c].unit;
		units |= shown[c] && *cells[c];
	}
	if (units)
		print_line(table, width, shown, cells, out);
	for (size_t r = 0; r < table->row_count; r++) {
		for (size_t c = 0; c < table->column_count; c++)
			cells[c] = table->rows[r].cells[c];
		print_line(table, width, shown, cells, out);
	}
	if (table->note)
		text_wrap(table->note, out, columns, "", "");
	fprintf(out, "\n");
}

static void html_head(const struct table *table, struct buf *out)
{
	buf_puts(out, "<thead><tr>");
	for (size_t c = table->grouped; c < table->column_count; c++) {
		const struct column *column = &table->columns[c];

		buf_printf(out, "<th scope=\"col\"%s>",
			   column->flags & COLUMN_TEXT ? " class=\"t\"" : "");
		escape_html(out, column->name);
		if (*column->unit) {
			buf_puts(out, " <span class=\"unit\">");
			escape_html(out, strcmp(column->unit, "us") ? column->unit : "\302\265s");
			buf_puts(out, "</span>");
		}
		buf_puts(out, "</th>");
	}
	buf_puts(out, "</tr></thead>\n");
}

static void html_row(const struct table *table, const struct row *row, struct buf *out)
{
	buf_puts(out, "<tr");
	if (row->mark)
		buf_printf(out, " class=\"%s\"", row->mark);
	buf_puts(out, ">");
	for (size_t c = table->grouped; c < table->column_count; c++) {
		bool name = c == table->grouped;

		buf_puts(out, name ? "<th scope=\"row\"" : "<td");
		buf_puts(out, table->columns[c].flags & COLUMN_TEXT ? " class=\"t\">" : ">");
		escape_html(out, row->cells[c]);
		buf_puts(out, name ? "</th>" : "</td>");
	}
	buf_puts(out, "</tr>\n");
}

static void html_body(const struct table *table, struct buf *out)
{
	const char *group = NULL;

	for (size_t r = 0; r < table->row_count; r++) {
		const struct row *row = &table->rows[r];

		if (table->grouped && (!group || strcmp(group, row->cells[0]))) {
			group = row->cells[0];
			buf_printf(out, "%s<tbody>\n<tr class=\"group\"><th class=\"t\" scope=\"rowgroup\" "
				   "colspan=\"%zu\"><span>", r ? "</tbody>" : "",
				   table->column_count - 1);
			escape_html(out, group);
			buf_puts(out, "</span></th></tr>\n");
		} else if (r == 0) {
			buf_puts(out, "<tbody>\n");
		}
		html_row(table, row, out);
	}
	if (table->row_count)
		buf_puts(out, "</tbody>");
}

void table_html(const struct table *table, struct buf *out)
{
	buf_puts(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
	escape_html(out, table->title);
	buf_puts(out, "\"><table><caption>");
	escape_html(out, table->title);
	buf_puts(out, "</caption>\n");
	html_head(table, out);
	html_body(table, out);
	buf_puts(out, "</table></div>\n");
	if (table->note) {
		buf_puts(out, "<p class=\"note\">");
		escape_html(out, table->note);
		buf_puts(out, "</p>\n");
	}
}
