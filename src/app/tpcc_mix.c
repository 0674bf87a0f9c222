#include "app/tpcc_mix.h"

#include <stdlib.h>

#include "base/fail.h"

enum {
	CUSTOMERS = 3000,      /* of a district, and its orders at the beginning */
	ITEMS = 100000,        /* and the stock of each warehouse */
	OPEN_ORDERS = 900,     /* not delivered yet */
	LINES_LEAST = 5, LINES_MOST = 15, LINES_MEAN = 10,
	RECENT_ORDERS = 20,    /* that stock-level looks at */
};

static const struct kind {
	uint32_t percent, keying_ms, thinking_ms, statements;
} kinds[TPCC_KINDS] = {
	/* Statements: three for each line of an order; what one reads of a set is one. */
	[TPCC_NEW_ORDER] = { 45, 18000, 12000, 5 + 3 * LINES_MEAN + 1 },
	[TPCC_PAYMENT] = { 43, 3000, 12000, 4 + 1 },
	[TPCC_ORDER_STATUS] = { 4, 2000, 10000, 3 + 1 },
	[TPCC_DELIVERY] = { 4, 2000, 5000, 4 * TPCC_DISTRICTS + 1 },
	[TPCC_STOCK_LEVEL] = { 4, 2000, 5000, 3 + 1 },
};

enum tpcc_kind tpcc_draw_kind(struct rng *rng)
{
	uint64_t draw = rng_below(rng, 100);
	enum tpcc_kind kind = TPCC_NEW_ORDER;

	while (draw >= kinds[kind].percent)
		draw -= kinds[kind++].percent;
	return kind;
}

uint64_t tpcc_keying_ms(enum tpcc_kind kind)
{
	return kinds[kind].keying_ms;
}

uint64_t tpcc_thinking_ms(enum tpcc_kind kind)
{
	return kinds[kind].thinking_ms;
}

bool tpcc_draw_moment(struct rng *rng, enum tpcc_kind *kind)
{
	uint64_t draw = rng_below(rng, tpcc_cycle_us());

	for (*kind = TPCC_NEW_ORDER;; (*kind)++) {
		uint64_t thinking = (uint64_t)kinds[*kind].percent * kinds[*kind].thinking_ms * 10;
		uint64_t keying = (uint64_t)kinds[*kind].percent * kinds[*kind].keying_ms * 10;

		if (draw < thinking)
			return true;
		if (draw < thinking + keying)
			return false;
		draw -= thinking + keying;
	}
}

uint64_t tpcc_cycle_us(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < TPCC_KINDS; i++)
		sum += kinds[i].percent * (kinds[i].keying_ms + kinds[i].thinking_ms) * 10;
	return sum;
}

uint64_t tpcc_statements_centi(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < TPCC_KINDS; i++)
		sum += kinds[i].percent * kinds[i].statements;
	return sum;
}

/* ---- layout ---- */

/* Row lengths and numbers of rows: clause 4.2.2 and 1.2 of the specification. */
static const struct table {
	uint64_t bytes, rows; /* rows of a group */
	uint64_t groups;      /* of a warehouse; 0: one for all */
} tables[TPCC_TABLES] = {
	[TPCC_WAREHOUSE] = { 89, 1, 1 },
	[TPCC_DISTRICT] = { 95, TPCC_DISTRICTS, 1 },
	[TPCC_CUSTOMER] = { 655, CUSTOMERS, TPCC_DISTRICTS },
	[TPCC_HISTORY] = { 46, CUSTOMERS * TPCC_DISTRICTS, 1 },
	[TPCC_NEW_ORDERS] = { 8, OPEN_ORDERS, TPCC_DISTRICTS },
	[TPCC_ORDERS] = { 24, CUSTOMERS, TPCC_DISTRICTS },
	[TPCC_LINES] = { 54, CUSTOMERS * LINES_MEAN, TPCC_DISTRICTS },
	[TPCC_STOCK] = { 306, ITEMS, 1 },
	[TPCC_ITEM] = { 82, ITEMS, 0 },
};

static uint64_t bytes_of_all(uint64_t warehouses)
{
	uint64_t bytes = 0;

	for (int i = 0; i < TPCC_TABLES; i++)
		bytes += tables[i].bytes * tables[i].rows * (tables[i].groups ? tables[i].groups * warehouses : 1);
	return bytes;
}

struct tpcc_layout tpcc_layout_of(uint64_t warehouses, uint64_t page_bytes, uint64_t data_bytes)
{
	struct tpcc_layout layout = { .warehouses = warehouses };
	uint64_t all_bytes = bytes_of_all(warehouses);

