/*
 * fault.c - "fault:KEY=VALUE,...:INNER": the rules are in fault.h.
 */
#include "target/fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "base/rng.h"
#include "base/units.h"

struct fault_rules {
	uint64_t freeze_ns, period_ns, start_ns;
	uint64_t delay_ns, delay_every;
	uint64_t error_every;
	uint64_t flip_every, stale_every, torn_every, misplace_every;
	uint64_t seed;
	bool has_start, has_seed;
};

/* First in, first out. */
struct fault_list {
	struct io *first, **end;
};

/* What a snapshot holds besides the inner target's. */
struct fault_state {
	uint64_t origin_ns;   /* when it was opened: freezes count from there */
	uint64_t completed;   /* requests */
	uint64_t reads_back, writes_out;
	struct rng delay, error, damage;
};

/* A write that the inner target has in another shape, and its own. */
struct fault_altered {
	struct io *io;
	uint64_t offset_bytes;
	uint32_t size_bytes;
};

struct fault_target {
	struct target base;
	struct target *inner;
	struct fault_rules rules;
	struct fault_state state;
	/*
	 * Submitted while frozen; back but delayed; back but frozen. The latter two wait for
	 * completed_ns, and each is in order of it: a constant delay and the thaw both keep the
	 * order in which requests came back.
	 */
	struct fault_list deferred, delayed, frozen;
	struct fault_altered *altered;
	uint32_t altered_count, altered_room;
	char *description;
};

static struct fault_target *fault_of(struct target *target)
{
	return container_of(target, struct fault_target, base);
}

static void list_init(struct fault_list *list)
{
	list->first = NULL;
	list->end = &list->first;
}

static void list_put(struct fault_list *list, struct io *io)
{
	io->next = NULL;
	*list->end = io;
	list->end = &io->next;
}

static struct io *list_take(struct fault_list *list)
{
	struct io *io = list->first;

	list->first = io->next;
	if (!list->first)
		list->end = &list->first;
	return io;
}

/* When the device works again if it is frozen at at_ns; at_ns itself if it is not. */
static uint64_t thaw_ns(const struct fault_target *fault, uint64_t at_ns)
{
	const struct fault_rules *rules = &fault->rules;
	uint64_t first_ns = fault->state.origin_ns + rules->start_ns, phase_ns;

	if (rules->freeze_ns == 0 || at_ns < first_ns)
		return at_ns;
	phase_ns = (at_ns - first_ns) % rules->period_ns;
	return phase_ns < rules->freeze_ns ? at_ns - phase_ns + rules->freeze_ns : at_ns;
}

static bool is_hit_nth(struct fault_target *fault, struct rng *rng, uint64_t every, uint64_t number)
{
	if (every == 0)
		return false;
	if (fault->rules.has_seed)
		return rng_below(rng, every) == 0;
	return number % every == 0;
}

static bool is_hit(struct fault_target *fault, struct rng *rng, uint64_t every)
{
	return is_hit_nth(fault, rng, every, fault->state.completed);
}

/* ---- damage ---- */

static void keep_shape(struct fault_target *fault, struct io *io)
{
	if (fault->altered_count == fault->altered_room) {
		fault->altered_room = fault->altered_room ? 2 * fault->altered_room : 16;
		fault->altered = xrealloc(fault->altered, fault->altered_room * sizeof(*fault->altered));
	}
	fault->altered[fault->altered_count++] =
		(struct fault_altered){ io, io->offset_bytes, io->size_bytes };
}

static void give_shape_back(struct fault_target *fault, struct io *io)
{
	for (uint32_t i = 0; i < fault->altered_count; i++) {
		if (fault->altered[i].io != io)
			continue;
		io->op = IO_WRITE;
		io->offset_bytes = fault->altered[i].offset_bytes;
		io->size_bytes = fault->altered[i].size_bytes;
		fault->altered[i] = fault->altered[--fault->altered_count];
		return;
	}
}

