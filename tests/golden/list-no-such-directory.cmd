drivebay list results nowhere
