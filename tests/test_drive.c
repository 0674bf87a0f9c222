#include "ssd/drive.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "doc.h"
#include "tap.h"

#define DRIVE "samsung-983-dct-1.92tb"

static struct drive *load(const char *name)
{
	struct drive *drive;

	if (drive_load(name, &drive))
		tap_fail("%s", fail_message());
	return drive;
}

/*
 * Tests do not depend on what the shipped file says today: values are found by their place
 * and replaced, geometry is set to a known one.
 */
static struct drive *load_known(void)
{
	struct drive *drive = load(DRIVE);

	drive->user_bytes = 1920383410176;
	drive->sector_bytes = 512;
	drive->channels = 8;
	drive->dies = 64;
	drive->planes = 2;
	drive->page_bytes = 16384;
	drive->pages_per_block = 768;
	drive->blocks_per_plane = 1365;
	drive->pages_per_program = 3;
	drive->erase_ns = 4000000;
	drive->link_lanes = 4;
	drive->buffer_bytes = 64 << 20;
	drive->reserve_millipercent = 3500;
	return drive;
}

/* Where `key` of `section` begins in a file; the line after its last one in *end. */
static const char *find_value(const char *text, const char *section, const char *key,
			      const char **end)
{
	_cleanup_free_ char *head = xasprintf("\n%s:\n", section);
	_cleanup_free_ char *line = xasprintf("\n  %s:", key);
	const char *from = strstr(text, head), *at = from ? strstr(from + strlen(head) - 1, line) : NULL;

	if (!at)
		tap_fail("the file has no %s.%s", section, key);
	at++;
	*end = strchr(at, '\n') + 1;
	while (strncmp(*end, "    ", 4) == 0)
		*end = strchr(*end, '\n') + 1;
	return at;
}

/* The shipped file with the lines of one value replaced. */
static char *edited(const char *section, const char *key, const char *lines)
{
	_cleanup_buf_ struct buf buf = BUF_INIT;
	struct drive *drive = load(DRIVE);
	const char *end, *at = find_value(drive->text, section, key, &end);

	buf_append(&buf, drive->text, (size_t)(at - drive->text));
	buf_puts(&buf, lines);
	buf_puts(&buf, end);
	drive_free(drive);
	return xstrdup(buf.text);
}

static unsigned line_of(const char *text, const char *what)
{
	const char *place = strstr(text, what);
	unsigned line = 1;

	if (!place)
		tap_fail("the text has no %s", what);
	for (const char *at = text; at < place; at++)
		line += *at == '\n';
	return line;
}

static void check_text_refused(const char *text, const char *sentence)
{
	struct drive *drive = NULL;

	check_equal(drive_parse("d.yaml", text, strlen(text), &drive), -EINVAL);
	if (strcmp(fail_message(), sentence))
		tap_fail("says: %s", fail_message());
	check(drive == NULL);
}

/* Refused with "d.yaml:LINE: SENTENCE", LINE being where `at` stands in the edited text. */
static void check_refused(const char *section, const char *key, const char *lines, const char *at,
			  const char *sentence)
{
	_cleanup_free_ char *text = edited(section, key, lines);
	_cleanup_free_ char *expected = xasprintf("d.yaml:%u: %s", line_of(text, at), sentence);

	check_text_refused(text, expected);
}

/* The same for nand.read, with only the flow mapping of its value given. */
static void check_read_refused(const char *value, const char *sentence)
{
	_cleanup_free_ char *line = xasprintf("  read: %s\n", value);

	check_refused("nand", "read", line, line, sentence);
}

static void check_impossible(const struct drive *drive, const char *sentence)
{
	check_equal(drive_check(drive), -EINVAL);
	if (strcmp(fail_message(), sentence))
		tap_fail("says: %s", fail_message());
}

TEST(every_shipped_drive_loads_and_explains_itself)
{
	char **names;
	size_t count;

	check_equal(data_list("drives", &names, &count), 0);
	check(count >= 5);
	for (size_t i = 0; i < count; i++) {
		struct drive *drive = load(names[i]);

		check(strcmp(drive->name, names[i]) == 0);
		check(strcmp(drive->class, "enterprise") == 0 || strcmp(drive->class, "client") == 0);
		check_equal(drive->scale, 1);
		for (size_t v = 0; v < DRIVE_VALUE_COUNT; v++) {
			if (!drive->origins[v].source)
				continue; /* left out: the drive does not have it */
			check(strlen(drive->origins[v].source) > 10);
			check(drive->origins[v].line > 1);
			/* What a value was fitted to has to be named. */
			if (drive->origins[v].mark == MARK_CALIBRATED)
				check(strstr(drive->origins[v].source, "iops"));
		}
		drive_free(drive);
	}
	data_list_free(names, count);
}

