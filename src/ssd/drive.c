#include "ssd/drive.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "base/units.h"
#include "base/yaml.h"

static const char *const class_words[] = { "enterprise", "client", NULL };
static const char *const buffer_kind_words[] = { "capacitor", "volatile", NULL };
static const char *const gc_policy_words[] = { "greedy", "fifo", "sampled", "cost-benefit",
						       NULL };
static const char *const gc_streams_words[] = { "shared", "separate", NULL };
static const char *const plane_reads_words[] = { "together", "apart", NULL };
static const char *const nand_cache_words[] = { "none", "read", "program", "both", NULL };
static const char *const slc_full_words[] = { "direct", "fold", NULL };

_Static_assert(BUFFER_CAPACITOR == 0 && BUFFER_VOLATILE == 1, "buffer_kind_words");
_Static_assert(GC_GREEDY == 0 && GC_FIFO == 1 && GC_COST_BENEFIT == 3, "gc_policy_words");
_Static_assert(GC_STREAMS_SHARED == 0 && GC_STREAMS_SEPARATE == 1, "gc_streams_words");
_Static_assert(SLC_FULL_DIRECT == 0 && SLC_FULL_FOLD == 1, "slc_full_words");
_Static_assert(PLANES_TOGETHER == 0 && PLANES_APART == 1, "plane_reads_words");
_Static_assert(NAND_CACHE_READ == 1 && NAND_CACHE_PROGRAM == 2 && NAND_CACHE_BOTH == 3, "nand_cache_words");
_Static_assert(MARK_SPEC == 0 && MARK_CALIBRATED == 1 && MARK_ASSUMED == 2, "yml_marks");

static const char *const *words_of(enum drive_value value)
{
	if (value == DRIVE_VALUE_buffer_kind)
		return buffer_kind_words;
	if (value == DRIVE_VALUE_gc_policy)
		return gc_policy_words;
	if (value == DRIVE_VALUE_gc_streams)
		return gc_streams_words;
	if (value == DRIVE_VALUE_plane_reads)
		return plane_reads_words;
	if (value == DRIVE_VALUE_nand_cache)
		return nand_cache_words;
	if (value == DRIVE_VALUE_slc_full)
		return slc_full_words;
	return NULL;
}

/* DRIVE_VALUES as a table, in the order of enum drive_value. */
struct row {
	const char *section, *key, *help;
	size_t offset;
	int (*read)(const struct yml *, const struct yml_node *, const struct yml_key *, void *);
	const char *(*format)(uint64_t value, char out[static UNITS_BYTES]);
};

