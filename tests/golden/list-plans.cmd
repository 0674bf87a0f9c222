drivebay list plans | grep '^four-corners ' | tr -s ' '
