# The options alone make a workload; on top of a named one they change it; both say so.
describe() {
	drivebay run "$@" --time 100ms --quiet --output "$n.drivebay" >/dev/null 2>words || cat words
	drivebay export --table=workloads "$n.drivebay" | sed 1d
	n=$((n + 1))
}
n=1
target=samsung-983-dct
describe $target --block 4k
describe $target --block 4k --read 70 --random --depth 32 --threads 4 --span 25%
describe $target --size-mix 4k:70,8k:20,64k:10 --read 50% --trim 10 --distribution zipf:1.1
describe $target --read 0 --random-share 25 --align 16k -b 8k -d 2 -t 3
describe 4k-random-read $target --depth 1
describe $target --read 20 --trim 5 --write-zeroes 15 --compress 50% --random
describe 4k-random-read $target --read 0 --sequential
describe 4k-random-write $target --read 100 --block 64k
describe 4k-zipf-70-30 $target --distribution uniform

# Steady rounds come before the run, the fill before them.
drivebay run $target --block 4k --read 70 --random --depth 32 --threads 4 --rate 50k --time 300ms \
	--round 200ms --rounds 5 --until-steady --fill --quiet --output steady.drivebay >words 2>&1 ||
	cat words
drivebay export --table=phases steady.drivebay | sed 's/"[^"]*"/NAME/g' | cut -d, -f2-5,7-9
