echo mine >a.drivebay
drivebay review samsung-983-dct -o a.drivebay
status=$?
cat a.drivebay
ls
exit $status
