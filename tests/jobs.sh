#!/bin/sh
# jobs.sh DRIVEBAY SOURCE: every file of tests/jobs runs on a model, or is refused with one sentence.
#
# tests/jobs/refused names those that must be refused, each with words of the sentence. All run
# where the decimal point is a comma, too.
drivebay=$(readlink -f "$1") || exit 1
jobs=$2/tests/jobs
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export LC_ALL=de_DE.UTF-8 DRIVEBAY_TEST_BLOCK=8k
unset DRIVEBAY_TEST_DEVICE
cd "$jobs" || exit 1 # include is from where one stands
set -- *.fio *.vdb
[ -e "$1" ] || exit 1
# The first example of each page runs as well.
for page in fio-jobs vdbench; do
	sed -n '/^```$/,/^```$/p' "../../doc/$page.md" | sed -e 1d -e '/^```$/,$d' >"$dir/$page"
	set -- "$@" "$dir/$page"
done
echo "1..$#"
count=0 failed=0

# target FILE: those that go far need room
target() {
	case $1 in
	*64-tib*) echo null:64T ;;
	*) echo samsung-983-dct ;;
	esac
}

# judge FILE: why it is not as it should be; nothing when it is
judge() {
	timeout 100 "$drivebay" run "$1" "$(target "$1")" -o "$dir/result" >"$dir/out" 2>"$dir/err"
	status=$?
	sentences=$(grep -c '^drivebay: ' "$dir/err")
	if words=$(grep "^$1: " refused); then
		words=${words#*: }
		[ $status = 2 ] || echo "exit status $status instead of 2"
		[ "$sentences" = 1 ] || echo "$sentences sentences"
		grep -qF -- "$words" "$dir/err" || echo "no word of: $words"
		[ ! -e "$dir/result" ] || echo "left a result behind"
	else
		[ $status = 0 ] || echo "exit status $status instead of 0"
		[ "$sentences" = 0 ] || echo "a sentence without an error"
		[ -s "$dir/result" ] || echo "no result"
	fi
	[ $status -lt 124 ] || echo "hung or crashed"
}

for file; do
	count=$((count + 1))
	why=$(judge "$file")
	if [ -z "$why" ]; then
		echo "ok $count - $file"
	else
		echo "not ok $count - $file"
		echo "$why" | sed 's/^/# /'
		sed 's/^/# /' "$dir/err"
		failed=1
	fi
	rm -f "$dir"/result*
done
exit $failed
