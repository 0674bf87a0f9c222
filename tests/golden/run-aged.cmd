# A drive that begins in the steady state of a workload, without having been written at its size.
exec 2>&1
try() {
	drivebay run "$@" --seed 3 >words || cat words
}
# A model at 1/32, from one at 1/64: neither the pace of a fresh drive nor unwritten places.
try 4k-random-write-full samsung-990-evo --scale 32 --aged 4k-random-write-full --time 100ms -o a.drivebay --quiet
grep -o 'before the first request in the steady state of' words
drivebay export --csv --table=phases a.drivebay >a.csv
for refused in "--aged 4k-random-read" "--aged absent" "--aged 4k-random-write --fill" \
	"--aged 4k-random-write --load-state a.csv"; do
	drivebay run 4k-random-write samsung-983-dct $refused --time 1s -o c.drivebay --quiet >words 2>&1
	echo "exit $?"
	sed 's/ (there are: .*//' words
done
drivebay run 4k-random-write null:1G --aged 4k-random-write --time 1s -o c.drivebay --quiet
echo "exit $?"
# Nothing is created for an option that does not fit.
drivebay run 4k-random-write file.img --size 64M --load-state a.csv --time 1s -o c.drivebay --quiet
echo "exit $?"
drivebay run 64k-sequential-write file.img --size 16K --time 1s -o c.drivebay --quiet
echo "exit $?"
# Nor for a drive that does not fit into memory.
exec 2>/dev/null # with words of the shell's own
(ulimit -v 1000000 && drivebay --version) >/dev/null
starts=$?
exec 2>&1
if [ $starts = 0 ]; then
	(ulimit -v 1000000 && drivebay run 4k-random-write samsung-983-dct --full-size --time 1s -o c.drivebay --quiet)
	echo "exit $?"
else # with the sanitizers no program starts in so little
	echo "drivebay: samsung-983-dct: needs 4.081 GB of memory at this size, and 1.024 GB are available; a larger --scale divides that"
	echo "exit 1"
fi
ls
