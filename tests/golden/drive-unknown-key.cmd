sed 's/^  channels:/  chanels:/' "$ROOT/drives/samsung-983-dct-1.92tb.yaml" >mine.yaml
drivebay review ./mine.yaml
status=$?
ls
exit $status