TEST(aliases_find_their_drive)
{
	static const char *const aliases[][2] = {
		{ "samsung-983-dct", "samsung-983-dct-1.92tb" },
		{ "983-dct", "samsung-983-dct-1.92tb" },
		{ "samsung-983-dct-1.92", "samsung-983-dct-1.92tb" },
		{ "samsung-xs1715", "samsung-xs1715-1.6tb" },
		{ "samsung-pm1735", "samsung-pm1735-3.2tb" },
		{ "samsung-990-evo", "samsung-990-evo-2tb" },
		{ "pm1733", "samsung-pm1733-3.84tb" },
		{ "pm9a3", "samsung-pm9a3-1.92tb" },
		{ "990-pro", "samsung-990-pro-2tb" },
		{ "970-evo-plus", "samsung-970-evo-plus-2tb" },
		{ "p3700", "intel-p3700-2tb" },
		{ "p4510", "intel-p4510-2tb" },
		{ "pblaze4", "memblaze-pblaze4-3.2tb" },
		{ "pblaze5", "memblaze-pblaze5-910-3.84tb" },
		{ "cm6", "kioxia-cm6-3.84tb" },
		{ "cd6", "kioxia-cd6-3.84tb" },
		{ "t500", "crucial-t500-2tb" },
		{ "sn580", "wd-sn580-1tb" },
	};

	for (size_t i = 0; i < sizeof(aliases) / sizeof(*aliases); i++) {
		struct drive *drive = load(aliases[i][0]);

		check(strcmp(drive->name, aliases[i][1]) == 0);
		check(drive->alias_count >= 1);
		drive_free(drive);
	}
}

/* `name` may stand for the drive at `index` of `names` alone: as its own name or alias. */
static void check_name_is_unique(const char *name, size_t index, char **names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct drive *other = load(names[i]);
		unsigned times = strcmp(other->name, name) == 0;

		for (size_t a = 0; a < other->alias_count; a++)
			times += strcmp(other->aliases[a], name) == 0;
		if (times != (i == index))
			tap_fail("'%s' of %s stands %u times in %s", name, names[index], times, names[i]);
		drive_free(other);
	}
}

TEST(a_name_or_alias_stands_for_one_drive)
{
	char **names;
	size_t count;

	check_equal(data_list("drives", &names, &count), 0);
	for (size_t i = 0; i < count; i++) {
		struct drive *drive = load(names[i]);

		check_name_is_unique(drive->name, i, names, count);
		check(drive->alias_count >= 1);
		for (size_t a = 0; a < drive->alias_count; a++)
			check_name_is_unique(drive->aliases[a], i, names, count);
		drive_free(drive);
	}
	data_list_free(names, count);
}

TEST(the_values_are_those_of_the_file)
{
	_cleanup_free_ char *text = edited("nand", "read",
		"  read:\n    value: 61.5us\n    mark: calibrated\n    source: x\n");
	struct drive *drive;

	check_equal(drive_parse("d.yaml", text, strlen(text), &drive), 0);
	check_equal(drive->read_ns, 61500);
	check_equal(drive->origins[DRIVE_VALUE_read_ns].mark, MARK_CALIBRATED);
	check(strcmp(drive->origins[DRIVE_VALUE_read_ns].source, "x") == 0);
	/* From the identify dump: not a matter of calibration. */
	check_equal(drive->user_bytes, 1920383410176);
	check_equal(drive->origins[DRIVE_VALUE_user_bytes].mark, MARK_SPEC);
	check_equal(drive->mdts_bytes, 2 << 20);
	check_equal(drive->buffer_kind, BUFFER_CAPACITOR);
	drive_free(drive);
	drive = load("samsung-990-evo");
	check_equal(drive->buffer_kind, BUFFER_VOLATILE);
	drive_free(drive);
	drive = load_known();
	check_equal(drive_superblock_bytes(drive), 64ull * 2 * 768 * 16384);
	check_equal(drive_raw_bytes(drive), 64ull * 2 * 768 * 16384 * 1365);
	drive_free(drive);
}

