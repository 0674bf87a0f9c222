#include "cli/completion.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/fail.h"
#include "cli/options.h"

/* What can stand in a place: words of its own, lists of `drivebay list`, files. */
struct place {
	struct buf words; /* "drives beds", each with a blank behind it */
	struct buf lists; /* "drives workloads " */
	bool files, results, directories, commands;
};

static void place_free(struct place *place)
{
	buf_free(&place->words);
	buf_free(&place->lists);
}

#define _cleanup_place_ __attribute__((cleanup(place_free)))

static void put_word(struct buf *out, const char *word, size_t length)
{
	buf_printf(out, "%.*s ", (int)length, word);
}

/* One word of a command's arguments: "TARGET", "RESULT...", "drives". */
static void add_argument(struct place *place, const char *word, size_t length)
{
	static const char *const results[] = { "RESULT", "RESULT...", "A", "B" };

	for (size_t i = 0; i < sizeof(results) / sizeof(*results); i++)
		if (strlen(results[i]) == length && !strncmp(word, results[i], length))
			place->results = true;
	if (islower((unsigned char)*word))
		put_word(&place->words, word, length);
	else if (length == 6 && !strncmp(word, "TARGET", 6))
		place->files = true, put_word(&place->lists, "drives", 6);
	else if (length == 8 && !strncmp(word, "WORKLOAD", 8))
		place->files = true, put_word(&place->lists, "workloads", 9);
	else if (length == 3 && !strncmp(word, "DIR", 3))
		place->directories = true;
	else if (length == 7 && !strncmp(word, "COMMAND", 7))
		place->commands = true;
	else if (!place->results)
		place->files = true;
}

/* "[WORKLOAD] TARGET", "[drives|beds [DIR]]" */
static struct place arguments_of(const char *arguments)
{
	struct place place = { .words = BUF_INIT, .lists = BUF_INIT };

	while (*arguments) {
		size_t length = strcspn(arguments, " []|");

		if (length)
			add_argument(&place, arguments, length);
		arguments += length + (arguments[length] != '\0');
	}
	return place;
}

/* What an option takes; most take what only the asker knows. */
static struct place value_of(const struct poptOption *row)
{
	static const char *const lists[][2] = { { "bed", "beds" }, { "only", "plans" } };
	static const char *const files[] = { "FILE", "PATH", "JOB", "DIR" };
	struct place place = { .words = BUF_INIT, .lists = BUF_INIT };
	const char *argument = option_argument(row);

	for (size_t i = 0; row->longName && i < sizeof(lists) / sizeof(*lists); i++)
		if (!strcmp(row->longName, lists[i][0]))
			put_word(&place.lists, lists[i][1], strlen(lists[i][1]));
	for (size_t i = 0; argument && i < sizeof(files) / sizeof(*files); i++)
		place.files |= !strcmp(argument, files[i]);
	if (argument && !strcmp(argument, "RESULT"))
		place.results = true;
	if (argument && islower((unsigned char)*argument) && strchr(argument, '|')) {
		struct place words = arguments_of(argument);

		buf_puts(&place.words, words.words.text ? words.words.text : "");
		place_free(&words);
	}
	return place;
}

/* Bash */

static void bash_place(FILE *out, const struct place *place)
{
	if (place->words.text)
		fprintf(out, " words='%s'", place->words.text);
	if (place->lists.text)
		fprintf(out, " lists='%s'", place->lists.text);
	if (place->commands)
		fputs(" words=$commands", out);
	fprintf(out, "%s%s%s", place->files ? " files=1" : "", place->results ? " results=1" : "",
		place->directories ? " directories=1" : "");
}

/* For a visitor of options. */
struct rows {
	FILE *out;
	const struct command *command;
};

static void bash_name(void *context, const struct poptOption *row)
{
	const struct rows *bash = context;

	if (row->longName)
		fprintf(bash->out, " --%s%s", row->longName, option_argument(row) ? "=" : "");
	if (row->shortName)
		fprintf(bash->out, " -%c", row->shortName);
}

static void bash_value(void *context, const struct poptOption *row)
{
	const struct rows *bash = context;
	_cleanup_place_ struct place value = value_of(row);

	if (!option_argument(row))
		return;
	fprintf(bash->out, "\t\"%s ", bash->command->name);
	if (row->longName)
		fprintf(bash->out, "--%s\"", row->longName);
	if (row->longName && row->shortName)
		fprintf(bash->out, "|\"%s ", bash->command->name);
	if (row->shortName)
		fprintf(bash->out, "-%c\"", row->shortName);
	fputs(") value=1;", bash->out);
	bash_place(bash->out, &value);
	fputs(" ;;\n", bash->out);
}

