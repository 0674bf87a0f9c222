drivebay report "$ROOT/tests/fuzz/corpus/result/complete.drivebay" -o no/such/page.html
