drivebay list targets | cut -d ' ' -f 1
