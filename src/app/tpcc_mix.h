/*
 * tpcc_mix.h - the transactions of TPC-C as visits to pages.
 *
 * The specification's tables, row lengths, mix and random numbers (NURand), laid out over the
 * pages of one database: each table in a region of its own, rows of a warehouse, and of a
 * district, next to each other. Upper levels of indexes are in memory. Rows that are inserted go
 * to the newest page of their district (history: of the database); when a table's region is full
 * its oldest page is taken again, so that the database keeps its size.
 */
#ifndef DRIVEBAY_APP_TPCC_MIX_H
#define DRIVEBAY_APP_TPCC_MIX_H

#include "app/session.h"

enum tpcc_kind { TPCC_NEW_ORDER, TPCC_PAYMENT, TPCC_ORDER_STATUS, TPCC_DELIVERY, TPCC_STOCK_LEVEL };

enum { TPCC_KINDS = 5, TPCC_DISTRICTS = 10, TPCC_VISITS = 512 };

enum tpcc_table {
	TPCC_WAREHOUSE, TPCC_DISTRICT, TPCC_CUSTOMER, TPCC_HISTORY, TPCC_NEW_ORDERS, TPCC_ORDERS,
	TPCC_LINES, TPCC_STOCK, TPCC_ITEM, TPCC_TABLES,
};

struct tpcc_place {
	uint64_t first_page;     /* of the table */
	uint64_t group_rows, group_pages; /* of a district, or a warehouse, or all */
};

struct tpcc_layout {
	uint64_t warehouses, page_count;
	struct tpcc_place tables[TPCC_TABLES];
};

/* Pages of page_bytes, of which rows fill so much that `warehouses` take data_bytes. */
struct tpcc_layout tpcc_layout_of(uint64_t warehouses, uint64_t page_bytes, uint64_t data_bytes);

/* What moves on: the number of orders of each district, and of rows of history. */
struct tpcc_state {
	uint64_t *orders;        /* by warehouse x TPCC_DISTRICTS + district */
	uint64_t *lines;         /* likewise: rows of order lines so far */
	uint64_t history;
};

void tpcc_state_init(struct tpcc_state *state, const struct tpcc_layout *layout);
void tpcc_state_free(struct tpcc_state *state);

/* By the specification's mix: 45, 43, 4, 4 and 4 in a hundred. */
enum tpcc_kind tpcc_draw_kind(struct rng *rng);

/* Keying is a constant, thinking exponential with this mean; in ms, by the specification. */
uint64_t tpcc_keying_ms(enum tpcc_kind kind);
uint64_t tpcc_thinking_ms(enum tpcc_kind kind);

/*
 * Where somebody is in the cycle at any moment: thinking after *kind or keying it in, each as
 * likely as it takes long. True: thinking.
 */
bool tpcc_draw_moment(struct rng *rng, enum tpcc_kind *kind);

/* Of keying and thinking together, by the mix, in us: 20,990,000. */
uint64_t tpcc_cycle_us(void);

/* Statements of the mean transaction, in hundredths, the commit included. */
uint64_t tpcc_statements_centi(void);

/* Fills a session that has begun. */
void tpcc_plan(struct session *session, const struct tpcc_layout *layout, struct tpcc_state *state,
	       enum tpcc_kind kind, uint64_t warehouse, uint32_t change_bytes);

#endif
