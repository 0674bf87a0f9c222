: >broken.drivebay
mkdir directory.drivebay
drivebay list results
