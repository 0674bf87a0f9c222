cp "$ROOT/tests/fuzz/corpus/result/complete.drivebay" one.drivebay
drivebay report one.drivebay --force -o one.drivebay
status=$?
cmp one.drivebay "$ROOT/tests/fuzz/corpus/result/complete.drivebay" && exit $status
