drivebay export "$ROOT/tests/fuzz/corpus/result/complete.drivebay"
