/* The host: processors, clock, interrupts, and who else is at work. */
#include "cli/doctor.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fail.h"

enum { TEXT = 256, WAKE_US = 20 };

#define CPUS "/sys/devices/system/cpu"

static bool is_processor(const char *name)
{
	return isdigit((unsigned char)name[3]);
}

static char **processors(const struct doctor *doctor, size_t *count)
{
	char **names = doctor_names(doctor, CPUS, "cpu", count);
	size_t kept = 0;

	for (size_t i = 0; i < *count; i++) {
		if (is_processor(names[i]))
			names[kept++] = names[i];
		else
			free(names[i]);
	}
	*count = kept;
	return names;
}

static void check_governor(struct doctor *doctor)
{
	size_t count, found = 0;
	char **names = processors(doctor, &count);
	char first[TEXT] = "", text[TEXT], words[TEXT + 64];

	for (size_t i = 0; i < count; i++) {
		if (!doctor_text(doctor, text, sizeof(text), CPUS "/%s/cpufreq/scaling_governor", names[i])
		    || !strcmp(text, "performance"))
			continue;
		if (!found++)
			snprintf(first, sizeof(first), "%s", text);
	}
	if (found) {
		snprintf(words, sizeof(words), "%s on %zu of %zu processors", first, found, count);
		doctor_add(doctor, true, "governor", CPUS "/cpu*/cpufreq/scaling_governor", words,
			   "the processors slow down when little is to do, just as requests at a low rate are timed",
			   "cpupower frequency-set -g performance");
	}
	doctor_names_free(names, count);
}

/* The deepest state that is not switched off; all processors have the same, as a rule. */
static void check_idle(struct doctor *doctor)
{
	size_t count;
	char **names = doctor_names(doctor, CPUS "/cpu0/cpuidle", "state", &count);
	char deepest[TEXT] = "", words[TEXT + 64];
	long long worst = 0;

	for (size_t i = 0; i < count; i++) {
		long long latency, disabled = 0;

		doctor_number(doctor, &disabled, CPUS "/cpu0/cpuidle/%s/disable", names[i]);
		if (disabled || !doctor_number(doctor, &latency, CPUS "/cpu0/cpuidle/%s/latency", names[i])
		    || latency <= worst)
			continue;
		worst = latency;
		if (!doctor_text(doctor, deepest, sizeof(deepest), CPUS "/cpu0/cpuidle/%s/name", names[i]))
			snprintf(deepest, sizeof(deepest), "%s", names[i]);
	}
	if (worst > WAKE_US) {
		snprintf(words, sizeof(words), "%s, %lld us", deepest, worst);
		doctor_add(doctor, true, "idle states", CPUS "/cpu*/cpuidle", words,
			   "a processor that waits for a request falls asleep, and its waking is measured as latency",
			   "cpupower idle-set -D 2, or hold /dev/cpu_dma_latency open with 0 in it");
	}
	doctor_names_free(names, count);
}

