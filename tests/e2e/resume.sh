#!/bin/bash
# A review that is cut off at any step goes on with --resume and comes to the same bytes.
#
#	tests/e2e/resume.sh DRIVEBAY LIBCUT     STRIDE=1: at every step, some minutes
. "$(dirname "$0")/lib.sh"
plan=(--only "$tiny")

# cut AT SIGNAL COMMAND...: the command, in a group of its own, which gets the signal before
# its AT-th step (0: never). Its status; its words in "cut.err".
cut_off() {
	local at=$1 signal

	signal=$(kill -l "$2")
	shift 2
	head -c 8 /dev/zero >steps
	# The second is for a program built with AddressSanitizer, which wants to come first.
	setsid -w env LD_PRELOAD="$libcut" ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 \
		CUT_COUNT="$work/steps" CUT_AT="$at" CUT_SIGNAL="$signal" \
		"$drivebay" "$@" >cut.out 2>cut.err </dev/null
}

steps() {
	od -A n -t u8 steps | tr -d ' '
}

fresh() {
	rm -f cut.drivebay*
}

claim an_uninterrupted_review_to_compare_with \
	eval 'review "$little" "${plan[@]}" -o whole.drivebay && csv whole.drivebay >whole.csv'
claim cutting_nothing_off_counts_the_steps \
	cut_off 0 KILL review "$little" "${plan[@]}" --workers 1 -o counted.drivebay
total=$(steps)
claim there_are_enough_of_them [ "$total" -gt 200 ]

as_if_never_cut() {
	csv cut.drivebay >cut.csv && cmp whole.csv cut.csv && nothing_beside cut.drivebay
}

# Every phase was done before or is run now, not both: 11 of them.
runs_only_what_was_left() {
	local before now

	before=$(grep -c ': done before$' said)
	now=$(grep -v ': done before$' said | grep -c '^\[')
	[ $((before + now)) = 11 ] || says "$before were done before, $now now"
}

# Goes on after a cut; refused only when nothing had begun.
go_on() {
	if ! csv cut.drivebay >cut.csv 2>/dev/null; then
		[ "$(grep -c '^\[' cut.err)" = 0 ] || says "phases had ended, but it cannot be read" || return
		refused 1 'not a drivebay result: empty$\|No such file' \
			"$drivebay" review --resume cut.drivebay
	elif ! grep -q '^target,' cut.csv; then
		refused 1 'cut off before the run began' "$drivebay" review --resume cut.drivebay
	else
		"$drivebay" review --resume cut.drivebay --workers 2 >printed 2>said || says "$(cat said)" ||
			return
		runs_only_what_was_left && as_if_never_cut
	fi
}

# Every phase that had said that it was done is not run again.
cut_and_go_on() {
	local at=$1 signal=$2 workers=$3 said_done done_before

	fresh
	cut_off "$at" "$signal" review "$little" "${plan[@]}" --workers "$workers" -o cut.drivebay
	said_done=$(grep -c '^\[' cut.err)
	go_on || {
		echo "after a cut (signal $signal) at step $at of about $total, $workers workers"
		cat cut.err
		return 1
	}
	[ -e said ] || return 0
	done_before=$(grep -c ': done before$' said)
	[ "$done_before" -ge "$said_done" ] ||
		says "step $at: $said_done phases had ended, only $done_before were done before"
}

# at_steps SIGNAL WORKERS FIRST STRIDE: all these cuts.
at_steps() {
	local at

	[ "$total" -gt 200 ] || return
	for ((at = $3; at < total; at += $4)); do
		rm -f said
		cut_and_go_on "$at" "$1" "$2" || return
	done
}

claim killed_at_steps_throughout_it_goes_on at_steps KILL 1 3 "${STRIDE:-29}"
claim killed_with_two_workers_as_well at_steps KILL 2 11 "${STRIDE:-71}"
claim ended_by_sigterm_as_well at_steps TERM 1 70 "${STRIDE:-67}"

# Cut off, cut off again while going on, and once more.
cut_twice() {
	local at

	for at in 100 200; do
		fresh
		cut_off "$at" KILL review "$little" "${plan[@]}" --workers 1 -o cut.drivebay
		cut_off 50 KILL review --resume cut.drivebay --workers 1
		cut_off 7 KILL review --resume cut.drivebay --workers 2
		go_on || says "after a cut at $at" || return
	done
}
claim going_on_can_be_cut_off_too cut_twice

# A chain whose state is gone starts again, says so, and the result is the same. First a cut
# with such a state to spoil: after the fourth phase has written.
first_state() {
	for ((at = 100; at < total; at += 4)); do
		fresh
		cut_off "$at" KILL review "$little" "${plan[@]}" --workers 1 -o cut.drivebay
		[ -e "cut.drivebay-state-0-$1" ] && [ ! -e "cut.drivebay-state-0-$(($1 - 1))" ] && return
	done
	false
}

keep_two_states() {
	first_state 2 && cp cut.drivebay-state-0-2 state-2 && first_state 3 && mkdir three &&
		cp cut.drivebay* three
}
claim a_cut_with_a_state_to_spoil keep_two_states

# spoiled SENTENCE COMMAND...: resumes after the command, which gets the state's path.
spoiled() {
	local sentence=$1

	shift
	fresh
	cp three/* . && "$@" cut.drivebay-state-0-3 || return
	"$drivebay" review --resume cut.drivebay >printed 2>said || says "$(cat said)" || return
	grep -q "^drivebay: cut.drivebay-state-0-3: $sentence; starting again with tiny/purge$" said ||
		says "$(cat said)" || return
	as_if_never_cut
}

zeroes_in() {
	dd if=/dev/zero of="$1" bs=4096 seek=10 count=5 conv=notrunc status=none
}

claim a_lost_state_starts_its_chain_again spoiled 'No such file or directory' rm
claim a_truncated_one_too spoiled '.*the file ends too early' truncate -s 1000
claim an_empty_one_too spoiled '.*the file ends too early' truncate -s 0
claim one_with_zeroes_in_it_too spoiled '.*the file is damaged' zeroes_in
claim the_state_of_another_moment_too \
	spoiled 'is not what tiny/4k-random-write/050 left' cp state-2

# What is complete is only reported again.
complete() {
	rm whole.drivebay.html
	"$drivebay" review --resume whole.drivebay >printed 2>said || return
	[ "$(grep -c ': done before$' said)" = 11 ] && [ -s whole.drivebay.html ] && [ -s printed ] &&
		[ "$(grep -v ': done before$' said | grep -c '^\[')" = 0 ] &&
		csv whole.drivebay | cmp - whole.csv && nothing_beside whole.drivebay
}
claim a_complete_review_is_only_reported_again complete

cut_early() {
	fresh
	cut_off 150 KILL review "$1" "${plan[@]}" --workers 1 -o cut.drivebay
	[ -e cut.drivebay-wal ]
}

# What it hangs on must still be the same.
changed_drive() {
	cp "$little" mine.yaml
	cut_early ./mine.yaml || return
	sed 's/{value: 60us,/{value: 61us,/' "$little" >mine.yaml
	refused 1 'mine.yaml: its description has changed since the run began' \
		"$drivebay" review --resume cut.drivebay || return
	rm mine.yaml
	refused 2 'mine.yaml: No such file' "$drivebay" review --resume cut.drivebay || return
	cp "$little" mine.yaml
	"$drivebay" review --resume cut.drivebay -q >/dev/null
}
claim a_changed_drive_file_is_refused changed_drive
done_testing
