drivebay compare --help
