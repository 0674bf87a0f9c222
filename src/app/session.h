/*
 * session.h - one transaction after another on a database, each a list of visits to pages.
 *
 * A visit that begins a statement waits for its way from the client and back, then for a turn on
 * a core, of exponentially distributed length; then for its page. The end of the list is the commit: a turn of its own, and, when
 * something was changed, the log. Then over() is called, which may begin the next one.
 */
#ifndef DRIVEBAY_APP_SESSION_H
#define DRIVEBAY_APP_SESSION_H

#include "app/database.h"
#include "base/rng.h"

struct visit {
	uint64_t page;
	uint32_t change_bytes;  /* 0: it is only read */
	bool is_new;            /* it need not be read */
	bool is_statement;      /* begins one */
};

struct session {
	struct visitor visitor;
	struct waiter commit;
	struct burst burst;
	void (*over)(struct session *session);
	struct rng rng;
	uint64_t statement_ns;  /* mean length of a turn */
	uint64_t trip_ns;       /* to the client and back, for each statement; 0: it is here */
	struct event trip;
	uint64_t began_ns;      /* set by session_begin(); an earlier moment may be put here */
	uint32_t at, count, visit_max;
	bool had_turn, changes;
	struct visit *visits;   /* room for visit_max */
};

/* A session on `database` with room for `visit_max` visits. Ended with session_free(). */
void session_init(struct session *session, struct database *database, uint32_t visit_max,
		  uint64_t statement_ns, const struct rng *rng, void (*over)(struct session *));
void session_free(struct session *session);

/* A new transaction without visits; then its visits; then it runs. */
void session_begin(struct session *session);
void session_visit(struct session *session, const struct visit *visit);
void session_run(struct session *session);

#endif