TEST(a_drive_can_be_parsed_again_from_its_text)
{
	struct drive *drive = load(DRIVE), *again;

	check_equal(drive_parse("saved", drive->text, strlen(drive->text), &again), 0);
	check(strcmp(drive->text, again->text) == 0);
	check_equal(again->user_bytes, drive->user_bytes);
	drive_free(drive);
	drive_free(again);
	drive_free(NULL);
}

#define FROM "mark: assumed, source: why}"

TEST(an_unknown_key_is_answered_with_line_and_suggestion)
{
	check_refused("nand", "read", "  tRead: {value: 60us, " FROM "\n", "tRead",
		      "unknown key 'tRead' in section 'nand' (did you mean 'read'?)");
	check_read_refused("{value: 60us, marked: assumed, source: why}",
			   "unknown key 'marked' in 'nand.read' (did you mean 'mark'?)");
	check_text_refused("name: x\nnnad: {}\n",
			   "d.yaml:2: unknown key 'nnad' at the top level (did you mean 'nand'?)");
	check_text_refused("name: x\ncolor: red\n",
			   "d.yaml:2: unknown key 'color' at the top level (known: name, model, class, "
			   "aliases, notes, capacity, geometry, nand, channel, controller, map, slc, "
			   "endurance, wear, power, thermal, "
			   "link, buffer, gc)");
}

TEST(a_missing_key_says_where_and_what_for)
{
	check_text_refused("name: x\nmodel: y\n", "d.yaml:1: missing key 'class' at the top level "
						  "(enterprise or client)");
	check_text_refused("name: x\nmodel: y\nclass: client\ncapacity:\n  user: {value: 1G, " FROM "\n",
			   "d.yaml:4: missing key 'sector' in section 'capacity' (logical block)");
	check_refused("nand", "suspends_max", "", "nand:\n",
		      "missing key 'suspends_max' in section 'nand' (suspensions of one program or "
		      "erase; 0: reads wait)");
	check_read_refused("{value: 60us, source: why}",
			   "missing key 'mark' in 'nand.read' (spec, calibrated or assumed)");
	check_read_refused("{value: 60us, mark: assumed}",
			   "missing key 'source' in 'nand.read' (where it comes from: a document, the "
			   "figures it was fitted to, or the reasoning)");
	check_read_refused("{" FROM, "missing key 'value' in 'nand.read' (tR: array to page register, "
				     "the mean of the pages of a word line)");
}

TEST(a_key_that_appears_twice_names_both_lines)
{
	check_text_refused("name: x\nnand:\n  read: 1\n  erase: 2\n  read: 3\n",
			   "d.yaml:5: key 'read' appears twice (first in line 3)");
}

TEST(a_value_must_be_understood_whole)
{
	check_read_refused("{value: 6x, " FROM,
			   "nand.read.value: '6x' is not a duration: its unit is unknown "
			   "(try: 60us, 5ms, 300s, 2m, 3h)");
	check_read_refused("{value: 60, " FROM,
			   "nand.read.value: '60' is not a duration: it has no unit "
			   "(try: 60us, 5ms, 300s, 2m, 3h)");
	check_read_refused("{value: -60us, " FROM,
			   "nand.read.value: '-60us' is not a duration: it is negative "
			   "(try: 60us, 5ms, 300s, 2m, 3h)");
	check_read_refused("{value: , " FROM, "nand.read.value: it has no value");
	check_read_refused("{value: [60us], " FROM,
			   "nand.read.value: a single value must stand here, not a list");
	check_read_refused("{value: 60us, mark: guessed, source: why}",
			   "nand.read.mark: 'guessed' is not one of: spec, calibrated, assumed");
	check_read_refused("60us",
			   "nand.read: a mapping (key: value) must stand here, not a single value");
	check_refused("buffer", "kind", "  kind: {value: paper, " FROM "\n", "  kind: {value: paper",
		      "buffer.kind.value: 'paper' is not one of: capacitor, volatile");
	check_text_refused("name: x\nmodel: y\nclass: fast\n",
			   "d.yaml:3: class: 'fast' is not one of: enterprise, client");
	check_text_refused("name: x\nmodel: y\nclass: client\ncapacity: [1]\n",
			   "d.yaml:4: capacity: a mapping (key: value) must stand here, not a list");
}