#define format_word format_count
#define ROW(section, key, field, type, help) \
	{ #section, #key, help, offsetof(struct drive, field), yml_read_##type, format_##type },
static const struct row rows[] = { DRIVE_VALUES(ROW) };
#undef ROW
#undef format_word

static int read_value(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to)
{
	const struct row *row = key->context;
	enum drive_value value = (enum drive_value)(row - rows);
	const struct yml_key number = { .read = row->read, .help = row->help,
					 .words = words_of(value) };
	struct drive *drive = to;
	struct drive_origin *origin = &drive->origins[value];
	struct yml_marked marked;
	int err = yml_read_marked(yaml, node, &number, &marked);

	if (err)
		return err;
	*(uint64_t *)((char *)drive + row->offset) = marked.value;
	origin->mark = (enum drive_mark)marked.mark;
	origin->source = marked.source;
	origin->line = node->key_line;
	return 0;
}

/* A drive can be without it. Of a section that can, all keys stand there or none. */
static bool may_be_absent(enum drive_value value)
{
	return value == DRIVE_VALUE_read_spread_millipercent || value == DRIVE_VALUE_plane_reads ||
	       value == DRIVE_VALUE_nand_cache || value == DRIVE_VALUE_gc_burst ||
	       value == DRIVE_VALUE_gc_idle_ns || value == DRIVE_VALUE_idle_free_millipercent;
}

/* All keys of one section. */
static int read_section(const struct yml *yaml, const struct yml_node *node,
			const struct yml_key *key, void *to)
{
	struct yml_key keys[DRIVE_VALUE_COUNT + 1] = { { NULL } };
	size_t count = 0;

	for (size_t i = 0; i < DRIVE_VALUE_COUNT; i++)
		if (strcmp(rows[i].section, key->name) == 0)
			keys[count++] = (struct yml_key){ rows[i].key, read_value,
							   .required = !may_be_absent((enum drive_value)i),
							   .help = rows[i].help, .context = &rows[i] };
	return yml_read_map(yaml, node, keys, to);
}

static int read_aliases(const struct yml *yaml, const struct yml_node *node,
			const struct yml_key *key, void *to)
{
	struct drive *drive = to;
	struct yml_strings aliases = { NULL, 0 };
	int err = yml_read_strings(yaml, node, key, &aliases);

	drive->aliases = aliases.texts;
	drive->alias_count = aliases.count;
	return err;
}

static int read_class(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to)
{
	struct drive *drive = to;
	uint64_t index;
	int err = yml_read_word(yaml, node, key, &index);

	if (!err)
		drive->class = xstrdup(class_words[index]);
	return err;
}

static const struct yml_key file_keys[] = {
	{ "name", yml_read_string, offsetof(struct drive, name), true, "the name of this file" },
	{ "model", yml_read_string, offsetof(struct drive, model), true,
	  "maker, model and capacity as people know them" },
	{ "class", read_class, 0, true, "enterprise or client", 0, 0, class_words },
	{ "aliases", read_aliases, 0, false, "other names" },
	{ "notes", yml_read_string, offsetof(struct drive, notes), false, "what to know about it" },
	{ "capacity", read_section, 0, true, "what the host sees" },
	{ "geometry", read_section, 0, true, "the NAND's dimensions" },
	{ "nand", read_section, 0, true, "times of the array" },
	{ "channel", read_section, 0, true, "the bus between controller and dies" },
	{ "controller", read_section, 0, true, "costs and limits of the controller" },
	{ "map", read_section, 0, false, "where the map is, when not in DRAM" },
	{ "slc", read_section, 0, false, "blocks written one bit a cell, as a cache" },
	{ "endurance", read_section, 0, false, "how much it may be written" },
	{ "wear", read_section, 0, false, "what erases, time and reads do to the flash" },
	{ "power", read_section, 0, false, "what it draws" },
	{ "thermal", read_section, 0, false, "how warm it gets" },
	{ "link", read_section, 0, true, "PCIe" },
	{ "buffer", read_section, 0, true, "where writes wait" },
	{ "gc", read_section, 0, true, "garbage collection" },
	{ NULL },
};

/* Each section of DRIVE_VALUES is a key above: asked once, since the list may grow. */
static void assert_sections(void)
{
	for (size_t i = 0; i < DRIVE_VALUE_COUNT; i++) {
		size_t k = 0;

		while (file_keys[k].name && strcmp(file_keys[k].name, rows[i].section) != 0)
			k++;
		assert(file_keys[k].name);
	}
}

/* Why a drive is not possible, and which value to change. */
struct verdict {
	enum drive_value value;
	char sentence[400];
};

__attribute__((format(printf, 3, 4))) static int refuse(struct verdict *verdict,
							enum drive_value value,
							const char *format, ...)
{
	va_list args;

	verdict->value = value;
	va_start(args, format);
	vsnprintf(verdict->sentence, sizeof(verdict->sentence), format, args);
	va_end(args);
	return -EINVAL;
}

/* What a value can be by itself. These bounds also keep all later arithmetic in 64 bits. */
struct bound {
	enum drive_value value;
	uint64_t min, max, multiple;
};

#define S_NS 1000000000ull

static const struct bound bounds[] = {
	{ DRIVE_VALUE_user_bytes, 1 << 20, 1ull << 50, UNIT_BYTES },
	{ DRIVE_VALUE_sector_bytes, 512, UNIT_BYTES, 512 },
	{ DRIVE_VALUE_channels, 1, 256, 1 },
	{ DRIVE_VALUE_dies, 1, 65536, 1 },
	{ DRIVE_VALUE_planes, 1, 16, 1 },
	{ DRIVE_VALUE_page_bytes, UNIT_BYTES, 1 << 18, UNIT_BYTES },
	{ DRIVE_VALUE_pages_per_block, 1, 65536, 1 },
	{ DRIVE_VALUE_blocks_per_plane, 4, 1 << 20, 1 },
	{ DRIVE_VALUE_pages_per_program, 1, 16, 1 },
	{ DRIVE_VALUE_read_ns, 1, S_NS, 1 },
	{ DRIVE_VALUE_read_spread_millipercent, 0, 90000, 1 },
	{ DRIVE_VALUE_program_ns, 1, S_NS, 1 },
	{ DRIVE_VALUE_erase_ns, 1, S_NS, 1 },
	{ DRIVE_VALUE_suspend_ns, 0, S_NS, 1 },
	{ DRIVE_VALUE_resume_ns, 0, S_NS, 1 },
	{ DRIVE_VALUE_suspends_max, 0, 1000, 1 },
	{ DRIVE_VALUE_channel_bytes_per_s, 1000000, 1000000000000, 1 },
	{ DRIVE_VALUE_channel_command_ns, 0, S_NS, 1 },
	{ DRIVE_VALUE_read_command_ns, 0, S_NS, 1 },
	{ DRIVE_VALUE_read_access_ns, 0, S_NS, 1 },
	{ DRIVE_VALUE_read_latency_ns, 0, S_NS, 1 },
	{ DRIVE_VALUE_write_command_ns, 0, S_NS, 1 },
	{ DRIVE_VALUE_write_bytes_per_s, 1000000, 1000000000000, 1 },
	{ DRIVE_VALUE_write_latency_ns, 0, S_NS, 1 },
	{ DRIVE_VALUE_copy_unit_ns, 0, S_NS, 1 },
	{ DRIVE_VALUE_mdts_bytes, UNIT_BYTES, 1 << 30, UNIT_BYTES },
	{ DRIVE_VALUE_map_cache_bytes, 0, 1ull << 40, 1 },
	{ DRIVE_VALUE_map_hmb_bytes, 0, 1ull << 40, 1 },
	{ DRIVE_VALUE_map_page_bytes, 0, 1 << 18, UNIT_BYTES },
	{ DRIVE_VALUE_map_read_ns, 0, S_NS, 1 },
	{ DRIVE_VALUE_map_miss_ns, 0, S_NS, 1 },
	{ DRIVE_VALUE_slc_static_bytes, 0, 1ull << 50, 1 },
	{ DRIVE_VALUE_slc_dynamic_bytes, 0, 1ull << 50, 1 },
	{ DRIVE_VALUE_slc_program_ns, 0, S_NS, 1 },
	{ DRIVE_VALUE_slc_read_ns, 0, S_NS, 1 },
	{ DRIVE_VALUE_slc_idle_ns, 0, 3600 * S_NS, 1 },
	{ DRIVE_VALUE_endurance_cycles, 0, 10000000, 1 },
	{ DRIVE_VALUE_rated_bytes, 0, 1ull << 60, 1 },
	{ DRIVE_VALUE_factory_bad_millipercent, 0, 50000, 1 },
	{ DRIVE_VALUE_survive_erases, 0, 10000000, 1 },
	{ DRIVE_VALUE_leveling_erases, 0, 10000000, 1 },
	{ DRIVE_VALUE_errors_ppb, 0, 100000000, 1 },
	{ DRIVE_VALUE_errors_worn_ppb, 0, 100000000, 1 },
	{ DRIVE_VALUE_errors_time_ppb, 0, 100000000, 1 },
	{ DRIVE_VALUE_errors_reads_ppb, 0, 100000000, 1 },
	{ DRIVE_VALUE_correctable_ppb, 0, 100000000, 1 },
	{ DRIVE_VALUE_retries_max, 0, 100, 1 },
	{ DRIVE_VALUE_retry_leaves_millipercent, 0, 100000, 1 },
	{ DRIVE_VALUE_reads_max, 0, 1ull << 40, 1 },
	{ DRIVE_VALUE_idle_mw, 0, 100000, 1 },
	{ DRIVE_VALUE_die_mw, 0, 100000, 1 },
	{ DRIVE_VALUE_transfer_mw, 0, 100000, 1 },
	{ DRIVE_VALUE_sleep_mw, 0, 100000, 1 },
	{ DRIVE_VALUE_sleep_after_ns, 0, 3600 * S_NS, 1 },
	{ DRIVE_VALUE_wake_ns, 0, S_NS, 1 },
	{ DRIVE_VALUE_rise_millikelvin_per_w, 0, 1000000, 1 },
	{ DRIVE_VALUE_thermal_ns, 0, 100000 * S_NS, 1 },
	{ DRIVE_VALUE_throttle_celsius, 0, 200, 1 },
	{ DRIVE_VALUE_throttle_millipercent, 0, 100000, 1 },
	{ DRIVE_VALUE_link_generation, 1, 6, 1 },
	{ DRIVE_VALUE_link_lanes, 1, 16, 1 },
	{ DRIVE_VALUE_link_payload_millipercent, 1000, 100000, 1 },
	{ DRIVE_VALUE_buffer_bytes, UNIT_BYTES, 1ull << 38, UNIT_BYTES },
	{ DRIVE_VALUE_gc_choices, 1, 65536, 1 },
	{ DRIVE_VALUE_gc_burst, 0, 65536, 1 },
	{ DRIVE_VALUE_gc_idle_ns, 0, 3600 * S_NS, 1 },
	{ DRIVE_VALUE_idle_free_millipercent, 0, 50000, 1 },
	{ DRIVE_VALUE_reserve_millipercent, 0, 50000, 1 },
};

static uint64_t value_of(const struct drive *drive, enum drive_value value)
{
	return *(const uint64_t *)((const char *)drive + rows[value].offset);
}

static int check_bounds(const struct drive *drive, struct verdict *verdict)
{
	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
		const struct bound *bound = &bounds[i];
		const struct row *row = &rows[bound->value];
		uint64_t value = value_of(drive, bound->value);
		char is[UNITS_BYTES], low[UNITS_BYTES], high[UNITS_BYTES];

		if (value < bound->min || value > bound->max)
			return refuse(verdict, bound->value, "%s is out of range (%s to %s)",
				      row->format(value, is), row->format(bound->min, low),
				      row->format(bound->max, high));
		if (value % bound->multiple)
			return refuse(verdict, bound->value, "%llu is not a multiple of %llu",
				      (unsigned long long)value, (unsigned long long)bound->multiple);
	}
	return 0;
}