	for (int i = 0; i < TPCC_TABLES; i++) {
		struct tpcc_place *place = &layout.tables[i];
		uint64_t groups = tables[i].groups ? tables[i].groups * warehouses : 1;
		/* A row takes its share of the published size: indexes, room left free, all of it. */
		unsigned __int128 bytes = (unsigned __int128)tables[i].bytes * tables[i].rows * data_bytes /
					  all_bytes;

		place->group_rows = tables[i].rows;
		place->group_pages = (uint64_t)((bytes + page_bytes - 1) / page_bytes);
		place->first_page = layout.page_count;
		layout.page_count += groups * place->group_pages;
	}
	return layout;
}

void tpcc_state_init(struct tpcc_state *state, const struct tpcc_layout *layout)
{
	uint64_t districts = layout->warehouses * TPCC_DISTRICTS;

	*state = (struct tpcc_state){
		.orders = xcalloc(districts, sizeof(*state->orders)),
		.lines = xcalloc(districts, sizeof(*state->lines)),
	};
	for (uint64_t i = 0; i < districts; i++) {
		state->orders[i] = CUSTOMERS;
		state->lines[i] = CUSTOMERS * LINES_MEAN;
	}
}

void tpcc_state_free(struct tpcc_state *state)
{
	free(state->orders);
	free(state->lines);
}

/* ---- a transaction ---- */

struct writer {
	struct session *session;
	const struct tpcc_layout *layout;
	struct tpcc_state *state;
	uint32_t change_bytes;
};

/* Row `row` of a group; rows beyond its pages begin at its first page again. */
static uint64_t page_of(const struct writer *writer, enum tpcc_table table, uint64_t group, uint64_t row)
{
	const struct tpcc_place *place = &writer->layout->tables[table];

	return place->first_page + group * place->group_pages +
	       row % place->group_rows * place->group_pages / place->group_rows;
}

static void reads(const struct writer *writer, uint64_t page, bool is_statement)
{
	session_visit(writer->session, &(struct visit){ .page = page, .is_statement = is_statement });
}

static void changes(const struct writer *writer, uint64_t page, bool is_statement)
{
	session_visit(writer->session, &(struct visit){ .page = page, .is_statement = is_statement,
							.change_bytes = writer->change_bytes });
}

static void inserts(const struct writer *writer, enum tpcc_table table, uint64_t group, uint64_t row)
{
	uint64_t page = page_of(writer, table, group, row);

	session_visit(writer->session, &(struct visit){
		.page = page,
		.is_statement = true,
		.is_new = row > 0 && page != page_of(writer, table, group, row - 1),
		.change_bytes = writer->change_bytes });
}

static uint64_t between(struct rng *rng, uint64_t low, uint64_t high)
{
	return low + rng_below(rng, high - low + 1);
}

/* The specification's non-uniform random number, from 0; its constant C as any other is 0. */
static uint64_t nurand(struct rng *rng, uint64_t a, uint64_t count)
{
	uint64_t low = rng_below(rng, a + 1), high = 1 + rng_below(rng, count);

	return (low | high) % count;
}

static uint64_t draw_item(struct rng *rng)
{
	return nurand(rng, 8191, ITEMS);
}

/* By number, or (six times in ten) by name: three have it, and the one in the middle is meant. */
static uint64_t find_customer(const struct writer *writer, uint64_t district, bool may_be_named)
{
	struct rng *rng = &writer->session->rng;
	bool named = may_be_named && rng_below(rng, 100) < 60;

	if (!named)
		return page_of(writer, TPCC_CUSTOMER, district, nurand(rng, 1023, CUSTOMERS));
	reads(writer, page_of(writer, TPCC_CUSTOMER, district, rng_below(rng, CUSTOMERS)), true);
	reads(writer, page_of(writer, TPCC_CUSTOMER, district, rng_below(rng, CUSTOMERS)), false);
	return page_of(writer, TPCC_CUSTOMER, district, rng_below(rng, CUSTOMERS));
}

static uint64_t other_warehouse(const struct writer *writer, uint64_t own, uint32_t percent)
{
	struct rng *rng = &writer->session->rng;
	uint64_t count = writer->layout->warehouses;

	if (count == 1 || rng_below(rng, 100) >= percent)
		return own;
	return (own + 1 + rng_below(rng, count - 1)) % count;
}

