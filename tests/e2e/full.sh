#!/bin/bash
# A disk that is full, at whatever moment, is one sentence; what was committed can be read, and
# the run goes on when there is room.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || skip_all "needs root"
if [ -z "${FULL_INSIDE:-}" ]; then
	unshare --mount true 2>/dev/null || skip_all "mount namespaces are not allowed here"
	FULL_INSIDE=1 exec unshare --mount --propagation private "$here/full.sh" "$drivebay" "$libcut"
fi
mkdir small
mount -t tmpfs -o size=64K none small 2>/dev/null || skip_all "no tmpfs can be mounted here"
clean_up_mount() {
	umount small 2>/dev/null
	clean_up
}
trap clean_up_mount EXIT
plan=(--only "$tiny")

claim a_review_with_room_to_compare_with \
	eval 'review "$little" "${plan[@]}" -o small-whole && csv small-whole >whole.csv'

# of_size KIB WORKERS: on a filesystem of that size: a review, its end, what is left, and how
# it goes on. Counts in $ended where it ended.
declare -A ended=()
of_size() {
	umount small && mount -t tmpfs -o "size=${1}K" none small || return
	"$drivebay" review -q "$little" "${plan[@]}" --workers "$2" -o small/x >printed 2>said
	local status=$?

	if [ $status = 0 ]; then
		ended[complete]=1
		csv small/x | cmp - whole.csv && nothing_beside small/x
		return
	fi
	cat said
	[ $status = 1 ] || says "exit status $status" || return
	[ "$(grep -c '^drivebay: ' said)" = 1 ] && [ "$(wc -l <said)" = 1 ] || says "not one sentence" || return
	grep -q -i 'disk is full\|No space left' said || says "it does not say why" || return
	if [ ! -e small/x ]; then
		ended[before]=1
		nothing_beside small/x
		return
	fi
	grep -q 'x-state' said && ended[state]=1
	"$drivebay" show small/x >printed 2>said || says "it cannot be shown: $(cat said)" || return
	csv small/x >left.csv || says "it cannot be exported" || return
	[ -z "$(find small -name '*draft*')" ] || says "a draft was left" || return
	mount -o remount,size=16M small || return
	"$drivebay" review -q --resume small/x >printed 2>said || says "$(cat said)" || return
	csv small/x | cmp - whole.csv && nothing_beside small/x
}
sizes() {
	local size

	for size in "$@"; do
		of_size "$size" 1 && of_size "$size" 2 || says "on a disk of $size KiB" || return
	done
}
claim no_room_for_a_result_at_all sizes 4 32 64 100 120 130 140 150
claim no_room_for_the_states sizes 200 700 1000
claim room_enough_in_the_end sizes 4096
every_end() {
	local end

	for end in before state complete; do
		[ -n "${ended[$end]:-}" ] || says "no disk was full in this way: $end" || return
	done
}
claim all_ways_to_be_full_were_met every_end

# Windows of a real run are committed one by one: some of its last phase, and nothing of it is
# taken for complete.
cat >brief.yaml <<'END'
name: brief
help: a read for a moment, and one with a thousand windows
source: "ours: a test's"
steps:
  - do: purge
  - {do: run, workload: 4k-random-read, time: 50ms, window: 10ms}
  - {do: run, workload: 8k-70-30-random, time: 1s, window: 1ms}
END
done_phases() {
	"$drivebay" export --table=phases "$1" >phases && grep -c ',done,' phases
}
no_room_for_windows() {
	umount small && mount -t tmpfs -o size=700K none small || return
	refused 1 'small/x: the disk is full; what was written before stays' \
		"$drivebay" review -q --only ./brief.yaml --size 4M file.img -o small/x || return
	"$drivebay" show small/x >printed && [ "$(done_phases small/x)" = 2 ] || return
	"$drivebay" export --table=windows small/x >windows && [ "$(wc -l <windows)" -gt 20 ] || return
	mount -o remount,size=16M small || return
	review -q --resume small/x && [ "$(done_phases small/x)" = 3 ] && nothing_beside small/x &&
		"$drivebay" export --table=windows small/x >windows && [ "$(wc -l <windows)" -gt 900 ]
}
claim no_room_for_the_windows_of_a_real_run no_room_for_windows

# All is measured, printed and kept; only the page has no room.
no_room_for_the_page() {
	umount small && mount -t tmpfs -o size=400K none small || return
	sed '/8k-70-30/d' brief.yaml >briefer.yaml
	"$drivebay" review -q --only ./briefer.yaml file.img -o small/x >printed 2>said
	[ $? = 1 ] && grep -q "^drivebay: small/x.html: cannot be written: No space left on device; the result is \
complete, and 'drivebay report' makes its page$" said && [ "$(wc -l <said)" = 1 ] || says "$(cat said)" || return
	[ -s printed ] && [ "$(done_phases small/x)" = 2 ] && nothing_beside small/x &&
		mount -o remount,size=16M small && "$drivebay" report small/x && [ -s small/x.html ]
}
claim no_room_for_the_page no_room_for_the_page

# Nor is there room for the file that is to be tested.
no_room_for_the_file() {
	umount small && mount -t tmpfs -o size=1M none small || return
	refused 1 'small/new.img: there is no room for 64 MiB' \
		"$drivebay" review "${plan[@]}" --size 64M small/new.img -o not.made &&
		[ ! -e small/new.img ] && [ ! -e not.made ]
}
claim no_room_for_the_file_to_test no_room_for_the_file
done_testing
