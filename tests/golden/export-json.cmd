# Nothing but JSON on stdout, and all of it at once.
export_=$ROOT/tests/fuzz/corpus/result/complete.drivebay
drivebay export --json --csv "$export_"; echo "exit $?"
drivebay export --json --table=phases "$export_"; echo "exit $?"
drivebay export --json none.drivebay; echo "exit $?"
drivebay export --json "$export_" >out.json 2>words
status=$?
grep -q "without json-c" words && { echo "this build has no JSON" >&2; exit 77; }
echo "exit $status"
cat words
cut -c1-100 out.json | head -n 24
