drivebay lits drives
