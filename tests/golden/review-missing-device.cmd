drivebay review /dev/nvme-none --destroy-data --size 1G
status=$?
ls
exit $status