static int check_geometry(const struct drive *drive, struct verdict *verdict)
{
	if (drive->sector_bytes & (drive->sector_bytes - 1))
		return refuse(verdict, DRIVE_VALUE_sector_bytes, "%llu is not a power of two",
			      (unsigned long long)drive->sector_bytes);
	if (drive->dies % drive->channels)
		return refuse(verdict, DRIVE_VALUE_dies,
			      "%llu dies do not divide into %llu channels; %llu would",
			      (unsigned long long)drive->dies, (unsigned long long)drive->channels,
			      (unsigned long long)((drive->dies / drive->channels + 1) *
						   drive->channels));
	if (drive->pages_per_block % drive->pages_per_program)
		return refuse(verdict, DRIVE_VALUE_pages_per_block,
			      "%llu pages are not a multiple of the %llu of a program",
			      (unsigned long long)drive->pages_per_block,
			      (unsigned long long)drive->pages_per_program);
	if (drive->link_lanes & (drive->link_lanes - 1))
		return refuse(verdict, DRIVE_VALUE_link_lanes,
			      "%llu lanes do not exist: 1, 2, 4, 8 or 16",
			      (unsigned long long)drive->link_lanes);
	return 0;
}

/* What gc.c keeps free or has under way: low water, half a superblock of range, open ones. */
enum { CLEANING_SUPERBLOCKS = 6 };

