#include "wire/unpack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#ifdef DRIVEBAY_ZLIB
#include <zlib.h>
#endif
#ifdef DRIVEBAY_ZSTD
#include <zstd.h>
#endif

#include "base/fail.h"

enum packing { PACKED_NOT, PACKED_GZIP, PACKED_ZSTD };

struct unpack {
	enum packing packing;
	bool is_whole; /* at the end of a member or frame, where the file may end */
#ifdef DRIVEBAY_ZLIB
	z_stream zlib;
#endif
#ifdef DRIVEBAY_ZSTD
	ZSTD_DStream *zstd;
#endif
};

static enum packing packing_of(const uint8_t *head, size_t size)
{
	static const uint8_t zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };

	if (size >= 2 && head[0] == 0x1f && head[1] == 0x8b)
		return PACKED_GZIP;
	return size >= 4 && !memcmp(head, zstd, 4) ? PACKED_ZSTD : PACKED_NOT;
}

static int begin_gzip(struct unpack *unpack)
{
#ifdef DRIVEBAY_ZLIB
	if (inflateInit2(&unpack->zlib, 15 + 16) != Z_OK)
		return fail(ENOMEM, "zlib cannot begin");
	return 0;
#else
	(void)unpack;
	return fail(ENOTSUP, "is packed with gzip, which this build cannot read; build it with zlib1g-dev, "
		    "or unpack the file first");
#endif
}

static int begin_zstd(struct unpack *unpack)
{
#ifdef DRIVEBAY_ZSTD
	unpack->zstd = ZSTD_createDStream();
	return unpack->zstd ? 0 : fail(ENOMEM, "zstd cannot begin");
#else
	(void)unpack;
	return fail(ENOTSUP, "is packed with zstd, which this build cannot read; build it with libzstd-dev, "
		    "or unpack the file first");
#endif
}

int unpack_new(const uint8_t *head, size_t size, struct unpack **out)
{
	struct unpack *unpack = xcalloc(1, sizeof(*unpack));
	int err = 0;

	unpack->packing = packing_of(head, size);
	unpack->is_whole = unpack->packing == PACKED_NOT;
	if (unpack->packing == PACKED_GZIP)
		err = begin_gzip(unpack);
	else if (unpack->packing == PACKED_ZSTD)
		err = begin_zstd(unpack);
	if (err) {
		free(unpack);
		return err;
	}
	*out = unpack;
	return 0;
}

void unpack_free(struct unpack *unpack)
{
	if (!unpack)
		return;
#ifdef DRIVEBAY_ZLIB
	if (unpack->packing == PACKED_GZIP)
		inflateEnd(&unpack->zlib);
#endif
#ifdef DRIVEBAY_ZSTD
	ZSTD_freeDStream(unpack->zstd);
#endif
	free(unpack);
}

static int64_t copy_some(const uint8_t **in, size_t *size, uint8_t *out, size_t room)
{
	size_t count = *size < room ? *size : room;

	memcpy(out, *in, count);
	*in += count;
	*size -= count;
	return (int64_t)count;
}

#ifdef DRIVEBAY_ZLIB
/* Members may follow each other, as `cat a.gz b.gz` has them. */
static int64_t inflate_some(struct unpack *unpack, const uint8_t **in, size_t *size, uint8_t *out,
			    size_t room)
{
	z_stream *zlib = &unpack->zlib;
	size_t limit = 1u << 30;
	int rc;

	if (unpack->is_whole && *size == 0)
		return 0;
	if (unpack->is_whole)
		inflateReset(zlib);
	unpack->is_whole = false;
	zlib->next_in = (Bytef *)(uintptr_t)*in;
	zlib->avail_in = (uInt)(*size < limit ? *size : limit);
	zlib->next_out = out;
	zlib->avail_out = (uInt)(room < limit ? room : limit);
	rc = inflate(zlib, Z_NO_FLUSH);
	*size -= (size_t)(zlib->next_in - *in);
	*in = zlib->next_in;
	if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
		return fail(EBADMSG, "its gzip data are damaged");
	unpack->is_whole = rc == Z_STREAM_END;
	return zlib->next_out - out;
}
#endif

#ifdef DRIVEBAY_ZSTD
static int64_t decompress_some(struct unpack *unpack, const uint8_t **in, size_t *size, uint8_t *out,
			       size_t room)
{
	ZSTD_inBuffer from = { *in, *size, 0 };
	ZSTD_outBuffer to = { out, room, 0 };
	size_t rc = ZSTD_decompressStream(unpack->zstd, &to, &from);

	if (ZSTD_isError(rc))
		return fail(EBADMSG, "its zstd data are damaged");
	*in += from.pos;
	*size -= from.pos;
	if (from.pos || to.pos)
		unpack->is_whole = rc == 0;
	return (int64_t)to.pos;
}
#endif

int64_t unpack_some(struct unpack *unpack, const uint8_t **in, size_t *size, uint8_t *out, size_t room)
{
	switch (unpack->packing) {
	case PACKED_NOT:
		return copy_some(in, size, out, room);
	case PACKED_GZIP:
#ifdef DRIVEBAY_ZLIB
		return inflate_some(unpack, in, size, out, room);
#else
		break;
#endif
	case PACKED_ZSTD:
#ifdef DRIVEBAY_ZSTD
		return decompress_some(unpack, in, size, out, room);
#else
		break;
#endif
	}
	abort();
}

bool unpack_is_whole(const struct unpack *unpack)
{
	return unpack->is_whole;
}
