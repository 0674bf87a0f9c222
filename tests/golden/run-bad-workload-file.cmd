exec 2>&1
good=$ROOT/workloads/4k-random-read.yaml
sed 's/^depth/deptth/' "$good" >key.yaml
sed 's/^size: 4K/size: 4KX/' "$good" >unit.yaml
sed 's/^read: 100%/read: 101%/' "$good" >percent.yaml
sed '/^pattern/d' "$good" >missing.yaml
for file in key unit percent missing absent; do
	drivebay run ./$file.yaml new.img --size 64M
	echo "exit $?"
done
drivebay run 4k-random-raed new.img --size 64M
echo "exit $?"
ls