/* Behind its own place, or before it at the end; where there is neither it stays. */
static void misplace(struct fault_target *fault, struct io *io)
{
	uint64_t size_bytes = io->size_bytes;

	if (io->offset_bytes + 2 * size_bytes <= fault->base.size_bytes)
		io->offset_bytes += size_bytes;
	else if (io->offset_bytes >= size_bytes)
		io->offset_bytes -= size_bytes;
}

/* A write that is dropped goes in as a flush, which has its time and does no harm. */
static void damage_write(struct fault_target *fault, struct io *io)
{
	const struct fault_rules *rules = &fault->rules;
	struct rng *rng = &fault->state.damage;
	uint64_t number = ++fault->state.writes_out;

	if (is_hit_nth(fault, rng, rules->stale_every, number)) {
		keep_shape(fault, io);
		io->op = IO_FLUSH;
		io->offset_bytes = io->size_bytes = 0;
	} else if (is_hit_nth(fault, rng, rules->torn_every, number)) {
		uint32_t blocks = io->size_bytes / fault->base.block_bytes;

		if (blocks < 2)
			return;
		keep_shape(fault, io);
		io->size_bytes = blocks / 2 * fault->base.block_bytes;
	} else if (is_hit_nth(fault, rng, rules->misplace_every, number)) {
		keep_shape(fault, io);
		misplace(fault, io);
	}
}

