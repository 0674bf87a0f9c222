drivebay review samsung-983-dct --bed bare-metall
