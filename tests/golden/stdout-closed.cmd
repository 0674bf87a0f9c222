drivebay list targets >&-
