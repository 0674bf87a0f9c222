exec 2>&1
complete=$ROOT/tests/fuzz/corpus/result/complete.drivebay
try() {
	echo "$ $*"
	drivebay review "$@"
	echo "exit $?"
}
: >empty.drivebay
echo "no result at all, only a line of text that is longer than a header" >text.drivebay
head -c 5000 "$complete" >cut.drivebay
for option in --seed=1 --scale=1 --full-size --bed=bare-metal --size=1G --output=o --quick --only=tiny \
	--precondition=steady; do
	try --resume empty.drivebay $option
done
try --resume empty.drivebay samsung-983-dct
for file in absent empty text cut; do
	try --resume $file.drivebay
done
try --resume .
ls
cp "$ROOT/tests/fuzz/corpus/result/complete.drivebay" older.drivebay
try --resume older.drivebay
