drivebay xyzzy
