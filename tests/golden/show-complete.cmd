drivebay show "$ROOT/tests/fuzz/corpus/result/complete.drivebay"
