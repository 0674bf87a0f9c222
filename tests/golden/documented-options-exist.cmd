# What a page or the README tells people to type must be an option of some command.
drivebay | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | grep -v '^help$' >names
while read -r name; do drivebay help "$name"; done <names | grep -o -e '--[a-z-]*' >known
for page in drivebay $(cat names); do
	[ -e "$ROOT/doc/$page.md" ] || echo "doc/$page.md is missing"
	grep -o -h -e '--[a-z][a-z-]*' "$ROOT/doc/$page.md" "$ROOT/README.md" | sort -u |
		grep -v -x -F -f known | sed "s/^/doc\/$page.md or README: no command has /"
done
