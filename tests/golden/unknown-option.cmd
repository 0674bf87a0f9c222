drivebay list --hepl
