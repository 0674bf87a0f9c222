#!/bin/bash
# drivebay export --json against fio's own: clean JSON, the keys that fio has, figures that are
# those of the result.
#
#	tests/fio_json.sh DRIVEBAY
#
# TAP. Without python3 all of it is skipped; without fio, or with another than 3.33 whose keys differ,
# the comparison with fio.
set -u
drivebay=$(readlink -f "$1")
command -v python3 >/dev/null || { echo "1..0 # SKIP python3 is missing"; exit 0; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

"$drivebay" run samsung-983-dct --scale 512 --fill --read 70 --random --depth 8 --block 16k --rate 5k \
	--until-steady --rounds 5 --round 50ms --time 500ms --quiet --output mixed >words 2>&1 &&
	"$drivebay" run samsung-983-dct --scale 512 --read 0 --trim 100 --time 50ms --quiet \
		--output trims >words 2>&1 || { cat words; echo "1..0"; exit 1; }
"$drivebay" export --json mixed >mixed.json || exit 1
"$drivebay" export --json mixed | cmp -s - mixed.json && touch again
"$drivebay" export --json trims >trims.json || exit 1
"$drivebay" export --table=phases mixed >mixed.csv || exit 1
if command -v fio >/dev/null && [ "$(fio --version)" = fio-3.33 ]; then
	fio --name=tiny --rw=randrw --bs=4k --size=64k --ioengine=null --iodepth=4 \
		--output-format=json --output=fio.json >words 2>&1 || rm -f fio.json
fi

python3 - <<'END'
import csv, json, math, os

def load(name):
    return json.loads(open(name, encoding="ascii").read())

mixed, trims = load("mixed.json"), load("trims.json")
rows = list(csv.DictReader(open("mixed.csv")))
fill, rounds, run = mixed["jobs"]
tests = []

def claim(name, holds, why=""):
    tests.append((name, bool(holds), why))

def near(a, b, share):
    return math.isclose(a, b, rel_tol=share, abs_tol=1e-6)

claim("the same result gives the same bytes", os.path.exists("again"))
claim("a job is a phase that sent requests",
      [job["jobname"] for job in mixed["jobs"]] == [row["name"] for row in rows])
row = rows[-1]
read, write = run["read"], run["write"]
claim("requests and bytes are those of the result",
      read["total_ios"] == int(row["read_ios"]) and write["total_ios"] == int(row["write_ios"])
      and read["io_bytes"] == int(row["read_bytes"]) and write["io_bytes"] == int(row["write_bytes"]))
claim("rates are requests over time", near(read["iops"] + write["iops"], float(row["iops"]), 1e-3)
      and near(read["bw_bytes"], read["iops"] * 16384, 1e-3) and near(read["bw"] * 1024, read["bw_bytes"], 1e-3))
claim("latency is that of the result in nanoseconds",
      near(read["clat_ns"]["mean"], float(row["read_mean_us"]) * 1e3, 1e-3)
      and write["clat_ns"]["max"] == round(float(row["write_max_us"]) * 1e3))
claim("reads and writes have the bins of their own requests",
      sum(read["clat_ns"]["bins"].values()) == read["total_ios"]
      and sum(write["clat_ns"]["bins"].values()) == write["total_ios"])

def rank(direction, percent):
    bins = sorted((int(ns), count) for ns, count in direction["clat_ns"]["bins"].items())
    want, seen = math.ceil(direction["total_ios"] * percent / 100), 0
    for ns, count in bins:
        seen += count
        if seen >= want:
            return ns

claim("percentiles are those of the bins", all(
    near(direction["clat_ns"]["percentile"][f"{p:.6f}"], rank(direction, p), 0.009)
    for direction in (read, write) for p in (1, 50, 90, 99)))
claim("what is between the bounds of latency adds up to everything",
      near(sum(sum(run[t].values()) for t in ("latency_ns", "latency_us", "latency_ms")), 100, 1e-6))
claim("the options are the workload's", run["job options"]["rw"] == "randrw"
      and run["job options"]["bs"] == "16384" and run["job options"]["rwmixread"] == "70"
      and run["job options"]["rate_iops"] == "5000" and run["job options"]["iodepth"] == "8")
claim("rounds have their verdict and their values", rounds["steadystate"]["attained"] in (0, 1)
      and len(rounds["steadystate"]["data"]["iops"]) == 5 and "steadystate" not in run)
claim("a model has no processor time and its own clock", run["usr_cpu"] == 0 and mixed["time"].endswith("1970"))
only = trims["jobs"][0]["trim"]
claim("trims alone have all of their latency", only["total_ios"] > 0 and only["total_ios"] == only["clat_ns"]["N"]
      and only["clat_ns"]["min"] <= only["clat_ns"]["percentile"]["50.000000"] <= only["clat_ns"]["max"])

# Keys of texts that are free, and keys that fio has at times only, or never.
OPEN = ("job options", "global options", "bins", "percentile")
OURS = {"disk_util", "drivebay", "steadystate", "job_start", "global options", "bins", "percentile"}

def lacking(ours, fios, path=""):
    found = []
    for key, value in fios.items():
        if key not in ours:
            found.append(path + key)
        elif isinstance(value, dict) and key not in OPEN:
            found += lacking(ours[key], value, path + key + "/")
    return found

def surplus(ours, fios, path=""):
    found = []
    for key, value in ours.items():
        if key not in fios:
            found += [] if key in OURS else [path + key]
        elif isinstance(value, dict) and key not in OPEN:
            found += surplus(value, fios[key], path + key + "/")
    return found

names = ("no key of fio's is missing", "and none is there that fio does not have, but those that are ours")
if os.path.exists("fio.json"):
    text = open("fio.json").read()
    fio = json.loads(text[text.index("{"):])
    for name, differ in zip(names, (lacking, surplus)):
        wrong = differ({k: v for k, v in mixed.items() if k != "jobs"}, {k: v for k, v in fio.items() if k != "jobs"})
        wrong += differ(run, fio["jobs"][0], "jobs/")
        claim(name, not wrong, " ".join(wrong))
else:
    for name in names:
        claim(name + " # SKIP fio 3.33 is not installed", True)

print(f"1..{len(tests)}")
for number, (name, holds, why) in enumerate(tests, 1):
    print(f"{'ok' if holds else 'not ok'} {number} - {name}")
    if not holds:
        print("#", why)
raise SystemExit(not all(holds for _, holds, _ in tests))
END
