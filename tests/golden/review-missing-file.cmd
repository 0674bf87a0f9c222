drivebay review ./none.img
status=$?
ls
exit $status
