#!/bin/sh
# corners.sh PROGRAM SOURCE - the modelled 983 DCT against its published four corners.
#
# The figures come from published/published.csv; the review is the one that users run.
drivebay=$1 source=$2
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
result=$work/983.drivebay

echo 1..10
if ! "$drivebay" review samsung-983-dct --only four-corners --quiet -o "$result" >"$work/out" 2>"$work/err"; then
	sed 's/^/# /' "$work/err"
	echo "Bail out! the review failed"
	exit 1
fi
"$drivebay" export "$result" --table phases >"$work/phases.csv" || exit 1

# Peaks (the best sustained point of each curve), maximum runs, Little's law at saturated points.
awk -F, -v published="$source/published/published.csv" '
BEGIN {
	while ((getline line <published) > 0) {
		split(line, f, ",")
		if (f[1] == "samsung-983-dct-1.92tb" && f[3] == "iops")
			want[f[2]] = f[5]
	}
}
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{
	workload = $at["workload"]
	if ($at["kind"] == "run") maximum[workload] = $at["iops"]
	if ($at["kind"] != "point") next
	if ($at["sustained"] == 1 && $at["iops"] > peak[workload]) {
		peak[workload] = $at["iops"]
		bytes[workload] = $at["bytes_per_s"]
	}
	if ($at["outstanding"] < 0.95 * $at["outstanding_most"]) next
	saturated++
	error = $at["iops"] * $at["mean_us"] / 1e6 / $at["outstanding"] - 1
	if (error < 0) error = -error
	if (error > worst) worst = error
}
function claim(name, holds, got) {
	printf "%sok %d - %s # %s\n", holds ? "" : "not ", ++number, name, got
	if (!holds) failed = 1
}
function near(workload, share) {
	ratio = want[workload] ? peak[workload] / want[workload] : 0
	claim("the_peak_of_" workload "_is_within_25_percent_of_the_published_one",
	      ratio > 1 - share && ratio < 1 + share,
	      sprintf("%.0f, published %.0f", peak[workload], want[workload]))
}
END {
	near("4k-random-read", 0.25)
	near("4k-random-write", 0.25)
	near("64k-sequential-read", 0.25)
	near("64k-sequential-write", 0.25)
	ratio = bytes["64k-sequential-write"] / bytes["4k-random-write"]
	claim("64k_and_4k_writes_are_bound_by_the_same_cleaning", ratio > 0.85 && ratio < 1.15,
	      sprintf("%.0f and %.0f MB/s", bytes["64k-sequential-write"] / 1e6,
		      bytes["4k-random-write"] / 1e6))
	ratio = maximum["4k-random-write"] / peak["4k-random-write"]
	claim("the_maximum_run_before_cleaning_is_at_least_four_times_what_is_sustained",
	      ratio >= 4, sprintf("%.2f", ratio))
	claim("there_are_saturated_points", saturated >= 10, saturated)
	claim("littles_law_agrees_at_each_of_them", worst < 0.01, sprintf("worst %.4f", worst))
	exit failed
}' "$work/phases.csv"
status=$?

if grep -q 'samsung-983-dct' "$result.html" && grep -q '</html>' "$result.html"; then
	echo "ok 9 - the_page_is_written"
else
	echo "not ok 9 - the_page_is_written"
	status=1
fi
if ls "$result"-state-* >/dev/null 2>&1; then
	echo "not ok 10 - no_state_is_left_beside_a_complete_result"
	status=1
else
	echo "ok 10 - no_state_is_left_beside_a_complete_result"
fi
exit $status