static void flip_read(struct fault_target *fault, struct io *io)
{
	uint64_t number = ++fault->state.reads_back, bit;

	if (io->error || !io->data || !fault->base.moves_data ||
	    !is_hit_nth(fault, &fault->state.damage, fault->rules.flip_every, number))
		return;
	bit = rng_below(&fault->state.damage, io->size_bytes * 8ull);
	((uint8_t *)io->data)[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

/* ---- in and out ---- */

static void forward(struct fault_target *fault, struct io *io)
{
	if (io->op == IO_WRITE)
		damage_write(fault, io);
	target_forward(fault->inner, io);
}

static void fault_submit(struct target *target, struct io *io)
{
	struct fault_target *fault = fault_of(target);

	if (fault->deferred.first || thaw_ns(fault, io->submitted_ns) != io->submitted_ns)
		list_put(&fault->deferred, io);
	else
		forward(fault, io);
}

static void release_deferred(struct fault_target *fault, uint64_t now_ns)
{
	if (!fault->deferred.first || thaw_ns(fault, now_ns) != now_ns)
		return;
	while (fault->deferred.first)
		forward(fault, list_take(&fault->deferred));
}

/* The list whose first request is released first, or NULL. */
static struct fault_list *earliest(struct fault_target *fault)
{
	struct fault_list *a = &fault->delayed, *b = &fault->frozen;

	if (!a->first || (b->first && b->first->completed_ns < a->first->completed_ns))
		a = b;
	return a->first ? a : NULL;
}

/* Applies the rules to what the inner target gave back. True: it is done now. */
static bool judge(struct fault_target *fault, struct io *io)
{
	uint64_t back_ns = io->completed_ns, delayed_ns = back_ns;

	fault->state.completed++;
	if (fault->altered_count)
		give_shape_back(fault, io);
	if (io->op == IO_READ)
		flip_read(fault, io);
	if (is_hit(fault, &fault->state.error, fault->rules.error_every) && !io->error)
		io->error = -EIO;
	if (is_hit(fault, &fault->state.delay, fault->rules.delay_every))
		delayed_ns += fault->rules.delay_ns;
	io->completed_ns = thaw_ns(fault, delayed_ns);
	if (io->completed_ns == back_ns)
		return true;
	list_put(delayed_ns == back_ns ? &fault->frozen : &fault->delayed, io);
	return false;
}

/* When there is next something to do here, but no later than until_ns. */
static uint64_t next_moment(struct fault_target *fault, uint64_t now_ns, uint64_t until_ns)
{
	struct fault_list *list = earliest(fault);

	if (list && list->first->completed_ns < until_ns)
		until_ns = list->first->completed_ns;
	if (fault->deferred.first && thaw_ns(fault, now_ns) < until_ns)
		until_ns = thaw_ns(fault, now_ns);
	return until_ns;
}

/* The first that waits here, when its time has come by now_ns; or NULL. */
static struct io *take_released(struct fault_target *fault, uint64_t now_ns)
{
	struct fault_list *list = earliest(fault);
	struct io *io;

	if (!list || list->first->completed_ns > now_ns)
		return NULL;
	io = list_take(list);
	io->completed_ns = now_ns; /* on the wall clock it may be a little later */
	return io;
}

static struct io *fault_reap(struct target *target, uint64_t until_ns)
{
	struct fault_target *fault = fault_of(target);

	for (;;) {
		uint64_t now_ns = target_now(fault->inner), moment_ns;
		struct io *io = take_released(fault, now_ns);

		if (io)
			return io;
		release_deferred(fault, now_ns);
		moment_ns = next_moment(fault, now_ns, until_ns);
		io = target_reap(fault->inner, moment_ns);
		if (io && judge(fault, io))
			return io;
		if (!io && moment_ns == until_ns)
			return take_released(fault, target_now(fault->inner));
	}
}

static uint64_t fault_now(struct target *target)
{
	return target_now(fault_of(target)->inner);
}

static const char *fault_describe(struct target *target)
{
	return fault_of(target)->description;
}

static int fault_health(struct target *target, struct health *out)
{
	return target_health(fault_of(target)->inner, out);
}

static int fault_usage(struct target *target, struct usage *out)
{
	return target_usage(fault_of(target)->inner, out);
}

static int fault_purge(struct target *target)
{
	return target_purge(fault_of(target)->inner);
}

static int fault_settle(struct target *target)
{
	return target_settle(fault_of(target)->inner);
}

static int fault_buffers(struct target *target, void *base, size_t bytes)
{
	return target_buffers(fault_of(target)->inner, base, bytes);
}

static int fault_snapshot(struct target *target, int fd)
{
	struct fault_target *fault = fault_of(target);

	if (write(fd, &fault->state, sizeof(fault->state)) != (ssize_t)sizeof(fault->state))
		return fail(errno ? errno : ENOSPC, "cannot save the state of a fault: %s", strerror(errno));
	return target_snapshot(fault->inner, fd);
}

static int fault_restore(struct target *target, int fd)
{
	struct fault_target *fault = fault_of(target);

	if (read(fd, &fault->state, sizeof(fault->state)) != (ssize_t)sizeof(fault->state))
		return fail(EBADMSG, "the saved state of a fault is cut short");
	return target_restore(fault->inner, fd);
}

static int fault_shelve(struct target *target, uint64_t time_ns)
{
	return target_shelve(fault_of(target)->inner, time_ns);
}

static void fault_close(struct target *target)
{
	struct fault_target *fault = fault_of(target);

	target_close(fault->inner);
	free(fault->altered);
	free(fault->description);
	free(fault);
}

/* --- the rules as written --- */

struct fault_key {
	const char *name;
	int (*parse)(const char *text, uint64_t *value);
	size_t offset;
};

#define KEY(name, parse, field) { name, parse, offsetof(struct fault_rules, field) }

static const struct fault_key keys[] = {
	KEY("freeze", parse_duration, freeze_ns),
	KEY("period", parse_duration, period_ns),
	KEY("start", parse_duration, start_ns),
	KEY("delay", parse_duration, delay_ns),
	KEY("delay_every", parse_count, delay_every),
	KEY("error", parse_count, error_every),
	KEY("flip", parse_count, flip_every),
	KEY("stale", parse_count, stale_every),
	KEY("torn", parse_count, torn_every),
	KEY("misplace", parse_count, misplace_every),
	KEY("seed", parse_count, seed),
};

static int parse_rule(char *rule, struct fault_rules *rules)
{
	char *value = strchr(rule, '=');

	if (!value)
		return fail(EINVAL, "fault: '%s' is not KEY=VALUE; freeze=2s,period=10s would do", rule);
	*value++ = '\0';
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strcmp(rule, keys[i].name))
			continue;
		if (keys[i].parse(value, (uint64_t *)(void *)((char *)rules + keys[i].offset))) {
			_cleanup_free_ char *reason = xstrdup(fail_message());

			return fail(EINVAL, "fault: %s: %s", rule, reason);
		}
		rules->has_start |= keys[i].offset == offsetof(struct fault_rules, start_ns);
		rules->has_seed |= keys[i].offset == offsetof(struct fault_rules, seed);
		return 0;
	}
	return fail(EINVAL, "fault: unknown key '%s'; there are freeze, period, start, delay, delay_every, "
		    "error, flip, stale, torn, misplace and seed", rule);
}