TEST(how_a_value_is_found_again_is_said_whole_and_of_calibrated_ones_alone)
{
	_cleanup_free_ char *text = edited("nand", "read",
		"  read: {value: 61.5us, mark: calibrated, source: x, fitted: [t s, d t s], prior: 50us, "
		"among: [50us, 61.5us]}\n");
	struct drive *drive;

	check_equal(drive_parse("d.yaml", text, strlen(text), &drive), 0);
	check_equal(drive->read_ns, 61500);
	drive_free(drive);
	check_read_refused("{value: 60us, fitted: [t s], prior: 1us, " FROM,
			   "nand.read.fitted: only of a value with mark: calibrated");
	check_read_refused("{value: 60us, prior: 1us, " FROM,
			   "nand.read.prior: only of a value with mark: calibrated");
#define FITTED "mark: calibrated, source: why}"
	check_read_refused("{value: 60us, prior: 1us, " FITTED,
			   "nand.read.prior: only beside 'fitted', the figures that the value was fitted to");
	check_read_refused("{value: 60us, fitted: [t s], " FITTED,
			   "nand.read.fitted: needs 'prior' beside it: the value one would assume without "
			   "these figures");
	check_read_refused("{value: 60us, fitted: [], prior: 1us, " FITTED,
			   "nand.read.fitted: a list of figures must stand here, each a test and a statistic");
	check_read_refused("{value: 60us, fitted: [t s], prior: 1, " FITTED,
			   "nand.read.prior: '1' is not a duration: it has no unit "
			   "(try: 60us, 5ms, 300s, 2m, 3h)");
	check_read_refused("{value: 60us, fitted: [t s], prior: 1us, among: [1us], " FITTED,
			   "nand.read.among: a list of two values or more must stand here");
#undef FITTED
}

TEST(an_impossible_value_is_refused_with_its_line)
{
	check_refused("geometry", "dies", "  dies: {value: 60, " FROM "\n", "  dies:",
		      "geometry.dies: 60 dies do not divide into 8 channels; 64 would");
	check_read_refused("{value: 2s, " FROM, "nand.read: 2 s is out of range (1 ns to 1 s)");
}

TEST(a_missing_file_is_one_sentence)
{
	struct drive *drive;

	check_equal(drive_load("./no-such.yaml", &drive), -EINVAL);
	check(strcmp(fail_message(), "./no-such.yaml: No such file or directory") == 0);
	check_equal(drive_load("samsung-893-dct", &drive), -EINVAL);
	check(strcmp(fail_message(), "no drive is called 'samsung-893-dct' "
				     "(did you mean 'samsung-983-dct'?)") == 0);
}

TEST(geometry_must_divide)
{
	struct drive *drive = load_known();

	drive->pages_per_block = 767;
	check_impossible(drive, "geometry.pages_per_block: 767 pages are not a multiple of the 3 of "
				"a program");
	drive->pages_per_block = 768;
	drive->sector_bytes = 1536;
	check_impossible(drive, "capacity.sector: 1536 is not a power of two");
	drive->sector_bytes = 4096;
	check_equal(drive_check(drive), 0);
	drive->link_lanes = 3;
	check_impossible(drive, "link.lanes: 3 lanes do not exist: 1, 2, 4, 8 or 16");
	drive->link_lanes = 4;
	drive->user_bytes += 512;
	check_impossible(drive, "capacity.user: 1920383410688 is not a multiple of 4096");
	drive_free(drive);
}

TEST(user_capacity_leaves_room_to_clean_in)
{
	struct drive *drive = load_known();
	/* 1365 superblocks less a reserve of 3.5 % (47, one of which cleaning has) and seven; a program is 96 KiB. */
	uint64_t most = (1365 - 46 - 7) * (drive_superblock_bytes(drive) - 2 * 96 * 1024);

	drive->user_bytes = most - most % UNIT_BYTES;
	check_equal(drive_check(drive), 0);
	drive->user_bytes += UNIT_BYTES;
	check_impossible(drive, "capacity.user: 2.113 TB are more than garbage collection can serve: "
				"besides the reserve, 7 superblocks and two programs of each are its "
				"own, which leaves 2.113 TB");
	drive_free(drive);
}

TEST(the_buffer_holds_at_least_one_program)
{
	struct drive *drive = load_known();

	drive->buffer_bytes = 2 * 3 * 16384;
	check_equal(drive_check(drive), 0);
	drive->buffer_bytes -= UNIT_BYTES;
	check_impossible(drive, "buffer.size: 92 KiB is less than one program of a die (96 KiB): "
				"nothing could ever leave it");
	drive_free(drive);
}

