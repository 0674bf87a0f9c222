drivebay export --csv --table=rounds "$ROOT/tests/fuzz/corpus/result/complete.drivebay"
