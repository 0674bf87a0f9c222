drivebay run 4k-random-raed null:1G
status=$?
ls
exit $status