TEST(no_value_however_large_overflows_a_check)
{
	/* Every value at its extremes, one at a time: an answer, never a trap. */
	static const uint64_t extremes[] = { 0, 1, UINT32_MAX, 1ull << 50, UINT64_MAX };

	for (size_t e = 0; e < sizeof(extremes) / sizeof(*extremes); e++) {
		struct drive *drive = load_known();
#define EXTREME(section, key, field, type, help) \
		{ \
			uint64_t kept = drive->field; \
			drive->field = extremes[e]; \
			check(drive_check(drive) <= 0); \
			drive->field = kept; \
		}
		DRIVE_VALUES(EXTREME)
		check_equal(drive_check(drive), 0);
		drive_free(drive);
	}
}

/* Half a percent, as integers: is a/b within 0.5 % of c/d? */
static bool within_half_percent(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	unsigned __int128 left = (unsigned __int128)a * d, right = (unsigned __int128)c * b;
	unsigned __int128 apart = left > right ? left - right : right - left;

	return apart * 200 <= right;
}

TEST(scaling_keeps_the_ratios_of_every_drive)
{
	static const uint32_t scales[] = { 2, 3, 5, 7, 16, 32, 64, 100, 128, 256 };
	char **names;
	size_t count;

	check_equal(data_list("drives", &names, &count), 0);
	for (size_t i = 0; i < count; i++)
		for (size_t s = 0; s < sizeof(scales) / sizeof(*scales); s++) {
			struct drive *full = load(names[i]), *scaled = load(names[i]);

			/* Far beyond what a review needs a few large superblocks may be too few. */
			if (drive_scale(scaled, scales[s])) {
				check(scales[s] > 2 * drive_review_scale(full));
				drive_free(full);
				drive_free(scaled);
				continue;
			}
			check_equal(scaled->scale, scales[s]);
			check(scaled->blocks_per_plane >= 64);
			check(scaled->pages_per_block >= 8 * scaled->pages_per_program);
			check_equal(drive_check(scaled), 0);
			check(within_half_percent(drive_raw_bytes(scaled), scaled->user_bytes,
						  drive_raw_bytes(full), full->user_bytes));
			check(within_half_percent(scaled->user_bytes * scales[s], 2, full->user_bytes, 2) ||
			      scaled->blocks_per_plane < 200);
			/* Erasing a page's worth takes the time it took. */
			check(within_half_percent(scaled->erase_ns, scaled->pages_per_block,
						  full->erase_ns, full->pages_per_block));
			drive_free(full);
			drive_free(scaled);
		}
	data_list_free(names, count);
}

TEST(scaling_leaves_everything_else_alone)
{
	struct drive *full = load_known(), *scaled = load_known();

	check_equal(drive_scale(scaled, 64), 0);
	scaled->user_bytes = full->user_bytes;
	scaled->pages_per_block = full->pages_per_block;
	scaled->blocks_per_plane = full->blocks_per_plane;
	scaled->erase_ns = full->erase_ns;
	scaled->rated_bytes = full->rated_bytes;
	scaled->thermal_ns = full->thermal_ns;
	/* Of a block with fewer pages fewer are read, and each stands for more. */
	check_equal(scaled->reads_max, full->reads_max / 32 + 1);
	check_equal(scaled->errors_reads_ppb, full->errors_reads_ppb * 32);
	scaled->reads_max = full->reads_max;
	scaled->errors_reads_ppb = full->errors_reads_ppb;
#define SAME(section, key, field, type, help) check_equal(scaled->field, full->field);
	DRIVE_VALUES(SAME)
	drive_free(full);
	drive_free(scaled);
}

TEST(printed_values_are_read_back_as_they_were)
{
	char **names;
	size_t count;

	check_equal(data_list("drives", &names, &count), 0);
	for (size_t i = 0; i < count; i++) {
		struct drive *drive = load(names[i]), *again;
		_cleanup_free_ char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		fprintf(out, "name: again\nmodel: again\nclass: client\n");
		drive_print_values(drive, "printed", out);
		fclose(out);
		if (drive_parse("again.yaml", text, size, &again))
			tap_fail("%s", fail_message());
#define AGAIN(section, key, field, type, help) check_equal(again->field, drive->field);
		DRIVE_VALUES(AGAIN)
		drive_free(drive);
		drive_free(again);
	}
	data_list_free(names, count);
}

