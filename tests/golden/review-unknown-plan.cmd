drivebay review samsung-983-dct --only four-corner
