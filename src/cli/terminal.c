#include "cli/terminal.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fail.h"

int terminal_columns(int asked, unsigned *columns)
{
	struct winsize size;

	if (asked && (asked < TERMINAL_NARROW || asked > TERMINAL_WIDEST))
		return fail(EINVAL, "--columns: %d is not between %d and %d", asked, TERMINAL_NARROW,
			    TERMINAL_WIDEST);
	*columns = TERMINAL_NARROW;
	if (asked)
		*columns = (unsigned)asked;
	else if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > TERMINAL_NARROW)
		*columns = size.ws_col;
	return 0;
}
