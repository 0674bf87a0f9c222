drivebay show --columns 79 x.drivebay
