drivebay soak --count 0
drivebay soak --seed 1x
drivebay soak something
