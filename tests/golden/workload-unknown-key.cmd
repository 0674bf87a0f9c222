sed 's/^depth:/dephth:/' "$ROOT/workloads/4k-random-read.yaml" >mine.yaml
drivebay run ./mine.yaml null:1G
status=$?
ls
exit $status