static int check_rules(struct fault_rules *rules)
{
	if (rules->freeze_ns && rules->period_ns <= rules->freeze_ns)
		return fail(EINVAL, "fault: freeze needs a longer period; freeze=2s,period=10s would do");
	if (!rules->freeze_ns && (rules->period_ns || rules->has_start))
		return fail(EINVAL, "fault: period and start need freeze; freeze=2s,period=10s would do");
	if (rules->delay_every && !rules->delay_ns)
		return fail(EINVAL, "fault: delay_every needs delay; delay=5ms,delay_every=100 would do");
	if (rules->delay_ns && !rules->delay_every)
		rules->delay_every = 1;
	if (!rules->has_start)
		rules->start_ns = (rules->period_ns - rules->freeze_ns) / 2;
	return 0;
}

/* "KEY=VALUE,..."; an empty text is no rule. */
static int parse_rules(const char *text, struct fault_rules *rules)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *rest = copy, *rule;

	*rules = (struct fault_rules){ 0 };
	while ((rule = strsep(&rest, ","))) {
		int err = *rule ? parse_rule(rule, rules) : 0;

		if (err)
			return err;
	}
	return check_rules(rules);
}

static struct target *wrap(struct target *inner, const struct fault_rules *rules, const char *text)
{
	struct fault_target *fault = xcalloc(1, sizeof(*fault));

	fault->base = *inner;
	fault->base.ops = &target_fault_ops;
	fault->base.in_flight = 0;
	fault->inner = inner;
	fault->rules = *rules;
	fault->state.origin_ns = target_now(inner);
	fault->state.delay = rng_stream(rules->seed, "fault/delay");
	fault->state.error = rng_stream(rules->seed, "fault/error");
	fault->state.damage = rng_stream(rules->seed, "fault/damage");
	list_init(&fault->deferred);
	list_init(&fault->delayed);
	list_init(&fault->frozen);
	fault->description = xasprintf("fault (%s) around %s", text, target_describe(inner));
	return &fault->base;
}

int fault_wrap(struct target *inner, const char *text, struct target **out)
{
	struct fault_rules rules;
	int err = parse_rules(text, &rules);

	if (!err)
		*out = wrap(inner, &rules, text);
	return err;
}

/* Rules that are wrong are found before the inner target is opened, or created. */
static int fault_open(const char *arg, const struct target_options *options, struct target **out)
{
	const char *colon = strchr(arg, ':');
	_cleanup_free_ char *text = NULL;
	struct fault_rules rules;
	struct target *inner;
	int err;

	if (!colon || !colon[1])
		return fail(EINVAL, "fault:%s: around what? fault:freeze=2s,period=10s:TARGET would do", arg);
	text = xstrdup(arg);
	text[colon - arg] = '\0';
	err = parse_rules(text, &rules);
	if (!err)
		err = target_open(colon + 1, options, &inner);
	if (!err)
		*out = wrap(inner, &rules, text);
	return err;
}

const struct target_ops target_fault_ops = {
	.name = "fault",
	.help = "fault:KEY=VALUE,...:TARGET delays, fails, freezes and damages by rule (freeze, period, "
		"start, delay, delay_every, error, flip, stale, torn, misplace, seed)",
	.open = fault_open,
	.close = fault_close,
	.submit = fault_submit,
	.reap = fault_reap,
	.now = fault_now,
	.describe = fault_describe,
	.health = fault_health,
	.usage = fault_usage,
	.purge = fault_purge,
	.settle = fault_settle,
	.snapshot = fault_snapshot,
	.restore = fault_restore,
	.shelve = fault_shelve,
	.buffers = fault_buffers,
};
