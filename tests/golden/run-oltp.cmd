# An application on a small model: the same seed gives the same bytes, and it says what it is.
for i in 1 2; do
	drivebay run oltp samsung-983-dct --scale 512 --time 50ms --quiet --output $i.drivebay >show.$i 2>words ||
		cat words
	drivebay export $i.drivebay --csv >$i.csv 2>&1 || drivebay export $i.drivebay >$i.csv
done
cmp 1.csv 2.csv && cmp show.1 show.2 && echo same
sed -n '/^OLTP/p; /^Sessions/p; /^A model of/,/^$/p' show.1
drivebay export --table=figures 1.drivebay | cut -d, -f1-5
drivebay export --table=applications 1.drivebay | cut -d, -f1,2
grep -c 'class="bars"' 1.drivebay.html

# What does not fit is not run, and says both sizes.
drivebay run oltp samsung-983-dct-960gb --scale 256 --quiet --output small.drivebay | sed -n '/^OLTP/,/^$/p; /^A model of/,$p'
drivebay show small.drivebay | grep -c 'Not run'

# Wrong questions.
drivebay run oltp null:1G
drivebay run oltp samsung-983-dct --fill
drivebay run oltp samsung-983-dct --read 70
drivebay run oltp samsung-983-dct --cycle-scale 0
drivebay run 4k-random-read samsung-983-dct --cycle-scale 1.0
