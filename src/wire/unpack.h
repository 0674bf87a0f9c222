/*
 * unpack.h - what gzip or zstd packed, piece by piece; anything else as it is.
 *
 * Which it is the first bytes tell. A build without zlib or libzstd says so in a sentence.
 */
#ifndef DRIVEBAY_WIRE_UNPACK_H
#define DRIVEBAY_WIRE_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unpack;

/* For a file that begins so; `size` may be less than four only where the file is. */
int unpack_new(const uint8_t *head, size_t size, struct unpack **out);
void unpack_free(struct unpack *unpack); /* NULL is fine */

/*
 * Takes what it can from *in (and moves it on), gives at most `room` bytes into out. How many, or
 * -EBADMSG with a sentence. 0: more input is needed, or that was all.
 */
int64_t unpack_some(struct unpack *unpack, const uint8_t **in, size_t *size, uint8_t *out,
		    size_t room);

/* Is the input allowed to end here? */
bool unpack_is_whole(const struct unpack *unpack);

#endif
