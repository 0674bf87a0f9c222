#!/bin/bash
# Ctrl-C and SIGTERM end a review cleanly and say how to go on; a kill leaves nobody behind.
. "$(dirname "$0")/lib.sh"

# Nobody waits for the end of this: a year of a model's time, in two chains.
cat >endless.yaml <<'END'
name: endless
help: two chains that are not over for a long time
source: "ours: a test's"
steps:
  - do: purge
  - {do: run, workload: 4k-random-write, time: 30d, window: 10s}
  - do: purge
  - {do: run, workload: 4k-random-read, time: 30d, window: 10s}
END
plan=(--only ./endless.yaml --workers 2)

# stopped AFTER COMMAND...: a review that has begun ends by the command, with one sentence about
# how to go on, and soon: it could take hours.
stopped() {
	local result=$1 began

	shift
	start review "$little" "${plan[@]}" -o "$result" && until_it_says '*purge*: done' &&
		until_it_says '*purge*: done' || return
	began=$SECONDS
	"$@"
	finish
	[ $((SECONDS - began)) -lt 20 ] || says "it took $((SECONDS - began)) s to end" || return
	[ "$status" = 1 ] || says "exit status $status" || return
	[ "$(cat rest)" = "drivebay: interrupted; go on with: drivebay review --resume $result" ] ||
		says "that is not what was to be said" || return
	[ ! -s started.out ] || says "it printed tables" || return
	group_is_gone "$group" && "$drivebay" show "$result" >/dev/null
}

signal_group() {
	kill "$1" -- "-$group"
}

signal_parent() {
	kill "$1" "$group"
}

children() {
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v parent="$group" '$4 == parent { print $1 }'
}

# A second one means it: what is saved is saved. Its children, which cannot end here, go too.
twice() {
	local stopped

	start review "$little" "${plan[@]}" -o twice && until_it_says '*purge*: done' &&
		until_it_says '*purge*: done' || return
	stopped=$(children)
	[ "$(echo "$stopped" | wc -l)" = 2 ] || says "its children are: $stopped" || return
	# shellcheck disable=SC2086 # a list of numbers
	kill -STOP $stopped
	for _ in $(seq 100); do
		signal_parent -INT 2>/dev/null || break
		sleep 0.1
	done
	finish
	[ "$status" = 130 ] || says "exit status $status" || return
	[ ! -s rest ] && group_is_gone "$group" && "$drivebay" show twice >/dev/null
}

# Its children neither go on nor keep the result from the next one.
parent_killed() {
	start review "$little" "${plan[@]}" -o killed && until_it_says '*purge*: done' &&
		until_it_says '*purge*: done' || return
	signal_parent -KILL
	finish
	[ "$status" = 137 ] && group_is_gone "$group" || return
	start review --resume killed && until_it_says '*purge*: done before' || return
	signal_group -TERM
	finish
	[ "$status" = 1 ]
}

child_killed() {
	local child

	start review "$little" "${plan[@]}" -o child && until_it_says '*purge*: done' &&
		until_it_says '*purge*: done' || return
	child=$(children | head -n 1)
	[ -n "$child" ] && kill -KILL "$child" && signal_parent -TERM || return
	finish
	[ "$status" = 1 ] && group_is_gone "$group" &&
		grep -q '^drivebay: endless/4k-random-.*: its process was ended by signal 9 (Killed);' rest
}

# Two would undo each other's work.
resumed_while_it_runs() {
	start review "$little" "${plan[@]}" -o busy && until_it_says '*purge*: done' || return
	refused 1 'busy: another drivebay is writing it' "$drivebay" review --resume busy &&
		"$drivebay" show busy >/dev/null || return
	signal_group -TERM
	finish
	[ "$status" = 1 ]
}

# A name that a shell would take apart is quoted.
quoted() {
	start review "$little" "${plan[@]}" -o "it's busy" && until_it_says '*purge*: done' || return
	signal_group -TERM
	finish
	grep -q -F "drivebay review --resume 'it'\\''s busy'" rest
}

claim an_interrupt_from_the_terminal_ends_it stopped a signal_group -INT
claim a_sigterm_to_all_of_it_too stopped b signal_group -TERM
claim a_sigterm_to_the_parent_alone_too stopped c signal_parent -TERM
claim an_interrupt_of_the_parent_alone_too stopped d signal_parent -INT
claim a_second_interrupt_ends_it_at_once twice
claim a_killed_parent_leaves_no_child_and_can_be_resumed parent_killed
claim a_killed_child_is_told_of child_killed
claim resuming_what_still_runs_is_refused resumed_while_it_runs
claim the_hint_can_be_pasted_into_a_shell quoted
done_testing
