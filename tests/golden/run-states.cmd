# A run that begins where another one ended goes on like one that did both.
exec 2>&1
try() {
	drivebay run 4k-random-write samsung-983-dct --seed 3 --quiet "$@" >words || cat words
}
try --fill --time 1s --save-state filled.state -o a.drivebay
try --time 1s --load-state filled.state -o b.drivebay
try --time 1s --load-state filled.state -o c.drivebay
drivebay export --csv b.drivebay >b.csv
drivebay export --csv c.drivebay | cmp - b.csv && echo "the same state, the same bytes"
try --time 1s -o d.drivebay
drivebay export --csv --table=phases d.drivebay >d.csv
drivebay export --csv --table=phases b.drivebay | cmp -s - d.csv || echo "and not those of a fresh drive"
try --time 1s --save-state filled.state -o e.drivebay
drivebay run 4k-random-write samsung-pm1735 --time 1s --load-state filled.state -o f.drivebay --quiet
echo "exit $?"
drivebay run 4k-random-write samsung-983-dct --time 1s --load-state absent.state -o g.drivebay
echo "exit $?"
head -c 100000 filled.state >cut.state
drivebay run 4k-random-write samsung-983-dct --time 1s --load-state cut.state -o h.drivebay --quiet
echo "exit $?"
drivebay run 4k-random-write null:1G --time 1s --save-state i.state -o i.drivebay --quiet
echo "exit $?"
ls
