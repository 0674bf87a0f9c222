# What a drive does to data is told as what it is; a drive that does nothing passes.
drivebay list targets | grep -q "not in this build: it lacks ISA-L" &&
	{ echo "this build cannot verify" >&2; exit 77; }
try() {
	drivebay run "$@" --block 16k --depth 8 --quiet >/dev/null 2>words
	echo "exit $?"
	grep "^drivebay" words | sed 's/[0-9][0-9]* blocks/N blocks/; s/ [0-9]* \([a-z]*\) (the first at byte [0-9]*: write [0-9]* expected\(, [0-9]* found\)*)/ some \1/g'
}
v="--verify crc32c"
size="--size 8M"
work="--random --read 50 --time 300ms"
fill="--fill"
try good.img $size $work $fill $v --verify-journal j -o 1.drivebay
try good.img $size --time 100ms $v --verify-journal j -o 2.drivebay
try fault:flip=5:flip.img $size $work $fill $v -o 3.drivebay
try fault:stale=10:stale.img $size $work $fill $v -o 4.drivebay
cp good.img copy.img
# One sector of nothing in the middle, and one that belongs elsewhere.
dd if=/dev/zero of=good.img bs=4096 seek=100 count=1 conv=notrunc status=none
dd if=copy.img of=good.img bs=4096 seek=300 skip=17 count=1 conv=notrunc status=none
try good.img $size --time 100ms $v --verify-journal j -o 5.drivebay
drivebay export --table=phases 5.drivebay | grep -c ",failed,"
# Nothing that cannot be done is pretended.
try samsung-983-dct --time 10ms $v -o 6.drivebay
try null:1G --time 10ms $v -o 7.drivebay
try good.img --time 10ms --verify md5 -o 8.drivebay
try good.img --time 10ms --verify-journal j -o 9.drivebay
try good.img --time 10ms $v --verify-journal a:b -o 10.drivebay
try good.img --time 10ms $v --workers 2 -o 11.drivebay
try good.img --time 10ms $v --verify-journal copy.img -o 12.drivebay
ls
