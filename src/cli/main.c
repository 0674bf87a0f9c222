/*
 * main.c - from the command line to a command, and from its outcome to an exit status.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "base/fail.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/options.h"

/* A new subcommand is a line here. The order is that of the help. */
static const struct command *const commands[] = {
	&command_review,
	&command_run,
	&command_list,
	&command_show,
	&command_report,
	&command_compare,
	&command_export,
	&command_validate,
	&command_calibrate,
	&command_doctor,
	&command_soak,
	NULL,
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) - 1 };

static volatile sig_atomic_t reader_gone;

int command_failed(int err)
{
	const char *sentence = fail_message();

	fflush(stdout); /* so that the sentence stands below what was printed before it */
	fprintf(stderr, "drivebay: %s\n", *sentence ? sentence : strerror(-err));
	return err == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
}

/*
 * A reader that goes away ("| head") must not kill a run of hours: writing fails with
 * EPIPE from then on, the run and its result file go on, and main() ends with status 1.
 */
static void on_pipe(int signal_number)
{
	(void)signal_number;
	reader_gone = 1;
}

/*
 * Takes the place of closed standard descriptors, so that no result file ever becomes
 * number 1. The null device is opened for reading only: writing still fails.
 */
static void occupy_descriptors(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static int check_stdout(int status)
{
	bool lost;

	errno = 0;
	lost = fflush(stdout) != 0 || ferror(stdout);
	if (!lost)
		return status;
	if (!reader_gone)
		fprintf(stderr, "drivebay: standard output: %s\n",
			errno ? strerror(errno) : "not everything could be written");
	return status ? status : EXIT_FAILED;
}

/* Cuts the last `parts` components off a path. */
static void cut(char *path, int parts)
{
	while (parts-- > 0) {
		char *slash = strrchr(path, '/');

		if (slash)
			*slash = '\0';
	}
}

/*
 * The program in its build directory uses the files of its source tree; an installed one
 * those of PREFIX/share/drivebay, wherever PREFIX has been moved to.
 */
static void find_data(void)
{
	char self[PATH_MAX + sizeof("/share/drivebay")];
	ssize_t length = readlink("/proc/self/exe", self, PATH_MAX);
	struct stat st;

	if (length <= 0) {
		data_set_root(DRIVEBAY_DATADIR);
		return;
	}
	self[length] = '\0';
	cut(self, 1);
	if (!strcmp(self, DRIVEBAY_BUILD_ROOT)) {
		data_set_root(DRIVEBAY_SOURCE_ROOT);
		return;
	}
	cut(self, 1);
	memcpy(self + strlen(self), "/share/drivebay", sizeof("/share/drivebay"));
	data_set_root(stat(self, &st) == 0 ? self : DRIVEBAY_DATADIR);
}

static const struct command *command_named(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

static int unknown_command(const char *word)
{
	const char *names[COMMANDS + 3];
	const char *near;
	size_t count = 0;

	for (; commands[count]; count++)
		names[count] = commands[count]->name;
	names[count++] = "help";
	names[count++] = "--help";
	names[count++] = "--version";
	near = data_nearest(word, names, count);
	if (near)
		return fail(EINVAL, "unknown command '%s'; did you mean '%s'?", word, near);
	return fail(EINVAL, "unknown command '%s' (see 'drivebay help')", word);
}

static int help(const char *name)
{
	const struct command *command = name ? command_named(name) : NULL;

	if (name && !command)
		return command_failed(unknown_command(name));
	if (command)
		help_command(stdout, command);
	else
		help_overview(stdout, commands);
	return EXIT_OK;
}

/* For the build: --man NAME [FILE] prints a page; NAME is "drivebay" for the program's own. */
static int man_page(const char *name, const char *path)
{
	const struct command *command = command_named(name);
	int err;

	if (!command && strcmp(name, "drivebay"))
		return command_failed(unknown_command(name));
	err = help_man_page(stdout, commands, command, path);
	return err ? command_failed(err) : EXIT_OK;
}

/* For the build: --completion SHELL prints the script that the shell reads. */
static int completion(const char *shell)
{
	int err = completion_print(stdout, shell, commands);

	return err ? command_failed(err) : EXIT_OK;
}

static int run_command(const struct command *command, int argc, const char **argv)
{
	struct invocation invocation;
	int err = options_parse(command, argc, argv, &invocation);
	int status;

	if (err)
		status = command_failed(err);
	else if (invocation.help)
		status = help(command->name);
	else
		status = command->run(invocation.count, invocation.arguments);
	invocation_end(&invocation);
	return status;
}

static int dispatch(int argc, const char **argv)
{
	const char *word = argc > 1 ? argv[1] : "help";
	const struct command *command = command_named(word);

	if (command)
		return run_command(command, argc - 1, argv + 1);
	if (!strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h"))
		return help(argc > 2 ? argv[2] : NULL);
	if (!strcmp(word, "--version")) {
		puts("drivebay " DRIVEBAY_VERSION);
		return EXIT_OK;
	}
	if (!strcmp(word, "--man") && argc > 2)
		return man_page(argv[2], argc > 3 ? argv[3] : NULL);
	if (!strcmp(word, "--man-format") && argc > 3)
		return help_man_format(stdout, argv[2], argv[3]) ? EXIT_FAILED : EXIT_OK;
	if (!strcmp(word, "--completion") && argc > 2)
		return completion(argv[2]);
	return command_failed(unknown_command(word));
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_pipe, .sa_flags = SA_RESTART };

	occupy_descriptors();
	sigaction(SIGPIPE, &action, NULL);
	find_data();
	return check_stdout(dispatch(argc, (const char **)(void *)argv));
}
