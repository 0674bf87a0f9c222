#!/bin/sh
# layers.sh - who may include whom (HACKING.md), and that the model does not know what is measured.
cd "$1" || exit 1
count=0 failed=0

claim() { # claim NAME OFFENDERS: none may be left
	count=$((count + 1))
	if [ -z "$2" ]; then
		echo "ok $count - $1"
	else
		echo "not ok $count - $1"
		echo "$2" | sed 's/^/# /'
		failed=1
	fi
}

includes() { # includes LAYER FORBIDDEN...: the offending lines
	layer=$1
	shift
	for other; do
		grep -n "#include \"$other/" src/"$layer"/*.[ch]
	done
}

echo 1..11
claim base_includes_nobody "$(includes base sim ssd wire target stats load store report cli)"
claim sim_includes_only_base "$(includes sim ssd wire target stats load store report cli)"
claim the_codecs_know_bytes_alone "$(includes wire sim ssd target stats load store report cli)"
claim the_model_does_not_know_who_measures_it "$(includes ssd wire target stats load store report cli)"
claim stats_are_pure_arithmetic "$(includes stats sim ssd wire target load store report cli)"
claim targets_know_nothing_of_load_and_results "$(includes target stats load store report cli)"
claim load_knows_nothing_of_results "$(includes load sim ssd wire store report cli app)"
claim applications_know_nothing_of_drives_and_results "$(includes app ssd wire store report cli)"
claim nobody_below_knows_of_applications "$(includes sim app)$(includes ssd app)$(includes target app)$(
	includes stats app)$(includes store app)$(includes report app)"
claim a_report_cannot_change_a_run "$(includes report target ssd sim cli)"
words='983|xs1715|pm17|990|evo|random-read|random-write|sequential|oracle|sql|vdi|published|review'
claim the_model_names_no_drive_workload_or_figure "$(grep -niE "$words" src/ssd/*.[ch] |
	grep -vE ':[0-9]+:[	 0-9,{}]+$|drive_review_scale|the review runs a drive|source names the published figures')"
exit $failed