static int check_slc(const struct drive *drive, struct verdict *verdict)
{
	bool has_cache = drive->slc_static_bytes || drive->slc_dynamic_bytes;

	if (has_cache && (!drive->slc_program_ns || !drive->slc_read_ns))
		return refuse(verdict,
			      drive->slc_read_ns ? DRIVE_VALUE_slc_program_ns : DRIVE_VALUE_slc_read_ns,
			      "a cache needs a time above 0");
	if (has_cache && drive->pages_per_program < 2)
		return refuse(verdict, DRIVE_VALUE_pages_per_program,
			      "one bit a cell already: a cache needs at least 2");
	return 0;
}

enum { MAP_SLOTS_MIN = 8 };

/* Units whose entries fill a page of the map. */
static uint64_t map_page_entries(const struct drive *drive)
{
	return drive->map_page_bytes / MAP_ENTRY_BYTES;
}

uint64_t drive_map_page_units(const struct drive *drive)
{
	uint64_t units = map_page_entries(drive) / (drive->scale ? drive->scale : 1), power = 16;

	while (power * 2 <= units)
		power *= 2;
	return power;
}

uint64_t drive_map_pages(const struct drive *drive)
{
	uint64_t entries = map_page_entries(drive), units = drive->user_bytes / UNIT_BYTES;

	return drive->map_cache_bytes ? (units + entries - 1) / entries : 0;
}

