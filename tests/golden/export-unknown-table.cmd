drivebay export --table=window "$ROOT/tests/fuzz/corpus/result/complete.drivebay"
