drivebay list drivse
