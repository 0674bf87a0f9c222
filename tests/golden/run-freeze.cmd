# 1,000 requests a second offered to a drive that stands still for 2 s in 10: of 10,000 the
# 100 that wait longest wait 1.9 s and more.
drivebay run 4k-random-write fault:freeze=2s,period=10s:samsung-983-dct --scale 512 \
	--rate 1k --arrivals deterministic --time 10s --quiet --output freeze >/dev/null 2>words ||
	cat words
drivebay export --csv --table=phases freeze | awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
	{ printf "p99 from the due time %.2f s, the longest %.2f s, never sent %d\n",
		$column["due_p99_us"] / 1e6, $column["due_max_us"] / 1e6, $column["unissued"] }'