static const char bash_head[] =
	"# Completion of drivebay for bash; made from its table of options.\n"
	"_drivebay()\n"
	"{\n"
	"	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	"	local command=${COMP_WORDS[1]} program=${COMP_WORDS[0]}\n"
	"	local words= lists= files= results= directories= options= value= list IFS=$' \\t\\n'\n";

/* Bash cuts "--bed=x" into three words. */
static const char bash_middle[] =
	"	COMPREPLY=()\n"
	"	if [ \"$COMP_CWORD\" -le 1 ]; then\n"
	"		COMPREPLY=($(compgen -W \"$commands\" -- \"$cur\"))\n"
	"		return\n"
	"	fi\n"
	"	[ \"$prev\" = = ] && prev=${COMP_WORDS[COMP_CWORD-2]}\n"
	"	[ \"$cur\" = = ] && cur=\n";

static const char bash_tail[] =
	"	if [ -z \"$value\" ]; then\n"
	"		case $cur in\n"
	"		-*)\n"
	"			COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
	"			[[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n"
	"			return ;;\n"
	"		esac\n"
	"	fi\n"
	"	for list in $lists; do\n"
	"		words+=\" $(\"$program\" list \"$list\" 2>/dev/null | cut -d ' ' -f 1)\"\n"
	"	done\n"
	"	COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	"	IFS=$'\\n'\n"
	"	[ -n \"$files\" ] && COMPREPLY+=($(compgen -f -- \"$cur\"))\n"
	"	[ -n \"$results\" ] && COMPREPLY+=($(compgen -f -X '!*.drivebay' -- \"$cur\") $(compgen -d -- \"$cur\"))\n"
	"	[ -n \"$directories\" ] && COMPREPLY+=($(compgen -d -- \"$cur\"))\n"
	"	[ -n \"$files$results$directories\" ] && compopt -o filenames 2>/dev/null\n"
	"	return 0\n"
	"}\n"
	"complete -F _drivebay drivebay\n";

static void print_bash(FILE *out, const struct command *const *commands)
{
	fputs(bash_head, out);
	fputs("	local commands='", out);
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "%s ", commands[i]->name);
	fputs("help'\n", out);
	fputs(bash_middle, out);
	fputs("	case $command in\n", out);
	for (size_t i = 0; commands[i]; i++) {
		struct rows bash = { out, commands[i] };

		fprintf(out, "\t%s) options='", commands[i]->name);
		options_walk(commands[i]->options, bash_name, &bash);
		fputs("' ;;\n", out);
	}
	fputs("	esac\n	case \"$command $prev\" in\n", out);
	for (size_t i = 0; commands[i]; i++) {
		struct rows bash = { out, commands[i] };

		options_walk(commands[i]->options, bash_value, &bash);
	}
	fputs("	*) case $command in\n", out);
	for (size_t i = 0; commands[i]; i++) {
		_cleanup_place_ struct place place = arguments_of(commands[i]->arguments);

		fprintf(out, "\t\t%s)", commands[i]->name);
		bash_place(out, &place);
		fputs(" ;;\n", out);
	}
	fputs("		help) words=$commands ;;\n		esac ;;\n	esac\n", out);
	fputs(bash_tail, out);
}

/* zsh */

/* Into a single-quoted text of _arguments. */
static void zsh_words(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", out);
		else if (strchr("[]:\\", *text))
			fprintf(out, "\\%c", *text);
		else
			fputc(*text, out);
	}
}

static void zsh_action(FILE *out, const struct place *place)
{
	if (place->lists.text || place->words.text || place->commands)
		fprintf(out, "{_drivebay_words \"%s\" \"%s\"%s}",
			place->words.text ? place->words.text : "",
			place->lists.text ? place->lists.text : "",
			place->files ? "; _files" : place->directories ? "; _files -/" : "");
	else if (place->results)
		fputs("_files -g \"*.drivebay\"", out);
	else if (place->directories)
		fputs("_files -/", out);
	else if (place->files)
		fputs("_files", out);
	else
		fputc(' ', out);
}

static void zsh_option(void *context, const struct poptOption *row)
{
	FILE *out = context;
	const char *argument = option_argument(row);
	_cleanup_place_ struct place value = value_of(row);

	for (int is_long = 0; is_long < 2; is_long++) {
		if (is_long ? !row->longName : !row->shortName)
			continue;
		fputs(" \\\n\t\t\t'", out);
		if (is_long)
			fprintf(out, "--%s%s[", row->longName, argument ? "=" : "");
		else
			fprintf(out, "-%c%s[", row->shortName, argument ? "+" : "");
		zsh_words(out, row->descrip ? row->descrip : "");
		fputc(']', out);
		if (argument) {
			fputc(':', out);
			zsh_words(out, argument);
			fputc(':', out);
			zsh_action(out, &value);
		}
		fputc('\'', out);
	}
}

