exec 2>&1
try() {
	drivebay run "$@"
	status=$?
	[ $status = 2 ] || echo "exit $status"
}
try null:1G
try 4k-random-read
try null:1G 4k-random-read
try null:1G --block 4x
try null:1G --block 1000
try null:1G --block 4k --size-mix 4k:1
try null:1G --size-mix 4k
try null:1G --size-mix 4k:70,,8k:30
try null:1G --size-mix 4k:70,4096:30
try null:1G --size-mix 4k:0
try null:1G --read 101
try null:1G --read 70.5%
try null:1G --read x
try null:1G --trim 10
try null:1G --write-zeroes 10
try null:1G --read 10 --write-zeroes 60 --trim 41
try null:1G --read 0 --write-zeroes 60 --trim 40 --compress 50
try null:1G --random --sequential
try null:1G --sequential --distribution uniform
try null:1G --random --random-share 50
try null:1G --distribution zipf
try null:1G --distribution zipf:3
try null:1G --depth 0
try null:1G --depth 1.5
try null:1G --depth 1000 --threads 1000
try null:1G --span 0%
try null:1G --span 25
try null:1G --align 3
try null:1G --block 4k --round 1s
try null:1G --block 4k --until-steady --rounds 4
try null:1G --block 4k --until-steady --round 0s
try null:1G --block 4k --depht 4
try null:1G --span 0.001% --block 1M
ls
