cp "$ROOT/tests/fuzz/corpus/result/complete.drivebay" one.drivebay
drivebay report one.drivebay && drivebay report one.drivebay one.drivebay && head -n 2 one.drivebay.html
