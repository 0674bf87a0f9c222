drivebay list --help
