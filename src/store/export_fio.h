/*
 * export_fio.h - a result in the shape of fio's JSON; private to store/.
 *
 * Two files have export_fio(): export_fio.c, and export_fio_none.c for a build without json-c.
 */
#ifndef DRIVEBAY_STORE_EXPORT_FIO_H
#define DRIVEBAY_STORE_EXPORT_FIO_H

#include <stdio.h>

#include "store/result.h"

/* Called as of one moment of the file. */
int export_fio(struct result *result, FILE *out);

#endif