static void plan_new_order(const struct writer *writer, uint64_t warehouse, uint64_t district)
{
	struct rng *rng = &writer->session->rng;
	uint64_t lines = between(rng, LINES_LEAST, LINES_MOST);
	uint64_t order = writer->state->orders[district]++;

	reads(writer, page_of(writer, TPCC_WAREHOUSE, warehouse, 0), true);
	changes(writer, page_of(writer, TPCC_DISTRICT, warehouse, district % TPCC_DISTRICTS), true);
	reads(writer, find_customer(writer, district, false), true);
	inserts(writer, TPCC_ORDERS, district, order);
	inserts(writer, TPCC_NEW_ORDERS, district, order);
	for (uint64_t i = 0; i < lines; i++) {
		uint64_t item = draw_item(rng);

		reads(writer, page_of(writer, TPCC_ITEM, 0, item), true);
		changes(writer, page_of(writer, TPCC_STOCK, other_warehouse(writer, warehouse, 1), item),
			true);
		inserts(writer, TPCC_LINES, district, writer->state->lines[district]++);
	}
}

static void plan_payment(const struct writer *writer, uint64_t warehouse, uint64_t district)
{
	uint64_t home = other_warehouse(writer, warehouse, 15);

	changes(writer, page_of(writer, TPCC_WAREHOUSE, warehouse, 0), true);
	changes(writer, page_of(writer, TPCC_DISTRICT, warehouse, district % TPCC_DISTRICTS), true);
	changes(writer, find_customer(writer, home * TPCC_DISTRICTS + district % TPCC_DISTRICTS, true), true);
	inserts(writer, TPCC_HISTORY, 0, writer->state->history++);
}

/* The lines of an order: at the place where those of its age are. */
static uint64_t lines_of(const struct writer *writer, uint64_t district, uint64_t orders_ago)
{
	uint64_t lines = writer->state->lines[district];

	return lines > orders_ago * LINES_MEAN ? lines - orders_ago * LINES_MEAN : 0;
}

static void plan_order_status(const struct writer *writer, uint64_t district)
{
	uint64_t orders = writer->state->orders[district];
	uint64_t ago = 1 + rng_below(&writer->session->rng, CUSTOMERS);

	reads(writer, find_customer(writer, district, true), true);
	reads(writer, page_of(writer, TPCC_ORDERS, district, orders > ago ? orders - ago : 0), true);
	reads(writer, page_of(writer, TPCC_LINES, district, lines_of(writer, district, ago)), true);
}

/* The oldest open order of each district of the warehouse. */
static void plan_delivery(const struct writer *writer, uint64_t warehouse)
{
	struct rng *rng = &writer->session->rng;

	for (uint64_t i = 0; i < TPCC_DISTRICTS; i++) {
		uint64_t district = warehouse * TPCC_DISTRICTS + i;
		uint64_t order = writer->state->orders[district] - OPEN_ORDERS;

		changes(writer, page_of(writer, TPCC_NEW_ORDERS, district, order), true);
		changes(writer, page_of(writer, TPCC_ORDERS, district, order), true);
		changes(writer, page_of(writer, TPCC_LINES, district,
					lines_of(writer, district, OPEN_ORDERS)), true);
		changes(writer, page_of(writer, TPCC_CUSTOMER, district, rng_below(rng, CUSTOMERS)), true);
	}
}

/* The stock of what the last orders were about. */
static void plan_stock_level(const struct writer *writer, uint64_t warehouse, uint64_t district)
{
	uint64_t from = lines_of(writer, district, RECENT_ORDERS), to = writer->state->lines[district];
	uint64_t last = UINT64_MAX, page;

	reads(writer, page_of(writer, TPCC_DISTRICT, warehouse, district % TPCC_DISTRICTS), true);
	for (uint64_t row = from; row < to; row++, last = page) {
		page = page_of(writer, TPCC_LINES, district, row);
		if (page != last)
			reads(writer, page, row == from);
	}
	for (uint64_t i = 0; i < RECENT_ORDERS * LINES_MEAN; i++)
		reads(writer, page_of(writer, TPCC_STOCK, warehouse, draw_item(&writer->session->rng)), i == 0);
}

void tpcc_plan(struct session *session, const struct tpcc_layout *layout, struct tpcc_state *state,
	       enum tpcc_kind kind, uint64_t warehouse, uint32_t change_bytes)
{
	const struct writer writer = { session, layout, state, change_bytes };
	uint64_t district = warehouse * TPCC_DISTRICTS + rng_below(&session->rng, TPCC_DISTRICTS);

	switch (kind) {
	case TPCC_NEW_ORDER:
		plan_new_order(&writer, warehouse, district);
		return;
	case TPCC_PAYMENT:
		plan_payment(&writer, warehouse, district);
		return;
	case TPCC_ORDER_STATUS:
		plan_order_status(&writer, district);
		return;
	case TPCC_DELIVERY:
		plan_delivery(&writer, warehouse);
		return;
	case TPCC_STOCK_LEVEL:
		plan_stock_level(&writer, warehouse, district);
		return;
	}
	abort();
}
