exec 2>&1
little=$ROOT/tests/e2e/little.yaml
good=$ROOT/beds/bare-metal.yaml
sed 's/^name:/nmae:/' "$good" >key.yaml
sed 's/us,/parsec,/' "$good" >unit.yaml
for file in key unit absent; do
	drivebay review "$little" --bed ./$file.yaml
	echo "exit $?"
done
drivebay review "$little" --bed bare-metall
echo "exit $?"
ls
