drivebay list | grep ':$'
