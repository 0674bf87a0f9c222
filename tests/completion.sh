#!/bin/bash
# What a shell offers: completion.sh DRIVEBAY BASH ZSH FISH (the scripts of the build).
set -u
export LC_ALL=C
drivebay=$(readlink -f "$1") bash_script=$(readlink -f "$2") zsh_script=$(readlink -f "$3")
fish_script=$(readlink -f "$4")
dir=$(mktemp -d) && cd "$dir" || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir bin sub && ln -s "$drivebay" bin/drivebay && touch one.drivebay 'with space.drivebay' notes.txt
PATH=$dir/bin:$PATH

number=0 failed=0
verdict() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		failed=1
	fi
}

# offers WORD...: what bash offers for the last word of this line, a line each. As readline
# does, "--bed=x" arrives as three words.
offers() {
	bash -c '
		script=$1; shift
		. "$script" || exit 1
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_drivebay
		printf "%s\n" "${COMPREPLY[@]}"' - "$bash_script" "$@"
}

# has CLAIM EXPECTED WORD...: a line of what is offered; lacks: none.
has() {
	claim=$1 expected=$2
	shift 2
	offers "$@" | grep -q -x -F -e "$expected"
	verdict $? "$claim"
}

lacks() {
	claim=$1 expected=$2
	shift 2
	! offers "$@" | grep -q -x -F -e "$expected"
	verdict $? "$claim"
}

echo 1..19
has every_command_is_offered review drivebay ''
has help_is_a_command help drivebay he
lacks a_command_that_begins_otherwise_is_not_offered review drivebay s
has switches_are_offered --quick drivebay review --qu
has options_with_a_value_end_in_an_equals_sign --seed= drivebay review --se
lacks options_of_other_commands_are_not_offered --quick drivebay show --
has drives_are_targets samsung-983-dct-1.92tb drivebay review samsung-983
has files_are_targets notes.txt drivebay review no
has workloads_are_offered_to_run 4k-random-read drivebay run 4k-random-r
has beds_are_offered_behind_an_equals_sign bare-metal drivebay review --bed = ba
has beds_are_offered_right_behind_it bare-metal drivebay review --bed =
has plans_are_offered four-corners drivebay review --only = four
has a_value_may_stand_apart bare-metal drivebay review --bed ba
has results_are_offered one.drivebay drivebay show on
lacks other_files_are_no_results notes.txt drivebay show no
has a_blank_in_a_name_does_not_cut_it 'with space.drivebay' drivebay show with
has kinds_of_list_are_words workloads drivebay list work

if command -v zsh >/dev/null; then
	zsh -n "$zsh_script"
	verdict $? zsh_can_read_its_script
else
	verdict 0 "zsh_can_read_its_script # SKIP there is no zsh"
fi
if command -v fish >/dev/null; then
	fish -n "$fish_script"
	verdict $? fish_can_read_its_script
else
	verdict 0 "fish_can_read_its_script # SKIP there is no fish"
fi
exit $failed
