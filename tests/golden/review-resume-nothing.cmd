drivebay review --resume none.drivebay
