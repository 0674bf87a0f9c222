# What is wrong with a drive file is said with file and line, and nothing is left behind.
exec 2>&1
little=$ROOT/tests/e2e/little.yaml
sed 's/^  channels:/  chanels:/' "$little" >key.yaml
sed 's/{value: 60us,/{value: 60sec,/' "$little" >unit.yaml
sed '/^  dies:/d' "$little" >missing.yaml
sed 's/{value: 4,/{value: 0,/' "$little" >zero.yaml
sed 's/^  program: {/  program: {{/' "$little" >yaml.yaml
: >empty.yaml
head -c 100 /dev/urandom >binary.yaml
for file in key unit missing zero yaml empty absent; do
	drivebay review ./$file.yaml
	echo "exit $?"
done
drivebay review ./binary.yaml 2>/dev/null
echo "exit $?"
drivebay review samsung-983-dtc
echo "exit $?"
drivebay review "$little" --scale 1000
echo "exit $?"
ls
