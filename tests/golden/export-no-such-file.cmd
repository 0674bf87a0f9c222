drivebay export missing.drivebay