static const char zsh_head[] =
	"#compdef drivebay\n"
	"# Completion of drivebay for zsh; made from its table of options.\n"
	"_drivebay_words()\n"
	"{\n"
	"	local -a offered\n"
	"	local list\n"
	"	offered=(${=1})\n"
	"	for list in ${=2}; do\n"
	"		offered+=(${(f)\"$(drivebay list $list 2>/dev/null | cut -d ' ' -f 1)\"})\n"
	"	done\n"
	"	compadd -a offered\n"
	"}\n"
	"_drivebay()\n"
	"{\n"
	"	local context state line\n"
	"	typeset -A opt_args\n"
	"	_arguments -C '1: :->command' '*:: :->argument'\n"
	"	case $state in\n"
	"	command)\n"
	"		local -a commands\n"
	"		commands=(";

static void print_zsh(FILE *out, const struct command *const *commands)
{
	fputs(zsh_head, out);
	for (size_t i = 0; commands[i]; i++) {
		fprintf(out, "\n\t\t\t'%s:", commands[i]->name);
		zsh_words(out, commands[i]->help);
		fputc('\'', out);
	}
	fputs("\n\t\t\t'help:all about one command')\n		_describe command commands ;;\n"
	      "	argument)\n		case $line[1] in\n", out);
	for (size_t i = 0; commands[i]; i++) {
		_cleanup_place_ struct place place = arguments_of(commands[i]->arguments);

		fprintf(out, "\t\t%s) _arguments", commands[i]->name);
		options_walk(commands[i]->options, zsh_option, out);
		fputs(" \\\n\t\t\t'*: :", out);
		zsh_action(out, &place);
		fputs("' ;;\n", out);
	}
	fputs("		help) _drivebay_words '", out);
	for (size_t i = 0; commands[i]; i++)
		fprintf(out, "%s ", commands[i]->name);
	fputs("' '' ;;\n		esac ;;\n	esac\n}\n_drivebay \"$@\"\n", out);
}

/* fish */

static void fish_words(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('\'', out);
}

static void fish_place(FILE *out, const struct place *place)
{
	if (!place->files && !place->results && !place->directories)
		fputs(" -f", out);
	if (place->words.text || place->lists.text)
		fprintf(out, " -a '%s(__drivebay_lists %s)'", place->words.text ? place->words.text : "",
			place->lists.text ? place->lists.text : "");
}

static void fish_option(void *context, const struct poptOption *row)
{
	const struct rows *fish = context;
	_cleanup_place_ struct place value = value_of(row);

	fprintf(fish->out, "complete -c drivebay -n '__fish_seen_subcommand_from %s'", fish->command->name);
	if (row->longName)
		fprintf(fish->out, " -l %s", row->longName);
	if (row->shortName)
		fprintf(fish->out, " -s %c", row->shortName);
	if (option_argument(row)) {
		fputs(" -r", fish->out);
		fish_place(fish->out, &value);
	}
	if (row->descrip) {
		fputs(" -d ", fish->out);
		fish_words(fish->out, row->descrip);
	}
	fputc('\n', fish->out);
}

static void print_fish(FILE *out, const struct command *const *commands)
{
	fputs("# Completion of drivebay for fish; made from its table of options.\n"
	      "function __drivebay_lists\n"
	      "	for list in $argv\n"
	      "		drivebay list $list 2>/dev/null | string replace -r ' .*' ''\n"
	      "	end\n"
	      "end\n", out);
	for (size_t i = 0; commands[i]; i++) {
		_cleanup_place_ struct place place = arguments_of(commands[i]->arguments);
		struct rows fish = { out, commands[i] };

		fprintf(out, "complete -c drivebay -n __fish_use_subcommand -f -a %s -d ", commands[i]->name);
		fish_words(out, commands[i]->help);
		fprintf(out, "\ncomplete -c drivebay -n '__fish_seen_subcommand_from %s'", commands[i]->name);
		fish_place(out, &place);
		fputc('\n', out);
		options_walk(commands[i]->options, fish_option, &fish);
	}
	fputs("complete -c drivebay -n __fish_use_subcommand -f -a help -d 'all about one command'\n", out);
}

int completion_print(FILE *out, const char *shell, const struct command *const *commands)
{
	static const struct {
		const char *name;
		void (*print)(FILE *, const struct command *const *);
	} shells[] = { { "bash", print_bash }, { "zsh", print_zsh }, { "fish", print_fish } };

	for (size_t i = 0; i < sizeof(shells) / sizeof(*shells); i++) {
		if (strcmp(shells[i].name, shell))
			continue;
		shells[i].print(out, commands);
		return 0;
	}
	return fail(EINVAL, "--completion: no script for '%s'; there is one for bash, zsh and fish", shell);
}
