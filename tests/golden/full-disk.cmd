# A result on a file system without room: one sentence, and no half-made page.
[ "$(id -u)" = 0 ] || { echo "needs root, to mount a small file system" >&2; exit 77; }
unshare -m true 2>/dev/null || { echo "no mount namespaces here" >&2; exit 77; }
unshare -m sh -c 'mkdir small && mount -t tmpfs -o size=64k tmpfs small &&
	drivebay run 4k-random-read null:1G --time 100ms -q -o small/a.drivebay
	status=$?
	ls small
	exit $status'
