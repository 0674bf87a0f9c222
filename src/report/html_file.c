/* Pages as files: never onto what is not ours, whole or not at all. */
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "report/page.h"

/* -EEXIST when there is something at `path` that must stay. */
static int may_replace(const char *path, bool force)
{
	char found[sizeof(PAGE_MARK) - 1];
	struct stat st;
	_cleanup_close_ int fd = -1;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? 0 : fail(errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(EEXIST, "%s: is not a regular file; the report goes to a new file or onto "
			    "an old report", path);
	if (force)
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(errno, "%s: %s", path, strerror(errno));
	if (read(fd, found, sizeof(found)) != (ssize_t)sizeof(found)
	    || memcmp(found, PAGE_MARK, sizeof(found)))
		return fail(EEXIST, "%s: exists and is no report of drivebay; choose another name with "
			    "--output, or replace it with 'drivebay report --force'", path);
	return 0;
}

static int write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		bytes += written;
		size -= (size_t)written;
	}
	return fsync(fd) < 0 && errno != EINVAL ? -errno : 0;
}

/*
 * Beside it first, then renamed: whoever looks sees the old page or the new one, whole. What a kill
 * has left there is in nobody's way the next time.
 */
static int write_file(const char *path, const struct buf *page)
{
	_cleanup_free_ char *beside = xasprintf("%s.draft", path);
	int fd, err;

	unlink(beside);
	fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return fail(errno, "%s: cannot be written: %s", path, strerror(errno));
	err = write_all(fd, page->text, page->size);
	if (close(fd) < 0 && !err)
		err = -errno;
	if (!err && rename(beside, path) < 0)
		err = -errno;
	if (!err)
		return 0;
	unlink(beside);
	return fail(-err, "%s: cannot be written: %s", path, strerror(-err));
}

int page_write(const struct buf *page, const char *path)
{
	int err = may_replace(path, false);

	return err ? err : write_file(path, page);
}

static int write_page(struct result *const *results, size_t count, const char *path, bool force)
{
	_cleanup_buf_ struct buf page = BUF_INIT;
	struct summary **summaries;
	int err;

	if (count > REPORT_RESULTS)
		return fail(EINVAL, "%zu results do not fit on one page; at most %d stand side by side",
			    count, REPORT_RESULTS);
	err = may_replace(path, force);
	if (err)
		return err;
	summaries = xcalloc(count, sizeof(*summaries));
	for (size_t i = 0; !err && i < count; i++)
		err = summary_read(results[i], &summaries[i]);
	if (!err) {
		summary_label(summaries, count);
		page_html(summaries, count, &page);
		err = write_file(path, &page);
	}
	for (size_t i = 0; i < count; i++)
		summary_free(summaries[i]);
	free(summaries);
	return err;
}

int report_may_write_html(const char *path)
{
	return may_replace(path, false);
}

int report_write_html(struct result *const *results, size_t count, const char *path)
{
	return write_page(results, count, path, false);
}

int report_overwrite_html(struct result *const *results, size_t count, const char *path)
{
	return write_page(results, count, path, true);
}
