# A plan is looked at before the target: no file is created for one that cannot be run.
exec 2>&1
tiny=$ROOT/tests/e2e/tiny.yaml
sed 's/ passes:/ pases:/' "$tiny" >key.yaml
sed 's/maximum: 500ms/maximum: 500mz/' "$tiny" >unit.yaml
sed 's/4k-random-read$/4k-random-raed/' "$tiny" >workload.yaml
sed 's|4k-random-read$|./absent.yaml|' "$tiny" >file.yaml
for file in key unit workload file absent; do
	drivebay review new.img --size 64M --only ./$file.yaml
	echo "exit $?"
done
drivebay review new.img --size 64M --only four-corner
echo "exit $?"
drivebay review new.img --size 64M --only "$tiny,"
echo "exit $?"
ls
