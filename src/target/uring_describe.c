/* uring_describe.c - what was opened, and what of the kernel's features was had, in words. */
#include "target/uring.h"

#include "base/units.h"

static void describe_device(struct buf *out, const struct blockdev *device)
{
	if (device->alias[0])
		buf_printf(out, "%s, ", device->alias);
	if (device->model[0])
		buf_printf(out, "%s, ", device->model);
	if (device->serial[0])
		buf_printf(out, "serial %s, ", device->serial);
	buf_puts(out, device->is_rotational ? "rotational, " : "");
	if (device->scheduler[0])
		buf_printf(out, "scheduler %s, ", device->scheduler);
}

static void describe_size(struct buf *out, const struct uring_target *uring)
{
	const struct target *base = &uring->base;
	uint64_t unused = uring->whole_bytes - base->size_bytes - base->tail_bytes;
	char size[UNITS_BYTES];

	buf_puts(out, format_size(base->size_bytes, size));
	if (unused)
		buf_printf(out, " (the first of %s)", format_size(uring->whole_bytes, size));
	buf_printf(out, " in %u-byte blocks", base->block_bytes);
	if (base->tail_bytes)
		buf_printf(out, " (a tail of %llu bytes is not used)", (unsigned long long)base->tail_bytes);
}

const char *uring_describe(struct target *target)
{
	struct uring_target *uring = uring_of(target);
	struct buf *out = &uring->description;

	out->size = 0;
	buf_printf(out, "%s: ", uring->path);
	if (uring->is_device)
		describe_device(out, &uring->device);
	describe_size(out, uring);
	buf_puts(out, "; io_uring");
	if (uring->is_direct)
		buf_puts(out, ", O_DIRECT");
	else
		buf_printf(out, ", buffered (%s)", uring->why_buffered);
	if (uring->has_fixed_file)
		buf_puts(out, ", registered file");
	if (uring->has_fixed_buffers)
		buf_puts(out, ", registered buffers");
	else if (uring->buffers)
		buf_puts(out, ", buffers not registered (is RLIMIT_MEMLOCK too low?)");
	if (uring->mode && *uring->mode)
		buf_printf(out, ", %s", uring->mode);
	return out->text;
}
