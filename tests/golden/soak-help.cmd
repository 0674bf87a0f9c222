drivebay soak --help
