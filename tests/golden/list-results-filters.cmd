# A result of the first version of the format, and two of today.
cp "$ROOT/tests/fuzz/corpus/result/complete.drivebay" first-version.drivebay
drivebay run 4k-random-read null:16M --time 1ms -q --output null.drivebay >/dev/null 2>&1
drivebay run 4k-random-read samsung-983-dct --time 1ms -q --output model.drivebay >/dev/null 2>&1
list() {
	echo "$*:"
	drivebay list results "$@" | cut -d ' ' -f 1
}
list
list --drive 983
list --drive NULL
list --plan 4K-RANDOM
list --modelled
list --measured
list --complete
list --unfinished
list --since 2025
list --since 2024-05-01 --drive samsung
list --drive nothing-like-it .
drivebay list results --modelled --measured; echo "exit $?"
drivebay list results --complete --unfinished; echo "exit $?"
drivebay list results --since yesterday; echo "exit $?"
drivebay list drives --drive samsung; echo "exit $?"
drivebay show first-version.drivebay | head -n 3
