drivebay list targets >/dev/full