uint64_t drive_map_slots(const struct drive *drive)
{
	uint64_t units = drive_map_page_units(drive), parts = drive->user_bytes / UNIT_BYTES / units + 1;
	uint64_t slots = (drive->map_cache_bytes + drive->map_hmb_bytes) / (units * MAP_ENTRY_BYTES);

	if (slots < MAP_SLOTS_MIN)
		slots = MAP_SLOTS_MIN;
	return slots < parts ? slots : parts;
}

uint64_t drive_map_reserve_units(const struct drive *drive)
{
	return drive->map_cache_bytes ?
		       drive_map_slots(drive) * (drive->map_page_bytes / UNIT_BYTES) : 0;
}

uint64_t drive_held_units(const struct drive *drive)
{
	uint64_t units = drive->buffer_bytes / UNIT_BYTES;

	if (drive->buffer_kind != BUFFER_VOLATILE)
		return 0;
	return drive->map_cache_bytes ? units * (1 + drive->map_page_bytes / UNIT_BYTES) : units;
}

uint64_t drive_slc_superblocks(const struct drive *drive, uint64_t cache_bytes)
{
	uint64_t bytes = drive_superblock_bytes(drive) / drive->pages_per_program;

	return (cache_bytes + bytes - 1) / bytes;
}

static int check_map(const struct drive *drive, struct verdict *verdict)
{
	if (drive->map_cache_bytes && !drive->map_page_bytes)
		return refuse(verdict, DRIVE_VALUE_map_page_bytes, "a map in the flash has pages");
	if (drive->map_page_bytes > drive->page_bytes)
		return refuse(verdict, DRIVE_VALUE_map_page_bytes,
			      "one sense reads no more than a page of the flash");
	return 0;
}

static int check_wear(const struct drive *drive, struct verdict *verdict)
{
	if (!drive_wears(drive))
		return 0;
	if (!drive->endurance_cycles)
		return refuse(verdict, DRIVE_VALUE_endurance_cycles,
			      "wear is counted in the erases that a block is good for: more than 0");
	if (!drive->survive_erases)
		return refuse(verdict, DRIVE_VALUE_survive_erases, "a block survives one at least");
	if (drive->factory_bad_millipercent > drive->reserve_millipercent)
		return refuse(verdict, DRIVE_VALUE_factory_bad_millipercent,
			      "bad blocks are out of gc.reserve, which is smaller");
	return 0;
}

