/* model.c - a drive of drives/ as a target, in virtual time, behind a bed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/units.h"
#include "sim/sim.h"
#include "ssd/ssd.h"
#include "target/bed.h"
#include "target/target.h"

/* While these stay as they are, so does the map. */
struct changes {
	uint64_t placed_units, mapped_units, erases;
};

struct model {
	struct target base;
	struct sim sim;
	struct drive *drive;
	struct ssd *ssd;  /* NULL: fresh, and nothing was asked of it yet. Of a large one the tables take
			     seconds to make, which is for nothing when a state is loaded or only the
			     size was to be known */
	uint64_t seed, ambient_celsius;
	uint32_t worn_millipercent;
	struct changes checked; /* the map as it was then obeys the laws */
	char *description;
};

static struct model *model_of(struct target *target)
{
	return container_of(target, struct model, base);
}

static struct ssd *make(struct model *model, struct ssd *(*new)(const struct drive *, struct sim *, uint64_t))
{
	assert(!model->ssd);
	model->ssd = new(model->drive, &model->sim, model->seed);
	ssd_set_ambient(model->ssd, model->ambient_celsius);
	return model->ssd;
}

static struct ssd *ssd_of(struct model *model)
{
	if (!model->ssd) {
		make(model, ssd_new);
		if (model->worn_millipercent)
			ssd_wear(model->ssd, model->worn_millipercent);
	}
	return model->ssd;
}

static char *describe_drive(const struct drive *drive)
{
	char size[UNITS_BYTES];
	char *scaled = drive->scale > 1 ? xasprintf(", at 1/%u of its size", drive->scale) :
					  xstrdup(", at full size");
	char *text = xasprintf("%s, modelled%s: %s, %u channels, %u dies", drive->model, scaled,
			       format_size(drive->user_bytes, size), (unsigned)drive->channels,
			       (unsigned)drive->dies);

	free(scaled);
	return text;
}

static void model_close(struct target *target)
{
	struct model *model = model_of(target);

	ssd_free(model->ssd);
	sim_free(&model->sim);
	drive_free(model->drive);
	free(model->description);
	free(model);
}

/* 512-byte sectors are possible; what the lab sends is aligned to the map's unit. */
static struct target *model_new(struct drive *drive, uint64_t seed)
{
	struct model *model = xcalloc(1, sizeof(*model));

	model->drive = drive;
	model->base = (struct target){
		.ops = &target_model_ops,
		.size_bytes = drive->user_bytes - drive->user_bytes % drive->sector_bytes,
		.block_bytes = (uint32_t)drive->sector_bytes,
		.scale = drive->scale ? drive->scale : 1,
		.is_virtual = true,
		.memory_bytes = ssd_memory_bytes(drive),
	};
	model->description = describe_drive(drive);
	sim_init(&model->sim);
	model->seed = seed;
	return &model->base;
}

/* As much as the drive asks for and the host gives, in proportion to its scale. */
static void grant_host_memory(struct drive *drive, const struct bed *bed)
{
	uint64_t granted_bytes = bed->hmb_bytes / drive->scale;

	if (drive->map_hmb_bytes > granted_bytes)
		drive->map_hmb_bytes = granted_bytes;
}

static int model_open(const char *arg, const struct target_options *options, struct target **out)
{
	struct target *model;
	struct drive *drive;
	struct bed *bed;
	int err = drive_load(arg, &drive);

	if (err)
		return err;
	if (options->scale == TARGET_SCALE_AUTO)
		err = drive_scale(drive, drive_review_scale(drive));
	else
		err = drive_scale(drive, options->scale);
	if (!err)
		err = bed_load(options->bed ? options->bed : "bare-metal", &bed);
	if (err) {
		drive_free(drive);
		return err;
	}
	grant_host_memory(drive, bed);
	model = model_new(drive, options->seed);
	model_of(model)->ambient_celsius = bed->ambient_celsius;
	model_of(model)->worn_millipercent = (uint32_t)options->worn_millipercent;
	*out = bed_wrap(model, bed);
	return 0;
}

static void model_submit(struct target *target, struct io *io)
{
	ssd_submit(ssd_of(model_of(target)), io);
}

static void model_expect(struct target *target, const struct io *io)
{
	ssd_expect(ssd_of(model_of(target)), io);
}

static struct io *model_reap(struct target *target, uint64_t until_ns)
{
	return ssd_reap(ssd_of(model_of(target)), until_ns);
}

static uint64_t model_now(struct target *target)
{
	return model_of(target)->sim.now_ns;
}

static uint64_t model_due(struct target *target)
{
	return sim_next_ns(&model_of(target)->sim);
}

static const char *model_describe(struct target *target)
{
	return model_of(target)->description;
}

/* Until each block has its rated cycles: a drive that levels wear gets that far. */
static uint64_t endurance_bytes(const struct drive *drive)
{
	unsigned __int128 bytes = (unsigned __int128)drive_raw_bytes(drive) * drive->endurance_cycles;

	return bytes > INT64_MAX ? INT64_MAX : (uint64_t)bytes;
}

