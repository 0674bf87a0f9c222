drivebay run 4k-random-read null:1G --rate fast