static int check_thermal(const struct drive *drive, struct verdict *verdict)
{
	if (drive->throttle_celsius && !drive_draws(drive))
		return refuse(verdict, DRIVE_VALUE_throttle_celsius,
			      "what it draws (power.idle) is not known, and so not how warm it gets");
	if (drive->throttle_celsius && drive->throttle_millipercent < 1000)
		return refuse(verdict, DRIVE_VALUE_throttle_millipercent,
			      "a throttled drive has a hundredth of its speed at least");
	return 0;
}

/* What cleaning keeps for itself. */
static uint64_t own_superblocks(const struct drive *drive)
{
	uint64_t superblock = drive_superblock_bytes(drive);
	uint64_t mine = CLEANING_SUPERBLOCKS + drive_slc_superblocks(drive, drive->slc_static_bytes);

	if (drive->buffer_kind == BUFFER_VOLATILE)
		mine += drive_held_units(drive) * UNIT_BYTES / superblock + 1;
	if (drive->map_cache_bytes)
		mine += drive_map_reserve_units(drive) * UNIT_BYTES / superblock + 1;
	return mine + drive_wears(drive);
}

static uint64_t program_bytes(const struct drive *drive)
{
	return drive->planes * drive->page_bytes * drive->pages_per_program;
}

/* What a superblock is sure to hold when programs may have been padded. */
static uint64_t sure_bytes(const struct drive *drive)
{
	uint64_t superblock = drive_superblock_bytes(drive), program = program_bytes(drive);

	return superblock > 2 * program ? superblock - 2 * program : 0;
}

static uint64_t stored_bytes(const struct drive *drive)
{
	return drive->user_bytes + drive_map_pages(drive) * drive->map_page_bytes;
}

uint64_t drive_superblocks_least(const struct drive *drive)
{
	uint64_t sure = sure_bytes(drive);

	return sure ? (stored_bytes(drive) + sure - 1) / sure + own_superblocks(drive) :
		      drive->blocks_per_plane;
}

uint64_t drive_superblocks_usable(const struct drive *drive)
{
	uint64_t reserve = drive->blocks_per_plane * drive->reserve_millipercent / 100000;

	if (drive_wears(drive) && reserve)
		reserve--;
	return drive->blocks_per_plane - reserve;
}

static int check_capacity(const struct drive *drive, struct verdict *verdict)
{
	uint64_t superblock = drive_superblock_bytes(drive), program = program_bytes(drive);
	unsigned __int128 raw = (unsigned __int128)superblock * drive->blocks_per_plane;
	uint64_t stored = stored_bytes(drive), closed, most, mine;
	char user[UNITS_BYTES], need[UNITS_BYTES], have[UNITS_BYTES];

	if (raw > 1ull << 51)
		return refuse(verdict, DRIVE_VALUE_blocks_per_plane,
			      "the geometry makes more than 2 PiB of raw capacity");
	closed = drive_superblocks_usable(drive);
	mine = own_superblocks(drive);
	closed = closed > mine ? closed - mine : 0;
	most = closed * sure_bytes(drive);
	if (stored > most)
		return refuse(verdict, DRIVE_VALUE_user_bytes,
			      "%s are more than garbage collection can serve: besides the reserve, "
			      "%u superblocks and two programs of each are its own, which leaves %s",
			      format_size(stored, user), (unsigned)mine, format_size(most, have));
	if (raw / UNIT_BYTES > MAP_PLACES_MAX)
		return refuse(verdict, DRIVE_VALUE_blocks_per_plane,
			      "the geometry makes more than 15 TiB of raw capacity, which the map of "
			      "32-bit entries cannot address");
	if (drive->buffer_bytes < program)
		return refuse(verdict, DRIVE_VALUE_buffer_bytes,
			      "%s is less than one program of a die (%s): nothing could ever leave it",
			      format_size(drive->buffer_bytes, have), format_size(program, need));
	return 0;
}