static int model_health(struct target *target, struct health *out)
{
	struct model *model = model_of(target);
	struct ssd_counters count;

	ssd_count(ssd_of(model), &count);
	*out = (struct health){
		.host_read_bytes = count.host_read_bytes,
		.host_written_bytes = count.host_written_bytes,
		.nand_read_bytes = count.read_units * UNIT_BYTES,
		.nand_written_bytes =
			(count.host_units + count.copied_units + count.map_units + count.padded_units) *
			UNIT_BYTES,
		.gc_copied_bytes = count.copied_units * UNIT_BYTES,
		.erase_count = count.erases,
		.user_bytes = count.mapped_units * UNIT_BYTES,
		.map_written_bytes = count.map_units * UNIT_BYTES,
		.slc_written_bytes = count.slc_programs * model->drive->planes *
				     model->drive->page_bytes,
		.erase_most = count.erase_most,
		.endurance_bytes = endurance_bytes(model->drive),
		.rated_bytes = model->drive->rated_bytes,
		.media_errors = count.media_errors,
		.used_millipercent = count.used_millipercent,
		.spare_millipercent = count.spare_millipercent,
		.bad_blocks = count.bad_blocks,
		.read_retries = count.read_retries,
		.refreshed_bytes = count.refreshed_units * UNIT_BYTES,
		.unsafe_shutdowns = count.power_cuts,
		.temperature_millicelsius = count.temperature_millicelsius,
		.throttled_ns = count.throttled_ns,
		.energy_mj = count.energy_mj,
	};
	return 0;
}

static int model_usage(struct target *target, struct usage *out)
{
	struct ssd_counters count;

	ssd_count(ssd_of(model_of(target)), &count);
	*out = (struct usage){
		.dies_ns = count.dies_ns,
		.channels_ns = count.channels_ns,
		.controller_read_ns = count.read_engine_ns,
		.controller_write_ns = count.write_engine_ns,
		.link_read_ns = count.link_read_ns,
		.link_write_ns = count.link_write_ns,
	};
	return 0;
}

static int model_purge(struct target *target)
{
	struct model *model = model_of(target);

	if (model->ssd)
		ssd_format(model->ssd);
	return 0;
}

static struct changes changes_of(const struct ssd *ssd)
{
	struct ssd_counters count;

	ssd_count(ssd, &count);
	return (struct changes){
		.placed_units = count.host_units + count.copied_units + count.map_units +
				count.padded_units,
		.mapped_units = count.mapped_units,
		.erases = count.erases,
	};
}

/* Of a large drive it takes long: a read that changed nothing needs no second look. */
static int check_laws(struct model *model)
{
	struct changes now = changes_of(model->ssd);
	const char *broken;

	if (now.placed_units == model->checked.placed_units &&
	    now.mapped_units == model->checked.mapped_units && now.erases == model->checked.erases)
		return 0;
	broken = ssd_broken_law(model->ssd);
	if (broken)
		return fail(EPROTO, "%s: the model has broken a law of conservation: %s",
			    model->drive->name, broken);
	model->checked = now;
	return 0;
}

static int model_settle(struct target *target)
{
	struct model *model = model_of(target);

	ssd_settle(ssd_of(model));
	return check_laws(model);
}

static int model_snapshot(struct target *target, int fd)
{
	struct ssd *ssd = ssd_of(model_of(target));
	int err = check_laws(model_of(target));

	return err ? err : ssd_save(ssd, fd);
}

/* Its checksums say that it is what was saved, and that was checked. */
static int model_restore(struct target *target, int fd)
{
	struct model *model = model_of(target);
	int err;

	if (!model->ssd)
		make(model, ssd_new_blank);
	err = ssd_load(model->ssd, fd);
	if (!err)
		model->checked = changes_of(model->ssd);
	return err;
}

static int model_enlarge(struct target *target, struct target *small)
{
	struct model *model = model_of(target);

	return ssd_enlarge(make(model, ssd_new_blank), ssd_of(model_of(small)));
}

static int model_shelve(struct target *target, uint64_t time_ns)
{
	ssd_shelve(ssd_of(model_of(target)), time_ns);
	return 0;
}

const struct target_ops target_model_ops = {
	.name = "model",
	.help = "a drive of drives/, in virtual time (model:NAME, or just NAME)",
	.open = model_open,
	.close = model_close,
	.submit = model_submit,
	.expect = model_expect,
	.reap = model_reap,
	.now = model_now,
	.due = model_due,
	.describe = model_describe,
	.health = model_health,
	.usage = model_usage,
	.purge = model_purge,
	.settle = model_settle,
	.snapshot = model_snapshot,
	.restore = model_restore,
	.enlarge = model_enlarge,
	.shelve = model_shelve,
};
