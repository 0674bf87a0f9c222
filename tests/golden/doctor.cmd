drivebay doctor samsung-983-dct; echo "exit $?"
drivebay doctor --json samsung-983-dct; echo "exit $?"
drivebay doctor no-such-thing; echo "exit $?"
drivebay doctor .; echo "exit $?"
drivebay doctor; echo "exit $?"
: >file; drivebay doctor --json file | head -c 2; echo
drivebay doctor --help