static int check(const struct drive *drive, struct verdict *verdict)
{
	int err = check_bounds(drive, verdict);

	if (!err)
		err = check_geometry(drive, verdict);
	if (!err)
		err = check_slc(drive, verdict);
	if (!err)
		err = check_map(drive, verdict);
	if (!err)
		err = check_wear(drive, verdict);
	if (!err)
		err = check_thermal(drive, verdict);
	if (!err)
		err = check_capacity(drive, verdict);
	return err;
}

int drive_check(const struct drive *drive)
{
	struct verdict verdict;

	if (check(drive, &verdict) == 0)
		return 0;
	return fail(EINVAL, "%s.%s: %s", rows[verdict.value].section, rows[verdict.value].key,
		    verdict.sentence);
}

/* The same, with the line of the value to change. */
static int check_file(const struct yml *yaml, const struct drive *drive)
{
	struct verdict verdict;

	if (check(drive, &verdict) == 0)
		return 0;
	return fail(EINVAL, "%s:%u: %s.%s: %s", yaml->path, drive->origins[verdict.value].line,
		    rows[verdict.value].section, rows[verdict.value].key, verdict.sentence);
}

static int drive_of(struct yml *yaml, struct drive **out)
{
	struct drive *drive = xcalloc(1, sizeof(*drive));
	int err;

	assert_sections();
	drive->scale = 1;
	err = yml_read_map(yaml, yaml->root, file_keys, drive);
	if (!err)
		err = check_file(yaml, drive);
	if (err) {
		drive_free(drive);
		return err;
	}
	drive->text = xstrdup(yaml->text);
	if (!drive->notes)
		drive->notes = xstrdup("");
	*out = drive;
	return 0;
}

int drive_parse(const char *path, const char *text, size_t size, struct drive **out)
{
	struct yml *yaml;
	int err = yml_parse(path, text, size, &yaml);

	if (err)
		return err;
	err = drive_of(yaml, out);
	yml_free(yaml);
	return err;
}

int drive_load(const char *name, struct drive **out)
{
	_cleanup_free_ char *path = NULL;
	struct yml *yaml;
	int err = data_find("drives", name, &path);

	if (!err)
		err = yml_load(path, &yaml);
	if (err)
		return err;
	err = drive_of(yaml, out);
	yml_free(yaml);
	return err;
}

void drive_free(struct drive *drive)
{
	if (!drive)
		return;
	for (size_t i = 0; i < drive->alias_count; i++)
		free(drive->aliases[i]);
	for (size_t i = 0; i < DRIVE_VALUE_COUNT; i++)
		free(drive->origins[i].source);
	free(drive->aliases);
	free(drive->name);
	free(drive->model);
	free(drive->class);
	free(drive->notes);
	free(drive->text);
	free(drive);
}

/* With all digits, unlike format_*(). */
static void print_value(enum drive_value value, uint64_t number, FILE *out)
{
	const struct row *row = &rows[value];

	if (words_of(value))
		fprintf(out, "%s", words_of(value)[number]);
	else if (row->read == yml_read_duration)
		fprintf(out, "%lluns", (unsigned long long)number);
	else if (row->read == yml_read_percent)
		fprintf(out, "%llu.%03u%%", (unsigned long long)number / 1000, (unsigned)(number % 1000));
	else if (row->read == yml_read_speed)
		fprintf(out, "%lluB/s", (unsigned long long)number);
	else
		fprintf(out, "%llu", (unsigned long long)number);
}

void drive_print_values(const struct drive *drive, const char *source, FILE *out)
{
	const char *section = "";

	for (size_t i = 0; i < DRIVE_VALUE_COUNT; i++) {
		if (strcmp(rows[i].section, section))
			fprintf(out, "%s:\n", rows[i].section);
		section = rows[i].section;
		fprintf(out, "  %s: {value: ", rows[i].key);
		print_value((enum drive_value)i, value_of(drive, (enum drive_value)i), out);
		fprintf(out, ", mark: assumed, source: \"%s\"}\n", source);
	}
}

