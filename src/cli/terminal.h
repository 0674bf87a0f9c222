/*
 * terminal.h - how wide the tables on stdout may be.
 */
#ifndef DRIVEBAY_CLI_TERMINAL_H
#define DRIVEBAY_CLI_TERMINAL_H

enum { TERMINAL_NARROW = 80, TERMINAL_WIDEST = 400 };

/*
 * The width asked for with --columns, or 0 for that of the terminal (TERMINAL_NARROW where there
 * is none); -EINVAL with a sentence when nobody could read it.
 */
int terminal_columns(int asked, unsigned *columns);

#endif
