drivebay list results . more
