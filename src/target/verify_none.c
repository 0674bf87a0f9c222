/* verify_none.c - for a build without ISA-L, whose CRC32C the stamps are made with. */
#include "target/target.h"

#include <errno.h>

#include "base/fail.h"

static int verify_open(const char *arg, const struct target_options *options, struct target **out)
{
	(void)arg;
	(void)options;
	(void)out;
	return fail(ENOTSUP, "verify: this drivebay was built without ISA-L (Debian: libisal-dev), whose "
			     "CRC32C it needs");
}

const struct target_ops target_verify_ops = {
	.name = "verify",
	.help = "not in this build: it lacks ISA-L (Debian: libisal-dev)",
	.open = verify_open,
};
