#!/bin/bash
# Block devices: what is in use is left alone, the tail of an odd one is not lost.
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || skip_all "needs root"
for program in losetup mkfs.ext4 mkswap swapon sfdisk addpart unshare; do
	command -v $program >/dev/null || skip_all "needs $program"
done
# Mounts of our own: they go with the last process, however that ends.
if [ -z "${DEVICE_INSIDE:-}" ]; then
	unshare --mount true 2>/dev/null || skip_all "mount namespaces are not allowed here"
	DEVICE_INSIDE=1 exec unshare --mount --propagation private "$here/device.sh" "$drivebay" "$libcut"
fi

loops=() swaps=() nodes=()
clean_up_devices() {
	local device

	umount "$work/mnt" 2>/dev/null
	for device in ${swaps[@]+"${swaps[@]}"}; do
		swapoff "$device" 2>/dev/null
	done
	for device in ${loops[@]+"${loops[@]}"}; do
		losetup -d "$device" 2>/dev/null
	done
	rm -f ${nodes[@]+"${nodes[@]}"}
	clean_up
}
trap clean_up_devices EXIT
mkdir mnt

# attach FILE [OPTION...]: sets $loop.
attach() {
	loop=$(losetup --find --show "${@:2}" "$1") && loops+=("$loop")
}

truncate -s 999936 odd
attach odd 2>/dev/null || skip_all "no loop device can be had here"
odd=$loop

cat >writes.yaml <<'END'
name: writes
help: 64K blocks one after another, over all of it
source: "ours: a test's"
read: 0%
pattern: sequential
size: 64K
threads: 1
depth: 4
span: 100%
END
cat >brief.yaml <<'END'
name: brief
help: a fill, and writes for a moment
source: "ours: a test's"
steps:
  - do: purge
  - {do: fill, size: 64K, passes: 1}
  - {do: run, workload: ./writes.yaml, time: 100ms, window: 20ms}
END
plan=(--only ./brief.yaml)

# 999,936 bytes are 15 blocks of 64 KiB and 16,896 bytes.
all_of_it() {
	[ "$("$drivebay" export --table=meta tail | sed -n 's/^size_bytes,//p')" = 999936 ] &&
		[ "$(tail -c 512 "$1" | tr -d '\0' | wc -c)" -gt 400 ]
}
the_tail() {
	review --destroy-data "${plan[@]}" "$odd" -o tail && sync odd && all_of_it odd
}
# Only the run: its last request is cut short, for nothing of the span is left out.
the_tail_by_64k() {
	rm tail*
	head -c 999936 /dev/zero >"$odd"
	"$drivebay" run ./writes.yaml "$odd" --destroy-data --time 200ms -q -o tail && sync odd && all_of_it odd
}
claim the_tail_of_a_device_of_999936_bytes_is_filled the_tail
claim and_written_by_64k_requests the_tail_by_64k

# What no request can reach is named: a file whose blocks are larger than its last part.
the_rest() {
	truncate -s 1000000 rest.img
	"$drivebay" run ./writes.yaml rest.img --destroy-data --time 20ms -q -o rest &&
		"$drivebay" show rest | tr '\n' ' ' | grep -q 'a tail of [0-9]* bytes is not used'
}
claim a_tail_that_no_request_can_reach_is_named the_rest

# left_alone PATTERN DEVICE FILE: refused even with consent, and not a byte has changed.
left_alone() {
	local before

	sync "$3" && before=$(cksum <"$3")
	refused 1 "$1" "$drivebay" review --destroy-data --serial "${2##*/}" "${plan[@]}" "$2" -o not.made &&
		sync "$3" && [ "$(cksum <"$3")" = "$before" ] || says "$3 has changed" || return
	[ ! -e not.made ] || says "it left a result"
}

mounted() {
	truncate -s 8M disk && mkfs.ext4 -q disk && attach disk && mount "$loop" mnt || return
	left_alone 'it is mounted on .*/mnt; unmount it first' "$loop" disk
}
linked() {
	ln -s "$loop" by-another-name
	left_alone 'it is mounted on .*/mnt; unmount it first' "./by-another-name" disk
}
backing_file() {
	left_alone "it is attached to loop device ${loop##*/}" ./disk disk
	local result=$?
	umount mnt
	return $result
}
claim a_mounted_device_is_left_alone mounted
claim through_a_symbolic_link_as_well linked
claim and_so_is_the_file_that_it_lies_in backing_file

