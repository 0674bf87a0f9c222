/*
 * database.h - one instance of a database: pool, log, page cleaner, processors, put together.
 *
 * Its place on the drive: pages from `at_bytes`, the doublewrite area (if any), the log.
 * A session is whoever visits pages; database_visit() does what a miss, a full pool or a full
 * log make it wait for.
 */
#ifndef DRIVEBAY_APP_DATABASE_H
#define DRIVEBAY_APP_DATABASE_H

#include "app/flusher.h"
#include "app/machine.h"
#include "app/pool.h"
#include "app/redo.h"
#include "stats/merit.h"

struct database_config {
	uint64_t at_bytes;           /* on the drive */
	uint64_t page_count;
	uint32_t page_bytes;
	uint64_t pool_pages;
	uint64_t log_bytes;          /* of the log's file */
	uint32_t cores;
	uint32_t depth, rate;        /* see flusher.h */
	bool doublewrite;
};

/* What transactions came to since counting began. */
struct tally {
	struct latency latency;
	struct hist hist;
	uint64_t group_count, commit_count;  /* of the log, when counting began; and so on */
	uint64_t hits, misses, written, stalls, busy_ns;
};

struct database {
	struct machine *machine;
	struct database_config config;
	struct pool pool;
	struct redo redo;
	struct flusher flusher;
	struct cores cores;
	struct waiters arriving;     /* for a page that somebody else is reading */
	struct tally tally;
	bool counting;
};

/* What an instance takes of a drive, in bytes. */
uint64_t database_bytes(const struct database_config *config);

void database_init(struct database *database, struct machine *machine,
		   const struct database_config *config);
void database_free(struct database *database);
void database_count_begin(struct database *database);

/* Lets all of them run for warm_up_ns, then measures for time_ns. */
int database_measure(struct database *const *databases, size_t count, uint64_t warm_up_ns,
		     uint64_t time_ns);

/* A transaction that began at began_ns is over. */
void database_count(struct database *database, uint64_t began_ns);

struct visitor {
	struct database *database;
	void (*done)(struct visitor *visitor); /* the page was there and, if wanted, changed */
	struct request request;
	struct waiter waiter;
	struct frame *frame;
	uint64_t page;
	uint32_t change_bytes;
	bool is_new;
};

/*
 * Uses a page; with change_bytes > 0 it is changed, and that much appended to the log. A new
 * page need not be read. True: done at once, and done() is not called.
 */
bool database_visit(struct visitor *visitor, uint64_t page, uint32_t change_bytes, bool is_new);

/*
 * What `count` instances came to together over elapsed_ns, `latencies` of all their
 * transactions, and what they did with the drive meanwhile.
 */
struct database_sum {
	uint64_t elapsed_ns, transactions;
	struct latency latency;
	struct hist hist;
};

void database_sum(struct database *const *databases, size_t count, uint64_t elapsed_ns,
		  struct database_sum *sum);

/* Transactions a second, latencies; what each transaction cost the drive; pool, log, processors. */
void database_merits(struct database *const *databases, size_t count, const struct database_sum *sum,
		     const struct stats *stats, struct merits *merits);

#endif
