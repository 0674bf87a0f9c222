/*
 * app.h - applications as tests: what users run on a drive, and what they get from it.
 *
 * An application is a file in workloads/apps/ (doc/applications.md): a kind and its
 * parameters, each of which says where it comes from. On a drive in virtual time the kinds
 * here run a *model of the application* (a buffer pool, a log, terminals ...) in closed loop
 * on the drive. What comes of it are figures of merit by name (stats/merit.h), and what the
 * drive had to do meanwhile: the real program on a real drive is to report the same.
 *
 * A new kind is a file with a `struct app_kind` and a line in app.c.
 */
#ifndef DRIVEBAY_APP_APP_H
#define DRIVEBAY_APP_APP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/yaml.h"
#include "stats/merit.h"
#include "stats/stats.h"
#include "target/target.h"

struct app_kind;

/* Begins the struct of every kind. Constant once it is read. */
struct app {
	const struct app_kind *kind;
	char *name, *help, *source;
	char *text;           /* the file itself */
	uint64_t warm_up_ns, time_ns; /* 0 where the work ends by itself */
};

struct app_config {
	uint64_t seed;
	const char *name;     /* names the random sequences: the phase's name */
	uint64_t duration_ns; /* what is measured, scaled already; 0: the file's, by the target's
				 scale. The warm-up is longer or shorter with it */
	uint64_t window_ns;   /* of the series; 0: none */
	uint32_t cycle_scale_milli; /* of terminals' delays; 0: the file's */
	void (*on_measure)(void *context); /* measuring begins; may be NULL, like those that follow */
	void (*on_window)(void *context, const struct window *window);
	bool (*on_progress)(void *context, const struct stats *so_far, uint64_t elapsed_ns);
	void *context;
	const volatile sig_atomic_t *stop; /* non-zero: end soon, cleanly; may be NULL */
};

struct app_kind {
	const char *name, *help;
	size_t size;                       /* of its struct, which begins with struct app */
	const struct yml_key *keys;        /* of its files: all of them */
	int (*check)(const struct app *app, const char *path); /* may be NULL */
	void (*clean)(struct app *app);    /* what its own keys allocated; may be NULL */
	/* What its data take of a drive that is not scaled. */
	uint64_t (*needs_bytes)(const struct app *app);
	/* A file cannot be scaled down. A model is not made smaller than this, so that its caches are
	   large enough for the file, as those of the drive are; 0: any size will do. */
	uint64_t least_bytes;
	bool any_target;                   /* it sends requests itself: also to what is real */
	int (*run)(const struct app *app, struct target *target, const struct app_config *config,
		   struct stats *stats, struct merits *merits);
};

/* The application `name` or path; freed with app_free(). -EINVAL with file and line. */
int app_load(const char *name, struct app **out);

/* The same from memory: `size` bytes, which messages call `path`. */
int app_parse(const char *path, const char *text, size_t size, struct app **out);
void app_free(struct app *app); /* NULL is fine */

/*
 * Whether the target can carry it: NULL, or the sentence why not, with the sizes; freed by the
 * caller.
 */
char *app_misfit(const struct app *app, const struct target *target);

/*
 * Runs it on a target that it fits and that was purged. *stats: the requests that reached the
 * drive while it was measured; *merits: what it came to. 0; -EINTR when stopped; another
 * negative errno with a sentence in fail().
 */
int app_run(const struct app *app, struct target *target, const struct app_config *config,
	    struct stats *stats, struct merits *merits);

/* ---- for the kinds ---- */

/* A value with its mark and source: {value: 24G, mark: published, source: "..."}; the number is
   read as key->context, a struct yml_key, says, into a uint64_t. */
int app_read_value(const struct yml *yaml, const struct yml_node *node, const struct yml_key *key,
		   void *to);

extern const struct yml_key app_number_count, app_number_size, app_number_duration,
	app_number_percent, app_number_milli;

/* The keys that all files have. */
#define APP_KEYS \
	{ "kind", app_read_kind, 0, true, "what kind of application it is" }, \
	{ "name", yml_read_string, offsetof(struct app, name), true, "the name of this file" }, \
	{ "help", yml_read_string, offsetof(struct app, help), true, "what it is, in one line" }, \
	{ "source", yml_read_string, offsetof(struct app, source), true, \
	  "published, derived or ours, and where" }

#define APP_LENGTHS \
	{ "warm_up", app_read_value, offsetof(struct app, warm_up_ns), true, \
	  "how long it runs before it is measured", .context = &app_number_duration }, \
	{ "time", app_read_value, offsetof(struct app, time_ns), true, \
	  "how long it is measured", .context = &app_number_duration }

int app_read_kind(const struct yml *yaml, const struct yml_node *node, const struct yml_key *key,
		  void *to);

/* What a target at 1/scale of its size leaves of it: at least 1. */
static inline uint64_t app_scaled(const struct target *target, uint64_t amount)
{
	uint64_t scale = target->scale ? target->scale : 1;

	return amount / scale ? amount / scale : 1;
}

/* How long is measured, and how long it warms up before, on this target. */
uint64_t app_time_ns(const struct app *app, const struct target *target,
		     const struct app_config *config);
uint64_t app_warm_up_ns(const struct app *app, const struct target *target,
			const struct app_config *config);

extern const struct app_kind app_oltp, app_tpcc, app_out_of_core;
extern const struct app_kind app_boot, app_crystal, app_snia, app_video;

#endif
