#include "cli/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "wire/unpack.h"

enum {
	IN_BYTES = 1 << 16,
	TEXT_BYTES = 1 << 17, /* the longest line */
};

struct lines {
	char *path;
	int fd;
	struct unpack *unpack;
	bool is_over;          /* the file */
	const uint8_t *in_at;
	size_t in_size;
	size_t at, size;       /* what is left of text[] */
	uint64_t number;
	uint8_t in[IN_BYTES];
	char text[TEXT_BYTES + 1];
};

/* What a part of it said, behind the path. */
static int prefix(const struct lines *lines, int err)
{
	_cleanup_free_ char *why = xstrdup(fail_message());

	return fail(-err, "%s: %s", lines->path, why);
}

static int read_in(struct lines *lines)
{
	ssize_t got = read(lines->fd, lines->in, sizeof(lines->in));

	if (got < 0)
		return fail(errno == EINVAL ? EIO : errno, "%s: %s", lines->path, strerror(errno));
	lines->in_at = lines->in;
	lines->in_size = (size_t)got;
	lines->is_over = got == 0;
	return 0;
}

int lines_open(const char *path, struct lines **out)
{
	struct lines *lines = xcalloc(1, sizeof(*lines));
	int err = 0;

	lines->path = xstrdup(path);
	lines->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (lines->fd < 0)
		err = fail(EINVAL, "%s: %s", path, strerror(errno));
	if (!err)
		err = read_in(lines);
	if (!err && (err = unpack_new(lines->in, lines->in_size, &lines->unpack)))
		err = prefix(lines, err);
	if (err) {
		lines_close(lines);
		return err;
	}
	*out = lines;
	return 0;
}

void lines_close(struct lines *lines)
{
	if (!lines)
		return;
	if (lines->fd >= 0)
		close(lines->fd);
	unpack_free(lines->unpack);
	free(lines->path);
	free(lines);
}

/* More text behind what is there: 1, or 0 at the end. */
static int more_text(struct lines *lines)
{
	memmove(lines->text, lines->text + lines->at, lines->size);
	lines->at = 0;
	for (;;) {
		int64_t got = unpack_some(lines->unpack, &lines->in_at, &lines->in_size,
					  (uint8_t *)lines->text + lines->size, TEXT_BYTES - lines->size);
		int err;

		if (got < 0)
			return prefix(lines, -EBADMSG);
		lines->size += (size_t)got;
		if (got)
			return 1;
		if (lines->in_size)
			continue; /* a member ended, another begins */
		if (lines->is_over)
			break;
		err = read_in(lines);
		if (err)
			return err;
	}
	if (!unpack_is_whole(lines->unpack))
		return fail(EBADMSG, "%s: ends in the middle of its packed data", lines->path);
	return 0;
}

int lines_next(struct lines *lines, const char **line, size_t *length)
{
	for (;;) {
		char *begin = lines->text + lines->at, *end = memchr(begin, '\n', lines->size);
		int more;

		if (end) {
			*line = begin;
			*length = (size_t)(end - begin);
			lines->at += *length + 1;
			lines->size -= *length + 1;
			lines->number++;
			return 1;
		}
		if (lines->size == TEXT_BYTES)
			return fail(EINVAL, "%s:%llu: a line of more than 128 KiB is none of a trace",
				    lines->path, (unsigned long long)lines->number + 1);
		more = more_text(lines);
		if (more < 0)
			return more;
		if (more)
			continue;
		*line = lines->text + lines->at;
		*length = lines->size;
		lines->size = 0;
		lines->number += *length > 0;
		return *length > 0;
	}
}

uint64_t lines_number(const struct lines *lines)
{
	return lines->number;
}

int lines_head(const char *path, char *out, size_t room, size_t *size)
{
	struct lines *lines;
	int err = lines_open(path, &lines), more = 1;

	if (err)
		return err;
	while (more > 0 && lines->size < room && lines->size < TEXT_BYTES)
		more = more_text(lines);
	*size = lines->size < room ? lines->size : room;
	memcpy(out, lines->text, *size);
	lines_close(lines);
	return more < 0 ? more : 0;
}
