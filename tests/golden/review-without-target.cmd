drivebay review
