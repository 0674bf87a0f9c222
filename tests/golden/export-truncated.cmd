head -c 5000 "$ROOT/tests/fuzz/corpus/result/complete.drivebay" >cut.drivebay
drivebay export cut.drivebay
