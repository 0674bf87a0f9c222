# Terminals on a small model: the same seed gives the same bytes; delays by the specification on demand.
for i in 1 2; do
	drivebay run tpcc samsung-983-dct --scale 512 --time 20ms --quiet --output $i.drivebay >show.$i 2>words ||
		cat words
	drivebay export $i.drivebay >$i.csv
done
cmp 1.csv 2.csv && cmp show.1 show.2 && echo same
sed -n '/^TPCC/p; /^Terminals/p; /^Delays/p' show.1
drivebay run tpcc samsung-983-dct --scale 512 --time 5ms --cycle-scale 1.0 --quiet --output 3.drivebay 2>words |
	grep '^Delays'
drivebay export --table=phases 3.drivebay | cut -d, -f1-5

# What does not fit is not run, and says both sizes.
drivebay run tpcc samsung-983-dct-960gb --scale 256 --quiet --output small.drivebay 2>words |
	sed -n '/^TPCC/,/^$/p; /^A model of/,$p'
