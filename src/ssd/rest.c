/*
 * rest.c - the host has not written for a while, whatever it reads: the drive uses the time.
 *
 * Each use has its own patience: the SLC cache is emptied (slc.idle), and free space is made ahead
 * of need (gc.idle). The next write ends both at once.
 */
#include "ssd/state.h"

#include "base/fail.h"

static bool has_rested(const struct ssd *ssd, const struct rest *rest)
{
	return ssd->sim->now_ns >= ssd->last_write_ns + rest->after_ns && !ssd->writes_first;
}

static void fire(struct sim *sim, struct event *event)
{
	struct rest *rest = container_of(event, struct rest, event);

	if (has_rested(rest->ssd, rest)) {
		rest->on = true;
		write_engine_run(rest->ssd);
	} else if (rest->ssd->last_write_ns + rest->after_ns > sim->now_ns) {
		sim_at(sim, event, rest->ssd->last_write_ns + rest->after_ns);
	} /* else writes wait, and rest_watch() asks for a later moment */
}

void rest_watch(struct ssd *ssd, enum rest_use use)
{
	struct rest *rest = &ssd->rests[use];
	uint64_t at_ns = ssd->last_write_ns + rest->after_ns;

	if (rest->on || event_is_scheduled(&rest->event))
		return;
	if (at_ns <= ssd->sim->now_ns)
		at_ns = ssd->sim->now_ns + (ssd->writes_first ? rest->after_ns : 0);
	sim_at(ssd->sim, &rest->event, at_ns);
}

void rest_write_came(struct ssd *ssd)
{
	ssd->last_write_ns = ssd->sim->now_ns;
	for (unsigned i = 0; i < REST_USES; i++)
		ssd->rests[i].on = false;
}

void rest_settle(struct ssd *ssd)
{
	for (unsigned i = 0; i < REST_USES; i++) {
		ssd->rests[i].on = false;
		if (event_is_scheduled(&ssd->rests[i].event))
			sim_cancel(ssd->sim, &ssd->rests[i].event);
	}
}

void rest_init(struct ssd *ssd)
{
	ssd->rests[REST_SLC].after_ns = ssd->drive->slc_idle_ns;
	ssd->rests[REST_CLEAN].after_ns = ssd->drive->gc_idle_ns;
	for (unsigned i = 0; i < REST_USES; i++) {
		ssd->rests[i].event.fire = fire;
		ssd->rests[i].ssd = ssd;
	}
}
