/* What was sent, in words. */
#include "report/summary_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/fail.h"
#include "base/units.h"

/*
 * "4k-random-write" as one writes it in a heading: "4K random write". Options of the command line
 * stay as they were typed: "4K random write:depth=8".
 */
char *workload_title(const char *workload)
{
	static const char *const capitals[] = { "sql", "vdi", "fc", "lc", "vsi", "oltp", "snia", "tpcc" };
	char *title = summary_copy(workload);
	size_t colon = strcspn(title, ":");
	char *options = title + (strcspn(title, "=") < colon ? 0 : colon);

	for (char *word = title; word < options;) {
		size_t length = strcspn(word, "-_ :");
		bool upper = isdigit((unsigned char)word[0]); /* 64k */

		for (size_t i = 0; i < sizeof(capitals) / sizeof(*capitals); i++)
			if (strlen(capitals[i]) == length && !strncmp(word, capitals[i], length))
				upper = true;
		for (size_t i = 0; i < length; i++)
			if (upper || (i == 0 && word == title))
				word[i] = (char)toupper((unsigned char)word[i]);
		word += length;
		if (word < options)
			*word++ = ' ';
	}
	return title;
}

/* "4 KiB", or "4 KiB to 1004 KiB in 9 sizes". */
static void put_sizes(struct buf *out, const struct size_mix *mix)
{
	char low_text[UNITS_BYTES], high_text[UNITS_BYTES];
	uint32_t low = UINT32_MAX, high = 0;

	for (size_t i = 0; i < mix->count; i++) {
		low = mix->shares[i].size_bytes < low ? mix->shares[i].size_bytes : low;
		high = mix->shares[i].size_bytes > high ? mix->shares[i].size_bytes : high;
	}
	if (mix->count == 1)
		buf_printf(out, "%s", format_size(low, low_text));
	else if (mix->count > 1)
		buf_printf(out, "%s to %s in %zu sizes", format_size(low, low_text),
			   format_size(high, high_text), mix->count);
}

static const char *pattern_words(const struct workload *workload)
{
	switch (workload->pattern) {
	case PATTERN_UNIFORM:
		return workload->random_percent == 0 ? "sequential runs" : "random";
	case PATTERN_SEQUENTIAL:
		return "sequential in each thread";
	case PATTERN_ZIPF:
		return "Zipf-distributed";
	case PATTERN_FILL:
		return "each place once";
	case PATTERN_TRACE:
		return "as recorded (sizes: the largest)";
	}
	abort();
}

void summary_add_workload(struct summary *summary, const struct workload *workload)
{
	struct workload_summary *line;
	struct buf sends = BUF_INIT;

	if (workload->read_percent > 0) {
		buf_printf(&sends, "%u %% reads of ", workload->read_percent);
		put_sizes(&sends, &workload->read_sizes);
	}
	if (workload->read_percent < 100) {
		buf_printf(&sends, "%s%u %% writes of ", sends.size ? ", " : "",
			   100 - workload->read_percent);
		put_sizes(&sends, &workload->write_sizes);
	}
	if (workload->trim_percent)
		buf_printf(&sends, " (%u %% of them trims)", workload->trim_percent);
	if (workload->zeroes_percent)
		buf_printf(&sends, " (%u %% of them write zeroes)", workload->zeroes_percent);
	if (workload->compress_percent)
		buf_printf(&sends, " (%u %% compressible)", workload->compress_percent);
	buf_printf(&sends, ", %s", pattern_words(workload));
	if (workload->pattern == PATTERN_ZIPF)
		buf_printf(&sends, " (theta %.3g)", workload->zipf_theta_milli / 1e3);
	if (workload->pattern != PATTERN_SEQUENTIAL && workload->random_percent > 0
	    && workload->random_percent < 100)
		buf_printf(&sends, " for %u %% of the requests, else onward", workload->random_percent);
	buf_printf(&sends, ", %u threads x %u, over %g %% of the drive", workload->threads,
		   workload->depth, (double)workload->span_millipercent / 1e3);
	summary->workloads = xrealloc(summary->workloads,
				      (summary->workload_count + 1) * sizeof(*summary->workloads));
	line = &summary->workloads[summary->workload_count++];
	*line = (struct workload_summary){ summary_copy(workload->name), summary_copy(workload->help),
					   summary_copy(workload->source), sends.text };
}