enum {
	PROGRAMS_MIN = 8,      /* of a block of a scaled drive */
	SUPERBLOCKS_MIN = 64,  /* fewer, and a few open ones are a large share of the spare */
};

/* The programs of a block and blocks of a plane when a drive is divided by `scale`. */
struct division {
	uint64_t programs, blocks;
};

static struct division divide(const struct drive *drive, uint64_t scale)
{
	uint64_t programs = drive->pages_per_block / drive->pages_per_program;
	uint64_t divisor = programs / PROGRAMS_MIN;
	struct division out;

	if (divisor > scale)
		divisor = scale;
	if (divisor == 0)
		divisor = 1;
	out.programs = programs / divisor;
	/* To the nearest block, of what rounding the programs down has left to them. */
	out.blocks = (drive->blocks_per_plane * programs + out.programs * scale / 2) /
		     (out.programs * scale);
	return out;
}

/* The values of a scaled drive, whether it is possible or not. */
static void apply(struct drive *drive, uint64_t scale)
{
	struct division division = divide(drive, scale);
	uint64_t programs = drive->pages_per_block / drive->pages_per_program;
	uint64_t pages = drive->pages_per_block * drive->blocks_per_plane, scaled_pages;

	drive->pages_per_block = division.programs * drive->pages_per_program;
	drive->blocks_per_plane = division.blocks;
	scaled_pages = drive->pages_per_block * drive->blocks_per_plane;
	drive->user_bytes = (uint64_t)((unsigned __int128)drive->user_bytes * scaled_pages / pages);
	drive->user_bytes -= drive->user_bytes % UNIT_BYTES;
	drive->map_cache_bytes = (drive->map_cache_bytes + scale - 1) / scale;
	drive->map_hmb_bytes /= scale;
	drive->slc_static_bytes /= scale;
	drive->slc_dynamic_bytes /= scale;
	drive->rated_bytes /= scale;
	drive->thermal_ns /= scale; /* what warms it up takes so much less time */
	/* A block of so many fewer pages is read so many times less. */
	if (drive->reads_max)
		drive->reads_max = drive->reads_max * division.programs / programs + 1;
	drive->errors_reads_ppb = drive->errors_reads_ppb * programs / division.programs;
	drive->erase_ns = (drive->erase_ns * division.programs + programs / 2) / programs;
	drive->scale = (uint32_t)(drive->scale * scale);
}

static bool can_scale(const struct drive *drive, uint64_t scale)
{
	struct drive scaled = *drive; /* borrows the texts, which nobody frees */
	struct verdict verdict;

	apply(&scaled, scale);
	return scaled.blocks_per_plane >= SUPERBLOCKS_MIN && check(&scaled, &verdict) == 0;
}

/* The largest power of two that is possible, up to `most`. */
static uint64_t largest_scale(const struct drive *drive, uint64_t most)
{
	uint64_t scale = 1;

	while (scale < most && can_scale(drive, scale * 2))
		scale *= 2;
	return scale;
}

int drive_scale(struct drive *drive, uint32_t scale)
{
	if (scale == 0)
		return fail(EINVAL, "a drive cannot be divided by 0");
	if (scale > 1 && !can_scale(drive, scale))
		return fail(EINVAL, "%s cannot be divided by %u: it would have %llu superblocks, and "
			    "GC needs %d and its spare (the largest power of two is %llu)",
			    drive->name ? drive->name : "this drive", scale,
			    (unsigned long long)divide(drive, scale).blocks, SUPERBLOCKS_MIN,
			    (unsigned long long)largest_scale(drive, UINT32_MAX / 2));
	if (scale > 1)
		apply(drive, scale);
	return 0;
}

uint32_t drive_review_scale(const struct drive *drive)
{
	const uint64_t most_bytes = 32ull << 30;
	uint64_t scale = 1;

	while (drive->user_bytes / scale > most_bytes)
		scale *= 2;
	return (uint32_t)largest_scale(drive, scale);
}
