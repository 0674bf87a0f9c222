# A file that drivebay did not create is only written when told so.
head -c 1048576 /dev/zero >precious
drivebay review --quick precious
status=$?
head -c 1048576 /dev/zero | cmp - precious
ls
exit $status
