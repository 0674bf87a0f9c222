# The version is a number of four bytes at 60, most significant first.
cp "$ROOT/tests/fuzz/corpus/result/complete.drivebay" newer.drivebay
printf '\007' | dd of=newer.drivebay bs=1 seek=63 conv=notrunc status=none
drivebay export newer.drivebay
