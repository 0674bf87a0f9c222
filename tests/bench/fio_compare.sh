#!/bin/bash
# Is what drivebay measures what fio measures? Both on the same file or device, with the same
# settings, in turns, so that whatever the machine does meanwhile happens to both.
#
#	tests/bench/fio_compare.sh DRIVEBAY TARGET [SIZE]
#
# TARGET is a file (created with SIZE, 1G unless given, and filled) or a block device, which
# is only read. PAIRS (5), SECONDS_EACH (5), OPERATIONS (of "randread randwrite read write", the
# first two with 4 KiB, the sequential ones with 64) and DEPTHS ("1 4 16 32") come from the
# environment. Prints, for each operation and
# depth, the medians of both and their ratios, drivebay / fio; depths at which fio leaves the
# processor less than 20 % idle are marked, because there the programs are compared, not the
# drive. Exit status 1 when a median of IOPS or mean latency is off by more than 10 % at an
# unmarked depth.
set -u

die()
{
	echo "fio_compare: $*" >&2
	exit 2
}

[ $# -ge 2 ] || die "usage: $0 DRIVEBAY TARGET [SIZE]"
drivebay=$1 target=$2 size=${3:-1G}
pairs=${PAIRS:-5} seconds=${SECONDS_EACH:-5} depths=${DEPTHS:-1 4 16 32}
[ -x "$drivebay" ] || die "$drivebay: is not the program"
[ "$pairs" -gt 0 ] || die "PAIRS: at least 1 would do, not '$pairs'"
[ "$seconds" -gt 0 ] || die "SECONDS_EACH: at least 1 would do, not '$seconds'"
for program in fio python3; do
	command -v "$program" >/dev/null || { echo "fio_compare: needs $program" >&2; exit 77; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

operations=${OPERATIONS:-randread randwrite read write}
sized=(--size "$size")
if [ -b "$target" ]; then
	operations=${OPERATIONS:-randread read}
	sized=()
fi
for operation in $operations; do
	case $operation in
	randread | read) ;;
	randwrite | write) [ ! -b "$target" ] || die "$target: a block device is only read here" ;;
	*) die "OPERATIONS: '$operation' is none of randread randwrite read write" ;;
	esac
done

block_of() # OPERATION
{
	case $1 in
	rand*) echo 4k ;;
	*) echo 64k ;;
	esac
}

# Every figure of a run in one line: IOPS, mean latency in us, processor time per request in ns.
run_fio() # OPERATION DEPTH
{
	fio --name=compare --filename="$target" ${sized[1]:+--size="$fio_size"} --rw="$1" \
	    --bs="$(block_of "$1")" \
	    --ioengine=io_uring --iodepth="$2" --direct=1 --fixedbufs --registerfiles --norandommap \
	    --random_generator=tausworthe64 --refill_buffers=0 --time_based --runtime="$seconds" \
	    --overwrite=1 --output-format=json --output="$work/fio.json" >/dev/null ||
		die "fio failed"
	python3 - "$work/fio.json" "$1" <<-'END'
		import json, sys
		text = open(sys.argv[1]).read()
		job = json.loads(text[text.index("{"):])["jobs"][0]
		side = job[sys.argv[2].removeprefix("rand")]
		cpu = (job["usr_cpu"] + job["sys_cpu"]) / 100 * job["job_runtime"] * 1e6
		print(side["iops"], side["lat_ns"]["mean"] / 1e3, cpu / max(side["total_ios"], 1))
	END
}

write_workload() # OPERATION DEPTH
{
	local read=0% pattern=sequential
	case $1 in *read) read=100% ;; esac
	case $1 in rand*) pattern=uniform ;; esac
	cat > "$work/compare.yaml" <<-END
		name: compare
		help: what fio is given too
		source: ours
		read: $read
		pattern: $pattern
		size: $(block_of "$1" | tr k K)
		threads: 1
		depth: $2
		span: 100%
	END
}

# The whole process is counted, start and end too, where fio counts its job alone.
run_drivebay() # OPERATION DEPTH
{
	local TIMEFORMAT='%U %S'
	rm -f "$work/out.drivebay"
	write_workload "$1" "$2"
	{ time "$drivebay" run "$work/compare.yaml" "$target" "${sized[@]}" --time "${seconds}s" \
		--output "$work/out.drivebay" >"$work/words" 2>&1; } 2>"$work/cpu" ||
		die "drivebay failed: $(tail -n 3 "$work/words")"
	"$drivebay" export --csv --table=phases "$work/out.drivebay" > "$work/out.csv" ||
		die "drivebay export failed"
	python3 - "$work/out.csv" "$work/cpu" <<-'END'
		import csv, sys
		row = [r for r in csv.DictReader(open(sys.argv[1])) if r["kind"] == "run"][-1]
		cpu = sum(map(float, open(sys.argv[2]).read().split())) * 1e9
		ios = int(row["read_ios"]) + int(row["write_ios"])
		print(row["iops"], row["mean_us"], cpu / max(ios, 1))
	END
}

# What a fresh file holds is never read from the drive: it is filled with what does not compress.
if [ ! -b "$target" ]; then
	write_workload randwrite 1
	"$drivebay" run "$work/compare.yaml" "$target" "${sized[@]}" --fill --time 1s \
		--output "$work/fill.drivebay" >"$work/words" 2>&1 ||
		die "drivebay cannot fill $target: $(tail -n 3 "$work/words")"
	fio_size=$(stat -Lc %s "$target")
fi

for operation in $operations; do
	for depth in $depths; do
		for pair in $(seq "$pairs"); do
			# Who begins takes turns as well: the first may find a cooler drive.
			for who in $([ $((pair % 2)) = 0 ] && echo fio drivebay || echo drivebay fio); do
				figures=$("run_$who" "$operation" "$depth") || exit 1
				echo "$operation $depth $who $figures"
			done
		done
	done
done > "$work/figures"

python3 - "$work/figures" <<'END'
import statistics, sys

runs = {}
for line in open(sys.argv[1]):
    operation, depth, who, iops, mean, cpu = line.split()
    runs.setdefault((operation, int(depth)), {}).setdefault(who, []).append(
        (float(iops), float(mean), float(cpu)))

print(f"{'':10} {'depth':>5}  {'IOPS':>9} {'fio':>9} {'ratio':>6}  {'mean us':>9} {'fio':>9} {'ratio':>6}"
      f"  {'CPU ns':>7} {'fio':>7} {'ratio':>6}")
off = False
for (operation, depth), both in runs.items():
    ours, fio = ([statistics.median(column) for column in zip(*both[who])] for who in ("drivebay", "fio"))
    busy = fio[0] * fio[2] / 1e9
    ratios = [a / b if b else float("nan") for a, b in zip(ours, fio)]
    wrong = busy <= 0.8 and any(not 0.9 <= ratio <= 1.1 for ratio in ratios[:2])
    off = off or wrong
    note = "  processor-bound" if busy > 0.8 else "  OFF" if wrong else ""
    print(f"{operation:10} {depth:5}  {ours[0]:9.0f} {fio[0]:9.0f} {ratios[0]:6.3f}"
          f"  {ours[1]:9.1f} {fio[1]:9.1f} {ratios[1]:6.3f}"
          f"  {ours[2]:7.0f} {fio[2]:7.0f} {ratios[2]:6.3f}{note}")
sys.exit(1 if off else 0)
END
