/*
 * yaml.h - a file as a small tree that knows its lines, and tables that map it onto structs.
 *
 * The YAML that people write by hand: mappings, lists and scalars. Scalars stay text until
 * a parser of units.h has understood all of it. Anchors, aliases, tags, keys that are not
 * scalars, a second document, more than YML_DEPTH levels and more than YML_NODES values
 * are refused: no file of ours needs them, and each is a way to do harm.
 *
 * All errors are -EINVAL with a sentence that begins with "FILE:LINE: ". The names begin
 * with yml_ because yaml_free() and its like belong to libyaml.
 */
#ifndef DRIVEBAY_BASE_YAML_H
#define DRIVEBAY_BASE_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	YML_BYTES = 1 << 20, /* of a file */
	YML_DEPTH = 16,
	YML_NODES = 20000,
};

enum yml_kind { YML_SCALAR, YML_LIST, YML_MAP };

struct yml_node {
	enum yml_kind kind;
	unsigned line;                  /* where its value begins, from 1 */
	unsigned key_line;              /* where its key stands; `line` where it has none */
	const struct yml_node *parent; /* NULL: the root */
	char *key;                      /* its key in a mapping; NULL in a list */
	char *text;                     /* of a scalar; else NULL */
	struct yml_node *first, *next; /* its children, its next sibling: in the file's order */
	size_t count;                   /* of its children */
};

struct yml {
	char *path;             /* as messages show it */
	char *text;             /* the file itself */
	struct yml_node *root; /* a mapping */
};

/* Reads a file, or `size` bytes that messages call `path`. Freed with yml_free(). */
int yml_load(const char *path, struct yml **out);
int yml_parse(const char *path, const void *bytes, size_t size, struct yml **out);
void yml_free(struct yml *yaml); /* NULL is fine */

/* "FILE:LINE: nand.read: SENTENCE"; the place in the tree is left out for the root. */
int yml_fail(const struct yml *yaml, const struct yml_node *node, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The child of a mapping with this key; NULL when there is none. */
const struct yml_node *yml_child(const struct yml_node *map, const char *key);

/*
 * A row of a schema: what a key of a mapping is, and where it goes. A table ends with a
 * row without a name.
 */
struct yml_key {
	const char *name;
	/* Reads `node` into `to`, which is offset bytes into the struct being filled. */
	int (*read)(const struct yml *yaml, const struct yml_node *node,
		    const struct yml_key *key, void *to);
	size_t offset;
	bool required;
	const char *help;         /* for the sentence about a missing one */
	uint64_t min, max;        /* numbers: the range allowed; max 0: any */
	const char *const *words; /* yml_read_word: what may stand here; NULL ends it */
	const void *context;      /* the reader's own */
};

/*
 * Reads a mapping by its table into the struct at `to`: every key known, every required
 * one there, each read in the order of the table. An unknown key is answered with the
 * nearest known one.
 */
int yml_read_map(const struct yml *yaml, const struct yml_node *map,
		  const struct yml_key *keys, void *to);

/* Readers. The numbers store a uint64_t, those called 32 a uint32_t. */
int yml_read_string(const struct yml *yaml, const struct yml_node *node,
		     const struct yml_key *key, void *to); /* char *, not empty, owned */
int yml_read_size(const struct yml *yaml, const struct yml_node *node,
		   const struct yml_key *key, void *to);
int yml_read_size32(const struct yml *yaml, const struct yml_node *node,
		     const struct yml_key *key, void *to);
int yml_read_duration(const struct yml *yaml, const struct yml_node *node,
		       const struct yml_key *key, void *to);
int yml_read_count(const struct yml *yaml, const struct yml_node *node,
		    const struct yml_key *key, void *to);
int yml_read_count32(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to);
int yml_read_percent(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to);
int yml_read_speed(const struct yml *yaml, const struct yml_node *node,
		    const struct yml_key *key, void *to);
int yml_read_milli(const struct yml *yaml, const struct yml_node *node,
		   const struct yml_key *key, void *to);
int yml_read_word(const struct yml *yaml, const struct yml_node *node,
		   const struct yml_key *key, void *to); /* uint64_t: index in key->words */

/* A list of scalars, or one scalar. */
struct yml_strings {
	char **texts;
	size_t count;
};

int yml_read_strings(const struct yml *yaml, const struct yml_node *node,
		      const struct yml_key *key, void *to); /* struct yml_strings */
void yml_strings_free(struct yml_strings *strings);

/*
 * A value that says where it comes from: {value: 60us, mark: assumed, source: "why"}.
 * All three are required; `value` is read as `key` says, the mark is stored as the index
 * in yml_marks (spec, calibrated, assumed), the source is owned by the caller.
 *
 * A calibrated one may also say how it is found again: `fitted`, a list of figures ("TEST
 * STATISTIC", or "DRIVE TEST STATISTIC"); then `prior`, the value without them, is required, and
 * `among`, a list of values to choose from, allowed. They are checked as `value` is, and stored
 * nowhere: who looks for values again (cli/fitted.h) reads the tree.
 */
struct yml_marked {
	uint64_t value, mark;
	char *source;
};

extern const char *const yml_marks[];

int yml_read_marked(const struct yml *yaml, const struct yml_node *node,
		     const struct yml_key *value, struct yml_marked *out);

#endif
