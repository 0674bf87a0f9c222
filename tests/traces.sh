#!/bin/sh
# traces.sh DRIVEBAY SOURCE: traces replayed on a model, at their times and with all that is in them.
drivebay=$1
traces=$2/tests/traces
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
count=0 failed=0

claim() { # claim NAME COMMAND...
	claimed=$1
	shift
	count=$((count + 1))
	if "$@" >"$dir/why" 2>&1; then
		echo "ok $count - $claimed"
	else
		echo "not ok $count - $claimed"
		sed 's/^/# /' "$dir/why" "$dir/err"
		failed=1
	fi
}

# replay NAME FILE OPTION...: into $dir/NAME; the phases as CSV in $dir/NAME.csv
replay() {
	name=$1 file=$2
	shift 2
	"$drivebay" run "$file" samsung-983-dct -q -o "$dir/$name" "$@" >/dev/null 2>"$dir/err" &&
		"$drivebay" export "$dir/$name" --csv --table phases >"$dir/$name.csv" &&
		"$drivebay" export "$dir/$name" --csv --table meta >"$dir/$name.meta"
}

value() { # value NAME COLUMN
	awk -F, -v column="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
		NR == 2 { print $at }' "$dir/$1.csv"
}

has() { # has NAME COLUMN VALUE
	[ "$(value "$1" "$2")" = "$3" ] || { echo "$2 is $(value "$1" "$2"), not $3"; false; }
}

counted() { # counted NAME KEY VALUE
	grep -x "$2,$3" "$dir/$1.meta" || { grep "^$2," "$dir/$1.meta"; false; }
}

takes_eight_seconds() {
	value "$1" elapsed_s | awk '{ exit !($1 >= 8.0 && $1 < 8.08) }' || value "$1" elapsed_s
}

refused() { # refused WORDS ARGUMENT...: with exit status 2 and one sentence
	words=$1
	shift
	"$drivebay" run "$@" samsung-983-dct -o "$dir/refused" >/dev/null 2>"$dir/err"
	[ $? = 2 ] && grep -qF -- "$words" "$dir/err" && [ ! -e "$dir/refused" ]
}

grep -c '  D  *R' "$traces/8s.blkparse" >"$dir/reads"
echo 1..31
claim a_trace_is_replayed replay all "$traces/8s.blkparse"
claim eight_seconds_of_trace_take_eight_seconds takes_eight_seconds all
claim every_read_of_the_file_was_sent has all read_ios "$(cat "$dir/reads")"
claim every_write_was_sent has all write_ios 233
claim every_trim_was_sent has all trim_ios 114
claim every_flush_was_sent has all flush_ios 114
claim none_went_out_late has all late_max_us 0
claim empty_lines_are_counted counted all trace_empty_lines 9
claim a_time_below_zero_is_counted counted all trace_negative_times 1
claim times_that_go_back_are_counted counted all trace_unordered_times 2
claim and_put_in_order counted all trace_missed_times 0
claim one_device_is_replayed replay one "$traces/8s.blkparse" --device 8,0
claim the_others_are_left_out has one write_ios 229
claim and_counted counted one trace_other_devices 4
claim as_fast_as_possible_is_another_rate replay asap "$traces/8s.blkparse" --asap --depth 4
claim with_the_same_requests has asap trim_ios 114
claim within_a_fraction_of_the_time sh -c "[ \$(echo $(value asap elapsed_s) | cut -d. -f1) = 0 ]"
claim what_is_packed_is_replayed_too replay gz "$traces/8s.blkparse.gz"
claim with_the_same_times has gz elapsed_s "$(value all elapsed_s)"
for format in msr.csv systor.csv alibaba.csv tencent.csv spc.spc iolog2 iolog3; do
	claim "$format" replay "$format" "$traces/$format"
done
# The example of the page, as it stands there.
sed -n '/^```$/,/^```$/p' "$2/doc/traces.md" | sed -e 1d -e '/^```$/,$d' >"$dir/example"
claim the_example_of_the_page replay page "$dir/example"
claim how_late_they_went_out_is_in_the_result grep -q 'sent up to 0 ns late' "$dir/page.csv"
claim a_trace_that_goes_too_far_is_refused_where_nothing_is_scaled \
	refused "goes up to byte" "$traces/tencent.csv" --scale-addresses none
claim a_device_that_is_not_there_is_answered_with_those_that_are \
	refused "it has those of 8,0, 8,16" "$traces/8s.blkparse" --device 8,1
claim another_format_is_refused_with_its_line \
	refused "msr.csv:1: has 7 fields and not 5" "$traces/msr.csv" --format alibaba
exit $failed
