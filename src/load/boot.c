#include "load/boot.h"

#include <assert.h>
#include <stdlib.h>

enum boot_gate boot_judge(const struct boot_rules *rules, const struct boot_measured *measured)
{
	if (measured->errors)
		return BOOT_ERRORS;
	if (measured->read_p99_ns > rules->read_p99_ns)
		return BOOT_READ_P99;
	if (measured->read_p999_ns > rules->read_p999_ns)
		return BOOT_READ_P999;
	if (measured->read_max_ns > rules->read_max_ns)
		return BOOT_READ_MAX;
	if (measured->write_bytes_per_s < rules->write_least_bytes_per_s)
		return BOOT_WRITE_RATE;
	if (measured->trim_bytes_per_s < rules->trim_least_bytes_per_s)
		return BOOT_TRIM_RATE;
	return BOOT_VALID;
}

const char *boot_gate_words(enum boot_gate gate)
{
	static const char *const words[BOOT_GATES] = {
		[BOOT_VALID] = "none", [BOOT_READ_P99] = "read p99", [BOOT_READ_P999] = "read p99.9",
		[BOOT_READ_MAX] = "read maximum", [BOOT_WRITE_RATE] = "write rate",
		[BOOT_TRIM_RATE] = "trim rate", [BOOT_ERRORS] = "errors",
	};

	assert(gate < BOOT_GATES);
	return words[gate];
}

void boot_begin(struct boot *boot, const struct boot_rules *rules)
{
	assert(rules->first > 0);
	assert(rules->confirmations > 0);
	*boot = (struct boot){ .rules = rules, .jobs = rules->first };
}

static void end(struct boot *boot, uint32_t jobs)
{
	boot->stage = BOOT_OVER;
	boot->jobs = jobs;
	if (!jobs)
		boot->least_iops = 0;
}

static void confirm(struct boot *boot, uint32_t jobs)
{
	boot->stage = BOOT_CONFIRM;
	boot->jobs = jobs;
	boot->in_a_row = 0;
	boot->least_iops = 0;
	if (!jobs)
		end(boot, 0);
}

/* Both ends are known. */
static void bisect(struct boot *boot)
{
	boot->stage = BOOT_BISECT;
	boot->jobs = boot->valid + (boot->invalid - boot->valid) / 2;
	if (boot->invalid - boot->valid <= 1)
		confirm(boot, boot->valid);
}

static void climb(struct boot *boot, bool is_valid)
{
	const struct boot_rules *rules = boot->rules;

	if (!is_valid) {
		if (boot->valid)
			bisect(boot);
		else
			end(boot, 0);
		return;
	}
	if (boot->jobs >= rules->most)
		confirm(boot, boot->jobs);
	else
		boot->jobs = boot->jobs > rules->most / 2 ? rules->most : boot->jobs * 2;
}

static void take_confirmation(struct boot *boot, bool is_valid, uint64_t iops)
{
	if (!is_valid) {
		confirm(boot, boot->jobs - 1);
		return;
	}
	if (boot->in_a_row == 0 || iops < boot->least_iops)
		boot->least_iops = iops;
	if (++boot->in_a_row == boot->rules->confirmations)
		end(boot, boot->jobs);
}

void boot_take(struct boot *boot, const struct boot_measured *measured)
{
	enum boot_gate gate = boot_judge(boot->rules, measured);
	bool is_valid = gate == BOOT_VALID;

	if (is_valid && boot->stage != BOOT_CONFIRM)
		boot->valid = boot->jobs;
	if (!is_valid) {
		boot->limit = gate;
		if (boot->stage != BOOT_CONFIRM)
			boot->invalid = boot->jobs;
	}
	switch (boot->stage) {
	case BOOT_CLIMB:
		climb(boot, is_valid);
		return;
	case BOOT_BISECT:
		bisect(boot);
		return;
	case BOOT_CONFIRM:
		take_confirmation(boot, is_valid, measured->read_iops);
		return;
	case BOOT_OVER:
		break;
	}
	abort();
}

bool boot_passes(const struct boot *boot)
{
	return boot->stage == BOOT_OVER && boot->least_iops > boot->rules->pass_iops;
}
