drivebay show none.drivebay
