/*
 * embed - files into a C array: embed NAME OUTPUT.c INPUT... writes the inputs one after
 * another, with a line feed between them, as `const char NAME[]`, NUL-terminated, and
 * `const size_t NAME_bytes`.
 *
 * A program of the build (meson runs it), so that what a page needs is part of drivebay and
 * a change of an input rebuilds it. Links to source maps are left out: a page must not make
 * anybody look for other files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static int complain(const char *path, const char *reason)
{
	fprintf(stderr, "embed: %s: %s\n", path, reason);
	return 1;
}

/*
 * As string literals of at most 100 bytes. Octal escapes always have three digits, so that
 * a digit after one is not taken for a part of it; '?' is escaped because two of them can
 * begin a trigraph.
 */
static void write_line(const char *line, size_t length, FILE *out)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)line[i];

		if (i % 100 == 0)
			fputs(i ? "\"\n\"" : "\"", out);
		if (byte < 0x20 || byte > 0x7e || byte == '"' || byte == '\\' || byte == '?')
			fprintf(out, "\\%03o", byte);
		else
			putc(byte, out);
	}
	fputs(length ? "\"\n" : "", out);
}

static int copy(const char *path, FILE *out)
{
	FILE *in = fopen(path, "r");
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;

	if (!in)
		return complain(path, strerror(errno));
	while ((length = getline(&line, &capacity, in)) > 0) {
		/* The page wraps it in <script> or <style>, which this would end. */
		if (strstr(line, "</script") || strstr(line, "</style"))
			return complain(path, "holds an end tag");
		if (strncmp(line, "//# sourceMappingURL=", 21))
			write_line(line, (size_t)length, out);
	}
	write_line("\n", 1, out);
	free(line);
	return fclose(in) ? complain(path, strerror(errno)) : 0;
}

int main(int argc, char **argv)
{
	FILE *out;

	if (argc < 4)
		return complain("usage", "embed NAME OUTPUT.c INPUT...");
	out = fopen(argv[2], "w");
	if (!out)
		return complain(argv[2], strerror(errno));
	fprintf(out, "#include \"report/assets.h\"\n\nconst char %s[] =\n", argv[1]);
	for (int i = 3; i < argc; i++)
		if (copy(argv[i], out))
			return 1;
	fprintf(out, ";\nconst size_t %s_bytes = sizeof(%s) - 1;\n", argv[1], argv[1]);
	return fclose(out) ? complain(argv[2], strerror(errno)) : 0;
}