TEST(pages_are_divided_before_blocks)
{
	struct drive *drive = load_known();

	check_equal(drive_scale(drive, 32), 0); /* 256 programs to 8 */
	check_equal(drive->pages_per_block, 24);
	check_equal(drive->blocks_per_plane, 1365);
	check_equal(drive_scale(drive, 2), 0);
	check_equal(drive->pages_per_block, 24);
	check_equal(drive->blocks_per_plane, 683);
	check_equal(drive->scale, 64);
	drive_free(drive);
}

TEST(sixty_four_superblocks_are_enough_and_sixty_three_are_not)
{
	struct drive *drive = load_known();

	drive->pages_per_block = 24;
	drive->blocks_per_plane = 128;
	drive->user_bytes = 4096ull * 1000000; /* of 6.4 GB raw: the spare is not what limits */
	check_equal(drive_check(drive), 0);
	check_equal(drive_scale(drive, 2), 0);
	check_equal(drive->blocks_per_plane, 64);
	drive->scale = 1;
	drive->blocks_per_plane = 126;
	check_equal(drive_scale(drive, 2), -EINVAL);
	check(strcmp(fail_message(), "samsung-983-dct-1.92tb cannot be divided by 2: it would have 63 "
				     "superblocks, and GC needs 64 and its spare (the largest power of "
				     "two is 1)") == 0);
	check_equal(drive->blocks_per_plane, 126); /* untouched */
	check_equal(drive->scale, 1);
	drive_free(drive);
}

TEST(a_scale_that_eats_the_spare_is_refused)
{
	struct drive *drive = load_known();
	uint64_t most;

	/* All that is possible of 1365 superblocks; of 683 the six that GC needs are twice as much. */
	drive->pages_per_block = 24;
	most = (1365 - 46 - 7) * (drive_superblock_bytes(drive) - 2 * 96 * 1024);
	drive->user_bytes = most - most % UNIT_BYTES;
	check_equal(drive_check(drive), 0);
	check_equal(drive_scale(drive, 2), -EINVAL);
	drive_free(drive);
}

TEST(strange_scales_are_answered)
{
	struct drive *drive = load_known();

	check_equal(drive_scale(drive, 0), -EINVAL);
	check(strcmp(fail_message(), "a drive cannot be divided by 0") == 0);
	check_equal(drive_scale(drive, UINT32_MAX), -EINVAL);
	check(strstr(fail_message(), "(the largest power of two is 512)"));
	check_equal(drive_scale(drive, 1), 0);
	check_equal(drive->user_bytes, 1920383410176);
	check_equal(drive_scale(drive, 512), 0);
	drive_free(drive);
}

TEST(the_review_scale_leaves_at_most_32_gib)
{
	struct drive *drive = load_known();

	check_equal(drive_review_scale(drive), 64);
	drive->user_bytes = 32ull << 30;
	check_equal(drive_review_scale(drive), 1);
	drive->user_bytes += UNIT_BYTES;
	check_equal(drive_review_scale(drive), 2);
	drive_free(drive);
	drive = load("samsung-pm1735");
	check_equal(drive_review_scale(drive), 128);
	drive_free(drive);
}

TEST(the_review_scale_stops_where_scaling_does)
{
	struct drive *drive = load_known();

	drive->pages_per_block = 24;
	drive->page_bytes = 256 << 10;
	drive->blocks_per_plane = 256; /* 192 GiB raw, of which a quarter block count is left at 4 */
	drive->user_bytes = 160ull << 30;
	drive->buffer_bytes = 64 << 20;
	check_equal(drive_check(drive), 0);
	check_equal(drive_review_scale(drive), 4);
	check_equal(drive_scale(drive, 4), 0);
	check(drive->user_bytes > 32ull << 30);
	drive_free(drive);
}

TEST(the_page_of_the_format_has_every_value)
{
	_cleanup_free_ char *page = doc_page("drive-format.md");

#define DOCUMENTED(section, key, field, type, help) \
	if (!strstr(page, "| " #key " | " #type " | " help " |")) \
		tap_fail("doc/drive-format.md does not have %s.%s as it is", #section, #key);
	DRIVE_VALUES(DOCUMENTED)
}

int main(void)
{
	data_set_root(SOURCE_ROOT);
	return tap_run();
}
