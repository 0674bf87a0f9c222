exec 2>&1
little=$ROOT/tests/e2e/little.yaml
try() {
	echo "$ $*"
	drivebay "$@"
	echo "exit $?"
}
try review
try review "$little" --seed x
try review "$little" --seed -1
try review "$little" --seed
try review "$little" --scale 0
try review "$little" --scale 2 --full-size
try review "$little" --workers 0
try review "$little" --size 12parsec
try review "$little" --size 64M
try review new.img --size 64M --bed bare-metal
try review "$little" --precondition cold
try review "$little" --only ''
try review "$little" "$little"
try review new.img
try review absent/new.img --size 64M
try review absent/
try review .
try review ''
try run 4k-random-read
try run 4k-random-read "$little" --time 0s
try run 4k-random-read "$little" --time 5
try run 4k-random-read "$little" --rate 0
try run 4k-random-read "$little" --rate fast
try run 4k-random-read "$little" --arrivals never
try run 4k-random-read null:
try run 4k-random-read null:1G --scale 2
try run 4k-random-read fault:delay=soon:null:1G
ls
