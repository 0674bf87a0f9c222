/* export_fio_none.c - for a build without a JSON library. */
#include "store/export_fio.h"

#include <errno.h>

#include "base/fail.h"

int export_fio(struct result *result, FILE *out)
{
	(void)result;
	(void)out;
	return fail(ENOTSUP, "--json: this drivebay was built without json-c (Debian: libjson-c-dev); "
			     "--csv is what it can do");
}
