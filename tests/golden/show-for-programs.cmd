result="$ROOT/tests/fuzz/corpus/result/complete.drivebay"
drivebay show --csv "$result"
drivebay show --json --curves "$result"
drivebay show --json --csv "$result"; echo "exit $?"
