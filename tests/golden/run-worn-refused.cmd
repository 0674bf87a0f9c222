drivebay run samsung-983-dct --block 4k --worn 5
drivebay run samsung-983-dct --block 4k --worn 2000%
drivebay run null:1G --block 4k --worn 5%
drivebay run samsung-983-dct --block 4k --shelved 90d
drivebay run samsung-983-dct --block 4k --shelved 90 --load-state none.state
