# shellcheck shell=bash disable=SC2034 # variables are for the scripts that include this
# What the end-to-end tests share: claims in TAP, a small drive, runs in a process group.
#
#	. "$(dirname "$0")/lib.sh"     # the program and libcut are $1 and $2
#
# Each script works in a directory of its own, $work, which goes when it ends.
set -u
export LC_ALL=C TZ=UTC
here=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
ROOT=$(cd "$here/../.." && pwd)
drivebay=$(readlink -f "${1:?usage: $0 DRIVEBAY}")
libcut=$(readlink -f "${2:-}") # what cuts a run off: cut.c
little=$here/little.yaml
tiny=$here/tiny.yaml
work=$(mktemp -d) || exit 1
groups=()
number=0 failed=0

# Whatever a test has started and not ended.
clean_up_groups() {
	local group

	for group in ${groups[@]+"${groups[@]}"}; do
		kill -KILL -- "-$group" 2>/dev/null
	done
}

clean_up() {
	clean_up_groups
	cd /
	rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1

# claim NAME COMMAND...: ok when the command succeeds; what it said when not.
claim() {
	local name=$1

	number=$((number + 1))
	shift
	if "$@" >"$work/log" 2>&1; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		sed 's/^/# /' "$work/log"
		failed=1
	fi
}

# skip NAME REASON
skip() {
	number=$((number + 1))
	echo "ok $number - $1 # SKIP $2"
}

done_testing() {
	echo "1..$number"
	exit $failed
}

skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}

fails() {
	! "$@"
}

says() {
	echo "$*" && false
}

# A review without progress, into RESULT; its words in "said" and on stderr, its tables in "printed".
review() {
	"$drivebay" review --quiet "$@" 2>said >printed
	local status=$?

	cat said
	return $status
}

csv() {
	"$drivebay" export --csv "$1"
}

# same RESULT RESULT: byte for byte, as exported.
same() {
	csv "$1" >a.csv && csv "$2" >b.csv && [ -s a.csv ] && cmp a.csv b.csv
}

# refused STATUS PATTERN COMMAND...: exactly one sentence, which matches, and nothing printed.
refused() {
	local status=$1 pattern=$2 got

	shift 2
	"$@" >refused.out 2>refused.err </dev/null
	got=$?
	cat refused.err
	[ "$got" = "$status" ] || says "exit status $got, not $status: $*" || return
	[ ! -s refused.out ] || says "it printed: $(head -n 3 refused.out)" || return
	[ "$(wc -l <refused.err)" = 1 ] || says "not one line" || return
	grep -q '^drivebay: ' refused.err || says "no sentence of drivebay's" || return
	grep -q -e "$pattern" refused.err || says "does not match: $pattern"
}

# Nothing but the result and its page has been left beside RESULT.
nothing_beside() {
	local path

	for path in "$1"?*; do
		[ "$path" = "$1.html" ] || [ ! -e "$path" ] || says "left behind: $path" || return
	done
}

# start COMMAND...: in a process group of its own, its words in the pipe of descriptor 3.
# Sets $group. Interrupts are not ignored there, as they are in other children of a script.
start() {
	rm -f words
	mkfifo words || return
	setsid "$drivebay" "$@" >started.out 2>words &
	group=$!
	groups+=("$group")
	exec 3<words
}

# Reads words until a line that matches; false when they end before.
until_it_says() {
	local line

	while read -r line <&3; do
		echo "$line"
		# shellcheck disable=SC2254 # a pattern
		case $line in $1) return 0 ;; esac
	done
	says "it never said $1"
}

# Waits for its end; the rest of its words go to "rest". Sets $status.
finish() {
	cat <&3 >rest
	exec 3<&-
	wait "$group"
	status=$?
	cat rest
}

# Nobody of the group is there any more, within five seconds.
group_is_gone() {
	local try

	for try in $(seq 50); do
		kill -0 -- "-$1" 2>/dev/null || return 0
		sleep 0.1
	done
	says "after $try tries there are still processes of group $1"
}
