drivebay review samsung-983-dtc
status=$?
ls
exit $status
