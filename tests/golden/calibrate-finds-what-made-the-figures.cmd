# A figure is made with a value; from a wrong one, or none, the value is found again.
mkdir -p bin share/drivebay/drives share/drivebay/published/relations share/drivebay/workloads/plans
cp -L "$(command -v drivebay)" bin/drivebay
cp -r "$ROOT/beds" share/drivebay
cp "$ROOT/workloads/synthetic-4k-write.yaml" share/drivebay/workloads
cp "$ROOT/published/relations/relations.csv" share/drivebay/published/relations
cat >share/drivebay/workloads/plans/synthetic.yaml <<END
name: synthetic
help: one short run
source: a test
steps:
  - do: purge
  - {do: fill, size: 128K, passes: 1}
  - {do: run, workload: synthetic-4k-write, time: 3s, quick_time: 1s}
END
published() { # published IOPS
	printf 'drive_id,test_id,statistic,value,unit,judged,bed\nlittle,synthetic-4k-write,iops,%s,1/s,yes,\n' \
		"$1" >share/drivebay/published/published.csv
	printf 'little,synthetic-4k-write,latency_mean,1,us,no,\n' >>share/drivebay/published/published.csv
}
drive=share/drivebay/drives/little.yaml
write_command() { # write_command VALUE: calibrated with a prior of 40us
	sed "s/write_command: .*/write_command: {value: $1, mark: calibrated, fitted: [synthetic-4k-write iops], prior: 40us, source: s} # kept/" \
		"$ROOT/tests/e2e/little.yaml" >$drive
}

write_command 60us
published 100
made=$(bin/drivebay validate --drive little 2>/dev/null | awk '$3 == "iops" { gsub(",", ""); print $(NF - 2); exit }')
published "$made"

write_command 50us
bin/drivebay calibrate >table 2>trials
echo "a wrong value: exit $?, as it stood: $(grep write_command $drive | cut -c 1-32)"
grep -q 'write_command 40us: ' trials && echo "the search began at the prior"
grep -q "write_command 50us: " trials || echo "what stood there was not looked at"

bin/drivebay calibrate --write >/dev/null 2>&1
echo "--write: exit $?"
awk '/write_command/ { gsub(/[^0-9.]/, "", $3); print ($3 > 58 && $3 < 62) ? "found again" : $0; print $NF }' $drive
diff "$ROOT/tests/e2e/little.yaml" $drive | grep -c '^>'
bin/drivebay calibrate --leave-one-out >table 2>/dev/null
echo "written: exit $?"
grep -o 'controller.write_command 40us' table
grep -c 'Left out: 1 figures, median' table
ls share/drivebay/drives
