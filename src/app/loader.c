#include "app/loader.h"

#include <stdlib.h>

#include "base/fail.h"

enum { WRITE_BYTES = 128 << 10, DEPTH = 8 };

/* One region on its way in. */
struct loader {
	struct machine *machine;
	struct region region;
	uint64_t next_bytes;      /* of the region: what goes out next */
	uint32_t *writing;        /* requests of all loaders */
	bool *done;
	struct request requests[DEPTH];
};

static void write_next(struct request *request)
{
	struct loader *loader = request->owner;
	uint64_t left = loader->region.size_bytes - loader->next_bytes;
	uint32_t bytes = left < WRITE_BYTES ? (uint32_t)left : WRITE_BYTES;

	if (bytes == 0) {
		*loader->done = --*loader->writing == 0;
		return;
	}
	machine_send(loader->machine, request, IO_WRITE, loader->region.at_bytes + loader->next_bytes,
		     bytes);
	loader->next_bytes += bytes;
}

int load_regions(struct machine *machine, const struct region *regions, size_t count)
{
	struct loader *loaders = xcalloc(count, sizeof(*loaders));
	uint32_t writing = (uint32_t)count * DEPTH;
	bool done = false;
	int err;

	for (size_t i = 0; i < count; i++)
		loaders[i] = (struct loader){ .machine = machine, .region = regions[i],
					      .writing = &writing, .done = &done };
	for (size_t k = 0; k < DEPTH; k++)
		for (size_t i = 0; i < count; i++) {
			loaders[i].requests[k].owner = &loaders[i];
			loaders[i].requests[k].done = write_next;
			write_next(&loaders[i].requests[k]);
		}
	err = machine_run(machine, UINT64_MAX, &done);
	if (err)
		machine_drain(machine);
	free(loaders);
	return err;
}