partition_mounted() {
	truncate -s 16M parted && echo 'start=2048' | sfdisk -q parted && attach parted || return
	addpart "$loop" 1 2048 16384 || return
	[ -b "${loop}p1" ] || mknod_partition || return
	mkfs.ext4 -q "${loop}p1" && mount "${loop}p1" mnt || return
	left_alone "its partition ${loop##*/}p1 is mounted on .*/mnt" "$loop" parted
	local result=$?
	umount mnt
	delpart "$loop" 1
	return $result
}
# Where no udev makes the node.
mknod_partition() {
	local numbers

	numbers=$(cat "/sys/class/block/${loop##*/}p1/dev") && nodes+=("${loop}p1") &&
		mknod "${loop}p1" b "${numbers%:*}" "${numbers#*:}"
}
partition_table() {
	refused 1 'carries a .*partition table' "$drivebay" review --destroy-data "${plan[@]}" "$loop" &&
		refused 2 'serial' "$drivebay" review --destroy-data --serial nonsense "${plan[@]}" "$loop"
}
acknowledged() {
	review --destroy-data --serial "${loop##*/}" "${plan[@]}" "$loop" -o acknowledged
}
claim a_device_whose_partition_is_mounted_is_left_alone partition_mounted
claim a_partition_table_wants_to_be_acknowledged partition_table
claim the_name_acknowledges_it acknowledged

truncate -s 8M swap && chmod 600 swap && mkswap -q swap && attach swap && swaps+=("$loop")
if swapon "$loop" 2>/dev/null; then
	claim swap_is_left_alone left_alone 'it is swap space' "$loop" swap
	swapoff "$loop"
else
	skip swap_is_left_alone "no swap is allowed here"
fi

without_consent() {
	local before

	before=$(cksum <odd)
	refused 1 "$odd: .*--destroy-data" "$drivebay" review "${plan[@]}" "$odd" -o not.made &&
		[ "$(cksum <odd)" = "$before" ] && [ ! -e not.made ]
}
only_read() {
	"$drivebay" run 4k-random-read "$odd" --time 20ms -q -o read
}
claim without_consent_nothing_is_written without_consent
claim what_only_reads_needs_none only_read

no_such_device() {
	refused 2 '/dev/nvme99n1: there is no such device' \
		"$drivebay" review --destroy-data --size 1G /dev/nvme99n1 -o not.made &&
		[ ! -e /dev/nvme99n1 ] && [ ! -e not.made ]
}
claim a_node_in_dev_is_never_created no_such_device

# Another device may have the name when a run goes on.
cat >long.yaml <<'END'
name: long
help: it is cut off in its last phase
source: "ours: a test's"
steps:
  - do: purge
  - {do: run, workload: ./writes.yaml, time: 1h, window: 20ms}
END
# Puts another file behind $loop. Meanwhile it is free, and a test beside this one may have it for a while.
exchange() {
	losetup -d "$loop"
	for _ in $(seq 200); do
		losetup "$loop" "$1" 2>/dev/null && return
		sleep 0.1
	done
	return 1
}

exchanged() {
	truncate -s 2M before after
	attach before || return
	start review --destroy-data --only ./long.yaml "$loop" -o long && until_it_says '*purge: done*' ||
		return
	sleep 0.2
	kill -INT -- "-$group"
	finish
	grep -q -F -x "drivebay: interrupted; go on with: drivebay review --resume long --destroy-data" rest ||
		return
	# The same name and size, but what is on it is foreign: a partition table.
	echo 'start=2048' | sfdisk -q after && exchange after || return
	left=$(cksum <after)
	refused 1 'carries a .*partition table' "$drivebay" review --resume long --destroy-data &&
		[ "$(cksum <after)" = "$left" ] || return
	cp after larger && truncate -s 3M larger && wipefs -qa larger && exchange larger || return
	refused 1 'had 2097152 bytes when the run began and has 3145728 now' \
		"$drivebay" review --resume long --destroy-data
}
claim a_device_that_was_exchanged_is_refused exchanged

# A filesystem that can only be read.
read_only_directory() {
	mount -t tmpfs -o size=1M none mnt && mount -o remount,ro mnt || return
	refused 1 'mnt/x: cannot be created: Read-only file system' \
		"$drivebay" review --size 1M new.img "${plan[@]}" -o mnt/x && [ ! -e new.img ] &&
		refused 1 'mnt/no/x: .*No such file' "$drivebay" review --size 1M new.img "${plan[@]}" -o mnt/no/x
	local result=$?
	umount mnt
	return $result
}
claim a_read_only_directory_is_said_beforehand read_only_directory
done_testing
