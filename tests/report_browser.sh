#!/bin/sh
# report_browser.sh REPORT_SAMPLE: opens pages in a headless browser. Every series of every
# chart must be drawn, nothing may be fetched, nothing complained about, and nothing may be
# wider than the window, a desk's or a phone's.
set -u
here=$(cd "$(dirname "$0")" && pwd)
sample=$1

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	echo "1..0 # SKIP no chromium (Debian: chromium)"
	exit 0
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
"$sample" "$work" >/dev/null || exit 1

# What the page looks like to its own script, as one line "verdict: ..." each.
ask() { # PAGE WIDTH
	sed -e '/<\/body>/,$d' "$work/$1.html" >"$work/ask.html"
	{
		echo '<script>'
		cat "$here/report_browser.js"
		echo '</script></body></html>'
	} >>"$work/ask.html"
	# A headless window is never narrower than 500 pixels; a frame is.
	cat >"$work/frame.html" <<-END
		<!DOCTYPE html><body><pre id="verdict"></pre>
		<iframe style="border: 0; width: $2px; height: 1000px" src="ask.html#open"></iframe>
		<script>
		onmessage = function (event) {
			document.getElementById('verdict').textContent = '\n' + event.data + '\n';
		};
		</script></body>
	END
	rm -rf "$work/profile"
	timeout 100 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync \
		--user-data-dir="$work/profile" --enable-logging=stderr --window-size=1400,1100 \
		--virtual-time-budget=20000 --dump-dom "file://$work/frame.html" \
		>"$work/dom" 2>"$work/log"
	grep -a 'CONSOLE' "$work/log" | sed 's/^/verdict: console: /'
	sed -n 's/^verdict: /&/p' "$work/dom"
}

number=0 failed=0
echo "1..4"
for case in "one 1200" "one 390" "both 1200" "cut 390"; do
	number=$((number + 1))
	# shellcheck disable=SC2086 # two words
	ask $case >"$work/verdict"
	if grep -qx 'verdict: sound' "$work/verdict" && [ "$(wc -l <"$work/verdict")" -eq 1 ]; then
		echo "ok $number - page $case pixels wide"
	else
		echo "not ok $number - page $case pixels wide"
		head -20 "$work/verdict" | sed 's/^/# /'
		[ -s "$work/verdict" ] || tail -5 "$work/log" | sed 's/^/# /'
		failed=1
	fi
done
exit $failed
