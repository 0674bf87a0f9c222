#include "app/session.h"

#include <assert.h>
#include <stdlib.h>

#include "base/fail.h"

static void go_on(struct session *session);

static void turn_over(struct burst *burst)
{
	struct session *session = container_of(burst, struct session, burst);

	session->had_turn = true;
	go_on(session);
}

static void visited(struct visitor *visitor)
{
	struct session *session = container_of(visitor, struct session, visitor);

	session->at++;
	session->had_turn = false;
	go_on(session);
}

static void end(struct session *session)
{
	database_count(session->visitor.database, session->began_ns);
	session->over(session);
}

static void committed(struct waiter *waiter)
{
	end(container_of(waiter, struct session, commit));
}

static void run_turn(struct session *session)
{
	cores_run(&session->visitor.database->cores, &session->burst,
		  rng_exponential(&session->rng, session->statement_ns));
}

static void arrived(struct sim *sim, struct event *event)
{
	(void)sim;
	run_turn(container_of(event, struct session, trip));
}

static void take_turn(struct session *session)
{
	struct sim *sim = &session->visitor.database->machine->sim;

	if (session->trip_ns)
		sim_at(sim, &session->trip, sim->now_ns + session->trip_ns);
	else
		run_turn(session);
}

/* As far as it goes without waiting. */
static void go_on(struct session *session)
{
	struct database *database = session->visitor.database;

	for (; session->at < session->count; session->at++) {
		const struct visit *visit = &session->visits[session->at];

		if (visit->is_statement && !session->had_turn) {
			take_turn(session);
			return;
		}
		if (!database_visit(&session->visitor, visit->page, visit->change_bytes, visit->is_new))
			return;
		session->had_turn = false;
	}
	if (!session->had_turn)
		take_turn(session);
	else if (session->changes)
		redo_commit(&database->redo, &session->commit, database->redo.lsn);
	else
		end(session);
}

void session_init(struct session *session, struct database *database, uint32_t visit_max,
		  uint64_t statement_ns, const struct rng *rng, void (*over)(struct session *))
{
	*session = (struct session){
		.visitor = { .database = database, .done = visited },
		.commit = { .ready = committed },
		.burst = { .done = turn_over },
		.trip = { .fire = arrived },
		.over = over,
		.rng = *rng,
		.statement_ns = statement_ns,
		.visit_max = visit_max,
		.visits = xcalloc(visit_max, sizeof(*session->visits)),
	};
}

void session_free(struct session *session)
{
	free(session->visits);
}

void session_begin(struct session *session)
{
	session->began_ns = machine_now(session->visitor.database->machine);
	session->at = session->count = 0;
	session->had_turn = session->changes = false;
}

void session_visit(struct session *session, const struct visit *visit)
{
	assert(session->count < session->visit_max);
	session->changes = session->changes || visit->change_bytes;
	session->visits[session->count++] = *visit;
}

void session_run(struct session *session)
{
	go_on(session);
}
