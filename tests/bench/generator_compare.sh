#!/bin/bash
# What does a request cost the generator, in processor time, against fio's? Both read 4 KiB at
# random with full statistics, in turns, from targets that cost next to nothing:
#
#	tests/bench/generator_compare.sh DRIVEBAY
#
#	zero    /dev/zero through io_uring, a system call and a copy of zeroes; fio with its
#	        defaults, and tuned: fixed buffers, a registered file, batches
#	null    drivebay's null target, fio's null engine
#
# PAIRS (5), SECONDS_EACH (3), DEPTHS ("1 32 128") and TARGETS ("zero null") come from the
# environment. User and system time of the whole process, start and end too, over its requests:
# the least of all turns, for whatever else the machine does only adds to it. Prints ns per
# request, and ratios beside what they are meant to be. Exit status 1 when one is missed by more
# than the 10 % that such figures move.
set -u

die()
{
	echo "generator_compare: $*" >&2
	exit 2
}

[ $# = 1 ] || die "usage: $0 DRIVEBAY"
drivebay=$1
pairs=${PAIRS:-5} seconds=${SECONDS_EACH:-3} depths=${DEPTHS:-1 32 128} targets=${TARGETS:-zero null}
[ -x "$drivebay" ] || die "$drivebay: is not the program"
[ "$pairs" -gt 0 ] || die "PAIRS: at least 1 would do, not '$pairs'"
[ "$seconds" -gt 0 ] || die "SECONDS_EACH: at least 1 would do, not '$seconds'"
for program in fio python3; do
	command -v "$program" >/dev/null || { echo "generator_compare: needs $program" >&2; exit 77; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# timed COMMAND...: leaves its processor time, user and system, in $work/cpu.
timed()
{
	local TIMEFORMAT='%U %S'
	{ time "$@" >"$work/words" 2>&1; } 2>"$work/cpu" || {
		tail -n 3 "$work/words" >&2
		die "failed: $*"
	}
}

run_fio() # DEPTH ARGUMENT...
{
	local depth=$1
	shift
	timed fio --name=compare --rw=randread --bs=4k --iodepth="$depth" --norandommap --time_based \
		--runtime="$seconds" --output-format=json --output="$work/fio.json" "$@"
	python3 - "$work/fio.json" "$work/cpu" <<-'END'
		import json, sys
		text = open(sys.argv[1]).read()
		ios = json.loads(text[text.index("{"):])["jobs"][0]["read"]["total_ios"]
		print(sum(map(float, open(sys.argv[2]).read().split())) * 1e9 / ios)
	END
}

# Batches as large as the depth: smaller ones cost fio more.
run_fio_tuned() # DEPTH ARGUMENT...
{
	run_fio "$@" --fixedbufs --registerfiles --iodepth_batch_submit="$1" \
		--iodepth_batch_complete_min=1 --iodepth_batch_complete_max="$1"
}

run_drivebay() # DEPTH TARGET ARGUMENT...
{
	cat > "$work/compare.yaml" <<-END
		name: compare
		help: what fio is given too
		source: ours
		read: 100%
		pattern: uniform
		size: 4K
		threads: 1
		depth: $1
		span: 100%
	END
	rm -f "$work/out.drivebay"
	timed "$drivebay" run "$work/compare.yaml" "${@:2}" --time "${seconds}s" --quiet \
		--output "$work/out.drivebay"
	"$drivebay" export --csv --table=phases "$work/out.drivebay" >"$work/out.csv" ||
		die "drivebay export failed"
	python3 - "$work/out.csv" "$work/cpu" <<-'END'
		import csv, sys
		row = [r for r in csv.DictReader(open(sys.argv[1])) if r["kind"] == "run"][-1]
		print(sum(map(float, open(sys.argv[2]).read().split())) * 1e9 / int(row["read_ios"]))
	END
}

zero=(--filename=/dev/zero --size=1g --ioengine=io_uring)
for depth in $depths; do
	for pair in $(seq "$pairs"); do
		for target in $targets; do
			case $target in
			zero)
				echo "zero $depth drivebay $(run_drivebay "$depth" uring:/dev/zero --size 1G)"
				echo "zero $depth default $(run_fio "$depth" "${zero[@]}")"
				echo "zero $depth tuned $(run_fio_tuned "$depth" "${zero[@]}")"
				;;
			null)
				echo "null $depth drivebay $(run_drivebay "$depth" null:1T)"
				echo "null $depth default $(run_fio "$depth" --ioengine=null --size=1t)"
				;;
			*)
				die "TARGETS: '$target' is neither zero nor null"
				;;
			esac
		done
	done
done >"$work/figures"

python3 - "$work/figures" <<'END'
import sys

GOALS = {("zero", "default"): {1: 1.05, 32: 0.2, 128: 0.2}, ("zero", "tuned"): {32: 0.75, 128: 0.75},
         ("null", "default"): {1: 0.6, 32: 0.6, 128: 0.6}}
least = {}
for line in open(sys.argv[1]):
    words = line.split()
    if len(words) != 4:
        sys.exit(2)  # it has been said why
    key = (words[0], int(words[1]), words[2])
    least[key] = min(least.get(key, float("inf")), float(words[3]))

print(f"{'':5} {'depth':>5} {'drivebay':>9} {'fio':>9}  {'':7} {'ratio':>6}  {'goal':>5}")
missed = False
for (target, depth, who), ns in least.items():
    if who == "drivebay":
        continue
    ours = least[(target, depth, "drivebay")]
    goal = GOALS[(target, who)].get(depth)
    verdict = "" if goal is None else "" if ours / ns <= goal else "  missed"
    missed = missed or goal is not None and ours / ns > goal * 1.1
    print(f"{target:5} {depth:5} {ours:9.0f} {ns:9.0f}  {who:7} {ours / ns:6.3f}"
          f"  {'' if goal is None else goal:>5}{verdict}")
sys.exit(1 if missed else 0)
END