static void check_clock(struct doctor *doctor)
{
	static const char path[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
	static const char *const quick[] = { "tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page",
					     "timebase", "riscv_clocksource" };
	char text[TEXT];

	if (!doctor_text(doctor, text, sizeof(text), "%s", path))
		return;
	for (size_t i = 0; i < sizeof(quick) / sizeof(*quick); i++)
		if (!strcmp(text, quick[i]))
			return;
	doctor_add(doctor, true, "clock source", path, text,
		   "reading this clock takes a microsecond or more, twice a request",
		   "boot with clocksource=tsc tsc=reliable if the processor's TSC is good; else measure at low rates only");
}

static void check_virtual(struct doctor *doctor)
{
	_cleanup_free_ char *text = doctor_file(doctor, "/proc/cpuinfo");
	const char *flags = strstr(text, "\nflags");
	char name[TEXT];
	size_t length = flags ? strcspn(flags + 1, "\n") + 1 : 0;
	const char *word = flags ? strstr(flags, " hypervisor") : NULL;

	if (!(word && word < flags + length)
	    && !doctor_text(doctor, name, sizeof(name), "/sys/hypervisor/type"))
		return;
	if (!doctor_text(doctor, name, sizeof(name), "/sys/class/dmi/id/product_name")
	    && !doctor_text(doctor, name, sizeof(name), "/sys/hypervisor/type"))
		snprintf(name, sizeof(name), "hypervisor");
	doctor_add(doctor, true, "virtual machine", "/proc/cpuinfo", name,
		   "the hypervisor, its other guests and often its cache are measured along",
		   "run on the host, or on a guest with the drive passed through and processors of its own");
}

static void check_load(struct doctor *doctor)
{
	char text[TEXT], words[64];
	size_t count;
	char **names = processors(doctor, &count);
	double load;

	doctor_names_free(names, count);
	if (!doctor_text(doctor, text, sizeof(text), "/proc/loadavg"))
		return;
	load = strtod(text, NULL);
	if (load < 0.5)
		return;
	snprintf(words, sizeof(words), "%.2f on %zu processors", load, count);
	doctor_add(doctor, count == 0 || load >= 0.25 * (double)count, "load", "/proc/loadavg", words,
		   "other work takes the processors away from the load generator at times",
		   "stop it, or pin it to other processors");
}

/* "  45:  1 2  IR-PCI-MSIX-...  nvme0q3": the number of an I/O queue's interrupt, or -1. */
static int queue_interrupt(const char *line, const char *controller)
{
	const char *last = strrchr(line, ' ');
	size_t length = strlen(controller);

	/* Queue 0 takes commands of the administrator alone. */
	if (!last || strncmp(last + 1, controller, length) || last[1 + length] != 'q'
	    || strtol(last + 2 + length, NULL, 10) == 0)
		return -1;
	return (int)strtol(line, NULL, 10);
}

/* All of a drive's queues interrupting one processor, which then is the limit. */
static void check_interrupts(struct doctor *doctor, const char *disk)
{
	_cleanup_free_ char *text = doctor_file(doctor, "/proc/interrupts");
	char *rest = text, *line, controller[32], first[TEXT] = "", words[TEXT + 64];
	size_t queues = 0, count;
	char **names = processors(doctor, &count);

	doctor_names_free(names, count);
	snprintf(controller, sizeof(controller), "%.*s",
		 (int)(strcspn(disk + 4, "n") + 4), disk);
	while ((line = strsep(&rest, "\n"))) {
		int number = queue_interrupt(line, controller);
		char list[TEXT];

		if (number < 0 || (!doctor_text(doctor, list, sizeof(list), "/proc/irq/%d/effective_affinity_list", number)
				   && !doctor_text(doctor, list, sizeof(list), "/proc/irq/%d/smp_affinity_list", number)))
			continue;
		if (queues++ && strcmp(list, first))
			return;
		snprintf(first, sizeof(first), "%s", list);
	}
	if (queues < 2 || count < 2 || strpbrk(first, "-,"))
		return;
	snprintf(words, sizeof(words), "all %zu queues on processor %s", queues, first);
	doctor_add(doctor, true, "interrupts", "/proc/irq/*/effective_affinity_list", words,
		   "one processor answers for all queues of the drive and limits its rate",
		   "echo the processors' numbers into /proc/irq/N/smp_affinity_list, one queue each");
}

/* The daemon moves interrupts from one processor to another in mid-measurement. */
static void check_irqbalance(struct doctor *doctor)
{
	size_t count;
	char **names = doctor_names(doctor, "/proc", "", &count);

	for (size_t i = 0; i < count; i++) {
		_cleanup_free_ char *where = xasprintf("/proc/%s/comm", names[i]);
		char text[TEXT];

		if (!isdigit((unsigned char)names[i][0]) || !doctor_text(doctor, text, sizeof(text), "%s", where)
		    || strcmp(text, "irqbalance"))
			continue;
		doctor_add(doctor, false, "irqbalance", where, text,
			   "it moves interrupts between processors during the measurement", "systemctl stop irqbalance");
		break;
	}
	doctor_names_free(names, count);
}

static void check_throttled(struct doctor *doctor)
{
	size_t count;
	char **names = processors(doctor, &count);
	long long total = 0, value;
	char words[64];

	for (size_t i = 0; i < count; i++)
		if (doctor_number(doctor, &value, CPUS "/%s/thermal_throttle/core_throttle_count", names[i]))
			total += value;
	doctor_names_free(names, count);
	if (!total)
		return;
	snprintf(words, sizeof(words), "%lld times since boot", total);
	doctor_add(doctor, false, "processor heat", CPUS "/cpu*/thermal_throttle", words,
		   "the processors were too hot and slowed down", "look after the cooling of the machine");
}

static void check_aspm(struct doctor *doctor)
{
	static const char path[] = "/sys/module/pcie_aspm/parameters/policy";
	char text[TEXT], chosen[TEXT];

	if (!doctor_text(doctor, text, sizeof(text), "%s", path)
	    || !doctor_chosen(text, chosen, sizeof(chosen)) || strncmp(chosen, "powersave", 9))
		return;
	doctor_add(doctor, true, "PCIe power", path, chosen,
		   "the link to the drive sleeps between requests and takes microseconds to wake",
		   "echo performance > /sys/module/pcie_aspm/parameters/policy");
}

/* A new check of the host is a line here. */
static void (*const checks[])(struct doctor *) = {
	check_virtual, check_load, check_governor, check_idle, check_clock, check_aspm, check_throttled,
	check_irqbalance,
};

void doctor_check_host(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->layer_count; i++)
		if (doctor->layers[i].is_disk && !strncmp(doctor->layers[i].name, "nvme", 4))
			check_interrupts(doctor, doctor->layers[i].name);
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		checks[i](doctor);
}
