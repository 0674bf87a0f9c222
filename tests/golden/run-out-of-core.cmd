# A working set in swap on a small model: the same seed gives the same bytes.
for i in 1 2; do
	drivebay run out-of-core samsung-983-dct --scale 512 --quiet --output $i.drivebay >show.$i 2>words ||
		cat words
	drivebay export $i.drivebay >$i.csv
done
cmp 1.csv 2.csv && cmp show.1 show.2 && echo same
drivebay export --table=figures 1.drivebay | cut -d, -f3-5
