/* The summary in words, each sentence a link to the chart that it is from. */
#include "report/html_parts.h"

#include <stdlib.h>
#include <string.h>

#include "report/escape.h"
#include "report/words.h"

static size_t group_index(const struct page *page, const char *name)
{
	size_t g = 0;

	while (strcmp(page->groups[g], name))
		g++;
	return g;
}

static void put_sentence(struct page *page, const struct sentence *sentence, const char *class)
{
	buf_printf(page->out, "<li class=\"%s\">", class);
	if (sentence->group)
		buf_printf(page->out, "<a href=\"#g-%zu\">", group_index(page, sentence->group));
	escape_html(page->out, sentence->text);
	buf_printf(page->out, "%s</li>\n", sentence->group ? "</a>" : "");
}

/* What is good, then what is bad, under a heading each. */
static void put_both(struct page *page, const struct words *words)
{
	static const char *const classes[] = { "bad", "good" };
	static const char *const headings[] = { "Bad at", "Good at" };

	buf_puts(page->out, "<div class=\"words\">\n");
	for (int good = 1; good >= 0; good--) {
		size_t found = 0;

		for (size_t i = 0; i < words->count; i++) {
			if (words->sentences[i].good != (bool)good)
				continue;
			if (!found++)
				buf_printf(page->out, "<div><h3>%s</h3><ul>\n", headings[good]);
			put_sentence(page, &words->sentences[i], classes[good]);
		}
		if (found)
			buf_puts(page->out, "</ul></div>\n");
	}
	buf_puts(page->out, "</div>\n");
}

static void put_one(struct page *page, const struct summary *summary)
{
	struct words words = words_about(summary);

	if (!words.count) {
		words_clear(&words);
		return;
	}
	if (page->count > 1) {
		buf_puts(page->out, "<details><summary>");
		escape_html(page->out, summary->label);
		buf_puts(page->out, ": what it is good and bad at</summary>\n");
	}
	put_both(page, &words);
	if (page->count > 1)
		buf_puts(page->out, "</details>\n");
	words_clear(&words);
}

static void put_beside(struct page *page)
{
	struct words words = words_beside(page->summaries, page->count);

	if (words.count)
		buf_puts(page->out, "<ul class=\"words\">\n");
	for (size_t i = 0; i < words.count; i++)
		put_sentence(page, &words.sentences[i], "good");
	if (words.count)
		buf_puts(page->out, "</ul>\n");
	words_clear(&words);
}

void put_words(struct page *page)
{
	buf_puts(page->out, "<section aria-labelledby=\"words\"><h2 id=\"words\">In words</h2>\n");
	if (page->count > 1)
		put_beside(page);
	for (size_t i = 0; i < page->count; i++)
		put_one(page, page->summaries[i]);
	buf_puts(page->out, "</section>\n");
}
