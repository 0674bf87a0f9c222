# What is wrong with a figure that a value names is said with file, line and what would do.
exec 2>&1
mkdir -p bin share/drivebay/drives
cp -L "$(command -v drivebay)" bin/drivebay
cp -r "$ROOT/published" "$ROOT/beds" "$ROOT/workloads" share/drivebay
name=samsung-983-dct-1.92tb
try() { # try SED-SCRIPT: of the shipped file
	sed "$1" "$ROOT/drives/$name.yaml" >share/drivebay/drives/$name.yaml
	bin/drivebay calibrate --list $name 2>&1 | grep -v '^[a-z].*us \|^$' | sed 's|[^ ]*yaml:[0-9]*:|FILE:LINE:|'
}
try 's/\[4k-random-write iops\]/[4k-random-writ iops]/'
try 's/\[4k-random-write iops\]/[4k-random-write iosp]/'
try 's/\[4k-random-write iops\]/[4k-random-write rank]/'
try 's/\[4k-random-write iops\]/[iops]/'
try 's/\[4k-random-write iops\]/iops/'
try 's/\[4k-random-write iops\]/[samsung-pm1735-3.2tb 4k-random-write iops]/'
try 's/prior: 3.78us/prior: 3.78/'
try '/prior: 3.78us/d'
try 's/\[shared, separate\]/[shared, apart]/'
try 's/\[shared, separate\]/[shared]/'
try 's/mark: calibrated/mark: assumed/'
try 's/fitted: \[4k-random-write iops\]//; s/prior: 3.78us//'
for words in nosuch ./x.yaml '--tolerance 5' '--seed x' '--list --write'; do
	bin/drivebay calibrate $words
	echo "exit $?"
done
