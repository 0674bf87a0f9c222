/* Any bytes as a plan file: refused with a sentence, or phases that can be run. */
#include "load/plan.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/data.h"
#include "base/fail.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_phase(const struct plan *plan, size_t index)
{
	const struct phase *phase = &plan->phases[index];

	assert(phase->chain < plan->chain_count);
	assert((phase->kind == PHASE_PURGE) == (index == 0 || phase->chain != phase[-1].chain));
	assert(*phase->name);
	phase_planned_ns(phase);
	if (phase->kind == PHASE_PURGE || phase->kind == PHASE_FILL)
		return;
	assert(phase->workload && phase->duration_ns > 0);
	assert(phase->window_ns > 0 && phase->window_ns <= phase->duration_ns);
	if (phase->kind != PHASE_POINT)
		return;
	assert(phase->base < index && plan->phases[phase->base].kind == PHASE_RUN);
	assert(plan->phases[phase->base].chain == phase->chain);
	assert(plan->phases[phase->base].workload == phase->workload);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct plan_options options = { .scale = 64 };
	struct plan *plan = NULL;
	int err;

	data_set_root(SOURCE_ROOT);
	if (memchr(bytes, '/', size)) /* a path would make the result depend on this machine */
		return 0;
	options.quick = size % 2;
	options.precondition_steady = size % 3 == 0;
	err = plan_parse("fuzz.yaml", (const char *)bytes, size, &options, &plan);
	if (err) {
		assert(err == -EINVAL && !plan);
		assert(*fail_message());
		return 0;
	}
	assert(plan->phase_count > 0);
	for (size_t i = 0; i < plan->phase_count; i++)
		check_phase(plan, i);
	plan_free(plan);
	return 0;
}
