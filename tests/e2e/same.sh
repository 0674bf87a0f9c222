#!/bin/bash
# The same seed gives the same bytes, whoever computes them; another seed gives others.
. "$(dirname "$0")/lib.sh"

plan=(--only "$tiny")

claim a_review_of_a_model_works review "$little" "${plan[@]}" --workers 1 -o one
claim the_same_again_is_the_same_byte_for_byte \
	eval 'review "$little" "${plan[@]}" --workers 1 -o again && same one again'
claim two_workers_make_no_difference \
	eval 'review "$little" "${plan[@]}" --workers 2 -o two && same one two'
claim nor_do_sixteen eval 'review "$little" "${plan[@]}" --workers 16 -o many && same one many'
claim the_tables_printed_are_the_same_too \
	eval '"$drivebay" show one >a && "$drivebay" show two >b && [ -s a ] && cmp a b'

# It is not only the seed itself that differs.
measured() {
	"$drivebay" export --table=windows "$1"
}
claim another_seed_is_another_run \
	eval 'review "$little" "${plan[@]}" --seed 2 -o other && measured one >a && measured other >b &&
		[ "$(wc -l <a)" = "$(wc -l <b)" ] && fails cmp -s a b'
claim and_that_one_the_same_again \
	eval 'review "$little" "${plan[@]}" --seed 2 --workers 2 -o other2 && same other other2'
claim nothing_is_left_beside_a_result nothing_beside one
claim a_run_is_reproducible_too eval '
	for r in r1 r2; do
		"$drivebay" run 4k-zipf-70-30 "$little" --fill --time 100ms --rate 10k --quiet -o $r || exit 1
	done && same r1 r2'
claim what_fill_asks_for_was_written_first \
	eval '"$drivebay" export --table=phases r1 >a && grep -q "^0,4k-zipf-70-30/fill,.*,done," a &&
		grep -q "^1,4k-zipf-70-30,.*,done," a'
done_testing
