/*
 * heat.c - what the drive draws, how warm it gets, and what it does about either.
 *
 * Power is that of a drive that is awake, of each die while it works, and of controller and link
 * while data cross the latter. The drive as a whole is one body: it nears ambient + rise x power
 * with one time constant. At `throttle` controller and link slow down to `throttle_to` of their
 * speed until it has cooled by three degrees. Without requests for sleep_after it sleeps, and the
 * next one waits until it has woken.
 *
 * Nothing here has events of its own: it is looked at when a request comes, in steps.
 */
#include "ssd/state.h"

#include "base/fail.h"

enum { STEP_NS = 10000000, COOLER_MICROCELSIUS = 3000000 };

static uint64_t dies_ns(const struct ssd *ssd)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < ssd->drive->dies; i++) {
		const struct die *die = &ssd->dies[i];

		sum_ns += die->busy_ns;
		if (die->state != DIE_IDLE)
			sum_ns += ssd->sim->now_ns - die->busy_since_ns;
	}
	return sum_ns;
}

static uint64_t links_ns(const struct ssd *ssd)
{
	return ssd->link_read.busy_ns + ssd->link_write.busy_ns;
}

static bool is_at_rest(const struct ssd *ssd)
{
	return ssd->outstanding == 0 && ssd->buffer_used == 0 && ssd->gc_under_way == 0;
}

/* Of the time since `since_ns`. */
static uint64_t slept_ns(const struct ssd *ssd, uint64_t since_ns)
{
	uint64_t from_ns = ssd->rested_since_ns + ssd->drive->sleep_after_ns;

	if (!ssd->drive->sleep_after_ns || !is_at_rest(ssd))
		return 0;
	if (from_ns < since_ns)
		from_ns = since_ns;
	return ssd->sim->now_ns > from_ns ? ssd->sim->now_ns - from_ns : 0;
}

static uint64_t energy_nj(const struct ssd *ssd, const struct heat *heat)
{
	const struct drive *drive = ssd->drive;
	uint64_t asleep_ns = slept_ns(ssd, heat->at_ns);
	uint64_t awake_ns = ssd->sim->now_ns - heat->at_ns - asleep_ns;
	unsigned __int128 pj = (unsigned __int128)awake_ns * drive->idle_mw;

	pj += (unsigned __int128)asleep_ns * drive->sleep_mw;
	pj += (unsigned __int128)(dies_ns(ssd) - heat->dies_ns) * drive->die_mw;
	pj += (unsigned __int128)(links_ns(ssd) - heat->links_ns) * drive->transfer_mw;
	return (uint64_t)(pj / 1000);
}

/* A step of the implicit Euler method: it is stable however long the step is. */
static int64_t warmed(const struct ssd *ssd, int64_t from, uint64_t power_mw, uint64_t step_ns)
{
	int64_t end = ssd->ambient_celsius * 1000000 +
		      (int64_t)(power_mw * ssd->drive->rise_millikelvin_per_w);

	return from + (int64_t)((__int128)(end - from) * (int64_t)step_ns /
				(int64_t)(step_ns + ssd->drive->thermal_ns));
}

static bool is_throttled(const struct ssd *ssd, const struct heat *heat)
{
	int64_t limit = (int64_t)ssd->drive->throttle_celsius * 1000000;

	if (!limit)
		return false;
	return heat->microcelsius >= (heat->is_throttled ? limit - COOLER_MICROCELSIUS : limit);
}

struct heat heat_now(const struct ssd *ssd)
{
	struct heat heat = ssd->heat;
	uint64_t step_ns = ssd->sim->now_ns - heat.at_ns, step_nj;

	if (!ssd->draws || !step_ns)
		return heat;
	step_nj = energy_nj(ssd, &heat);
	heat.energy_nj += step_nj;
	if (heat.is_throttled)
		heat.throttled_ns += step_ns;
	heat.microcelsius = warmed(ssd, heat.microcelsius,
				   (uint64_t)((unsigned __int128)step_nj * 1000 / step_ns), step_ns);
	heat.is_throttled = is_throttled(ssd, &heat);
	heat.at_ns = ssd->sim->now_ns;
	heat.dies_ns = dies_ns(ssd);
	heat.links_ns = links_ns(ssd);
	return heat;
}

static void wake(struct ssd *ssd)
{
	uint64_t awake_ns = ssd->sim->now_ns + ssd->drive->wake_ns;

	if (ssd->read_engine.free_ns < awake_ns)
		ssd->read_engine.free_ns = awake_ns;
	if (ssd->link_write.free_ns < awake_ns)
		ssd->link_write.free_ns = awake_ns;
}

void heat_request_came(struct ssd *ssd)
{
	bool sleeps = slept_ns(ssd, ssd->heat.at_ns) > 0;

	if (sleeps || ssd->sim->now_ns - ssd->heat.at_ns >= STEP_NS)
		ssd->heat = heat_now(ssd);
	if (sleeps)
		wake(ssd);
}

uint64_t heat_slowed(const struct ssd *ssd, uint64_t cost_ns)
{
	return cost_ns * 100000 / ssd->drive->throttle_millipercent;
}

void heat_begin(struct ssd *ssd)
{
	ssd->heat.at_ns = ssd->rested_since_ns = ssd->sim->now_ns;
	ssd->heat.dies_ns = dies_ns(ssd);
	ssd->heat.links_ns = links_ns(ssd);
}

/* As warm as the room and its own rest make it. */
static int64_t at_rest(const struct ssd *ssd)
{
	return ssd->ambient_celsius * 1000000 +
	       (int64_t)(ssd->drive->idle_mw * ssd->drive->rise_millikelvin_per_w);
}

void ssd_set_ambient(struct ssd *ssd, uint64_t celsius)
{
	ssd->ambient_celsius = (int64_t)celsius;
	if (ssd->draws)
		ssd->heat.microcelsius = at_rest(ssd);
}

void heat_init(struct ssd *ssd)
{
	ssd->draws = drive_draws(ssd->drive);
	ssd_set_ambient(ssd, 25);
	heat_begin(ssd);
}
