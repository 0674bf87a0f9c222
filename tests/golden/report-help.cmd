drivebay help report
drivebay help show
