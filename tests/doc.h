/* doc.h - the pages of doc/, for tests that hold them to what the program does. */
#ifndef DRIVEBAY_TESTS_DOC_H
#define DRIVEBAY_TESTS_DOC_H

#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/fail.h"
#include "tap.h"

/* The text of doc/NAME; the caller frees it. */
static char *doc_page(const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/doc/%s", SOURCE_ROOT, name);
	_cleanup_file_ FILE *file = fopen(path, "r");
	_cleanup_buf_ struct buf page = BUF_INIT;
	char chunk[4096];
	size_t got;

	if (!file)
		tap_fail("%s cannot be opened", path);
	while ((got = fread(chunk, 1, sizeof(chunk), file)) > 0)
		buf_append(&page, chunk, got);
	return xstrdup(page.text ? page.text : "");
}

/* Its block of YAML; the caller frees it. */
__attribute__((unused)) static char *doc_example(const char *name)
{
	_cleanup_free_ char *page = doc_page(name);
	const char *begin = strstr(page, "```yaml\n"), *end;

	if (!begin)
		tap_fail("%s has no example", name);
	begin += strlen("```yaml\n");
	end = strstr(begin, "```");
	if (!end)
		tap_fail("the example of %s does not end", name);
	return xasprintf("%.*s", (int)(end - begin), begin);
}

#endif
