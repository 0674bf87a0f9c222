#!/bin/bash
# A real file in real time: reviewed, cut off, gone on with; nobody else's is touched.
. "$(dirname "$0")/lib.sh"

cat >brief.yaml <<'END'
name: brief
help: a chain in less than a second of real time
source: "ours: a test's"
steps:
  - do: purge
  - {do: fill, size: 128K, passes: 1}
  - do: curve
    workload: 4k-random-read
    maximum: 100ms
    point: 100ms
    percents: [10, 20]
    window: 20ms
  - {do: run, workload: 64k-sequential-write, time: 1h, quick_time: 100ms, window: 20ms}
END
plan=(--quick --only ./brief.yaml)

of_size() {
	[ "$(stat -c %s "$1")" = "$2" ]
}

meta() {
	"$drivebay" export --table=meta "$1" | sed -n "s/^$2,//p"
}

done_phases() {
	"$drivebay" export --table=phases "$1" | grep -c ',done,'
}

first_review() {
	review "${plan[@]}" --size 16M new.img -o first && of_size new.img 16777216 &&
		[ "$(done_phases first)" = 6 ] && [ -s printed ] && [ -s first.html ] &&
		[ "$(meta first model)" = 0 ] && nothing_beside first
}
claim a_file_is_created_and_reviewed first_review
claim its_own_file_is_reviewed_again_without_asking review "${plan[@]}" new.img -o again
claim two_threads_review_it_too review "${plan[@]}" --workers 2 new.img -o threads

# Nobody else's file.
head -c 9M /dev/urandom >foreign.img
sum=$(cksum <foreign.img)
untouched() {
	[ "$sum" = "$(cksum <foreign.img)" ] || says "it was written to"
}
foreign() {
	refused 1 'foreign.img: .*--destroy-data' "$drivebay" review "${plan[@]}" foreign.img -o not.made &&
		untouched && [ ! -e not.made ]
}
only_read() {
	"$drivebay" run 4k-random-read foreign.img --time 50ms -q -o read && untouched &&
		refused 1 'foreign.img: .*--destroy-data' "$drivebay" run 8k-70-30-random foreign.img &&
		untouched
}
sum_anew() {
	sum=$(cksum <foreign.img)
}
first_part_alone() {
	tail -c 1M foreign.img >tail.before
	review "${plan[@]}" --size 8M --destroy-data foreign.img -o part && fails untouched &&
		of_size foreign.img 9437184 && tail -c 1M foreign.img | cmp tail.before &&
		[ "$(meta part size_bytes)" = 8388608 ] && sum_anew
}
claim a_foreign_file_is_refused_and_left_alone foreign
claim what_only_reads_needs_no_consent only_read
claim with_consent_no_more_than_the_size_is_overwritten first_part_alone

too_small() {
	refused 2 '64k-sequential-write: .* do not each find room' "$drivebay" review "${plan[@]}" \
		--size 1M --destroy-data foreign.img -o not.made && untouched && [ ! -e not.made ]
}
claim a_size_too_small_for_the_plan_is_refused_before_anything_is_written too_small

# Cut off in the run that would take an hour, so certainly not at its end.
cut_one() {
	rm -f "$1"*
	start review --only ./brief.yaml --size 8M "$1.img" -o "$1" &&
		until_it_says '\[5/6\] brief/4k-random-read/020: *' || return
	kill "-$2" -- "-$group"
	finish
}

# The plan is the result's; an hour is too long to see the end.
go_on_for_a_while() {
	start review --resume "$1" || return
	for phase in 1 2 3 4 5; do
		until_it_says "\\[$phase/6\\] *: done before" || return
	done
	kill -INT -- "-$group"
	finish
	[ "$status" = 1 ] && grep -q "^drivebay: interrupted; go on with: .* --resume $1$" rest &&
		[ "$(done_phases "$1")" = 5 ]
}
interrupted() {
	cut_one int INT
	[ "$status" = 1 ] && go_on_for_a_while int
}
killed() {
	cut_one kill KILL
	[ "$status" = 137 ] && go_on_for_a_while kill
}
claim an_interrupted_one_goes_on_where_it_was interrupted
claim a_killed_one_too killed

# To its end, when it is cut off earlier.
killed_to_its_end() {
	rm -f steps
	head -c 8 /dev/zero >steps
	setsid -w env LD_PRELOAD="$libcut" ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 \
		CUT_COUNT="$work/steps" CUT_AT=110 "$drivebay" review "${plan[@]}" --size 8M at-end.img -o end
	[ -e end-wal ] || says "it was not cut off" || return
	"$drivebay" review --resume end >printed 2>said || says "$(cat said)" || return
	cat said
	grep -q ': done before$' said && [ "$(done_phases end)" = 6 ] && nothing_beside end
}
claim and_comes_to_its_end killed_to_its_end

# The file that it went on with must be the one that it began with.
file_is_gone() {
	mv kill.img away.img
	refused 1 'kill.img: is not there any more' "$drivebay" review --resume kill && [ ! -e kill.img ]
	local result=$?
	mv away.img kill.img
	return $result
}
file_is_another() {
	mv kill.img away.img
	head -c 8M /dev/zero >kill.img
	refused 1 'kill.img: .*--destroy-data' "$drivebay" review --resume kill
	local result=$?
	[ "$(tr -d '\0' <kill.img | wc -c)" = 0 ] || says "it was written to" || return
	mv away.img kill.img
	return $result
}
file_is_shorter() {
	truncate -s 4M kill.img
	refused 2 'kill.img: has 4 MiB' "$drivebay" review --resume kill
}
claim a_file_that_is_gone_is_not_made_again file_is_gone
claim another_file_of_that_name_is_left_alone file_is_another
claim a_file_of_another_size_is_refused file_is_shorter

# The page and the tables are the last thing: what was measured is kept without them.
page_cannot_be() {
	mkdir page.html
	refused 1 'page.html: is not a regular file' "$drivebay" review "${plan[@]}" --size 1M late.img -o page &&
		[ ! -e page ] && [ ! -e late.img ]
}
no_tables() {
	"$drivebay" review -q "${plan[@]}" new.img -o full >/dev/full 2>said
	[ $? = 1 ] && [ "$(grep -c '^drivebay: ' said)" = 1 ] &&
		grep -q '^drivebay: standard output: No space left on device$' said &&
		[ "$(done_phases full)" = 6 ] && [ -s full.html ] || says "$(cat said)"
}
nowhere_for_tables() {
	"$drivebay" review -q "${plan[@]}" new.img -o closed >&- 2>said
	[ $? = 1 ] && [ "$(grep -c '^drivebay: ' said)" = 1 ] && [ "$(done_phases closed)" = 6 ] ||
		says "$(cat said)"
}
claim a_page_that_cannot_be_written_is_said_beforehand page_cannot_be
claim a_full_stdout_costs_only_the_tables no_tables
claim a_closed_stdout_too nowhere_for_tables
done_testing
