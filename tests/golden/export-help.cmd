drivebay export --help
