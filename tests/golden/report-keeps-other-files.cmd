echo 'my own page' >page.html
drivebay report "$ROOT/tests/fuzz/corpus/result/complete.drivebay" -o page.html
status=$?
cat page.html
exit $status
