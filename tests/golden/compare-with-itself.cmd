drivebay compare "$ROOT/tests/fuzz/corpus/result/complete.drivebay" "$ROOT/tests/fuzz/corpus/result/complete.drivebay"
