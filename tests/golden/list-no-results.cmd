drivebay list results
