drivebay help lits
