/*
 * What doctor finds in trees of files that the tests make: a drive and a host that are as they
 * should be, and one thing wrong at a time.
 */
#include "cli/doctor.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tap.h"

#define NVME "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/nvme/nvme0/nvme0n1"
#define PCI "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0"

static char root[64];
static struct doctor *doctor;

/* root/PATH with its directories, holding `text`. */
__attribute__((format(printf, 2, 3))) static void put(const char *text, const char *format, ...)
{
	char path[PATH_MAX];
	size_t at = (size_t)snprintf(path, sizeof(path), "%s", root);
	va_list args;
	FILE *file;

	va_start(args, format);
	vsnprintf(path + at, sizeof(path) - at, format, args);
	va_end(args);
	for (char *slash = strchr(path + at + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	file = fopen(path, "w");
	check(file);
	fputs(text, file);
	check(fclose(file) == 0);
}

/* root/PATH as a link to root/TO. */
static void put_link(const char *to, const char *path)
{
	char target[PATH_MAX], link[PATH_MAX];
	char *absolute = realpath(root, NULL);

	put("", "%s", path); /* for its directories */
	snprintf(link, sizeof(link), "%s%s", root, path);
	snprintf(target, sizeof(target), "%s%s", absolute, to);
	unlink(link);
	check(symlink(target, link) == 0);
	free(absolute);
}

static void end(void)
{
	char line[128];

	doctor_free(doctor);
	doctor = NULL;
	if (!root[0])
		return;
	snprintf(line, sizeof(line), "rm -rf %s", root);
	root[0] = '\0';
	if (system(line))
		fprintf(stderr, "# %s failed\n", line);
}

/* An NVMe drive 259:0 with a partition 259:1, and a host of two processors: nothing is wrong. */
static void begin(void)
{
	static unsigned int number;

	end();
	snprintf(root, sizeof(root), "./test_doctor.%d.%u", (int)getpid(), number++);
	check(mkdir(root, 0700) == 0);
	put("259:0\n", NVME "/dev");
	put("259:1\n", NVME "/nvme0n1p1/dev");
	put("1\n", NVME "/nvme0n1p1/partition");
	put_link(NVME, "/sys/dev/block/259:0");
	put_link(NVME "/nvme0n1p1", "/sys/dev/block/259:1");
	put("[none] mq-deadline kyber\n", NVME "/queue/scheduler");
	put("write through\n", NVME "/queue/write_cache");
	put("0\n", NVME "/queue/rotational");
	put("4096\n", NVME "/queue/logical_block_size");
	put("4096\n", NVME "/queue/physical_block_size");
	put("2199023255040\n", NVME "/queue/discard_max_bytes");
	put("1280\n", NVME "/queue/max_sectors_kb");
	put("2048\n", NVME "/queue/max_hw_sectors_kb");
	put("0\n", NVME "/queue/add_random");
	put("       0        0\n", NVME "/inflight");
	put("4\n", PCI "/current_link_width");
	put("4\n", PCI "/max_link_width");
	put("16.0 GT/s PCIe\n", PCI "/current_link_speed");
	put("16.0 GT/s PCIe\n", PCI "/max_link_speed");
	put("0\n", PCI "/numa_node");
	put("on\n", PCI "/power/control");
	put("active\n", PCI "/power/runtime_status");
	put("41850\n", NVME "/device/hwmon2/temp1_input");
	put("81850\n", NVME "/device/hwmon2/temp1_max");
	put("0\n", "/sys/module/nvme_core/parameters/default_ps_max_latency_us");
	put("[default] performance powersave powersupersave\n",
	    "/sys/module/pcie_aspm/parameters/policy");
	for (int i = 0; i < 2; i++) {
		put("performance\n", "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", i);
		put("0\n", "/sys/devices/system/cpu/cpu%d/thermal_throttle/core_throttle_count", i);
	}
	put("POLL\n", "/sys/devices/system/cpu/cpu0/cpuidle/state0/name");
	put("0\n", "/sys/devices/system/cpu/cpu0/cpuidle/state0/latency");
	put("C6\n", "/sys/devices/system/cpu/cpu0/cpuidle/state1/name");
	put("170\n", "/sys/devices/system/cpu/cpu0/cpuidle/state1/latency");
	put("1\n", "/sys/devices/system/cpu/cpu0/cpuidle/state1/disable");
	put("tsc\n", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	put("processor\t: 0\nflags\t\t: fpu vme sse4_2\nbugs\t\t: hypervisor\n", "/proc/cpuinfo");
	put("0.20 0.30 0.25 1/123 4567\n", "/proc/loadavg");
	put("22 1 253:0 / / rw - ext4 /dev/sda1 rw\n", "/proc/self/mountinfo");
	put("Filename\t\tType\t\tSize\tUsed\tPriority\n", "/proc/swaps");
	put("           CPU0       CPU1\n"
	    "  40:   1   2   IR-PCI-MSIX-0000:01:00.0    0-edge      nvme0q0\n"
	    "  41:   1   2   IR-PCI-MSIX-0000:01:00.0    1-edge      nvme0q1\n"
	    "  42:   1   2   IR-PCI-MSIX-0000:01:00.0    2-edge      nvme0q2\n", "/proc/interrupts");
	put("0\n", "/proc/irq/40/effective_affinity_list");
	put("0\n", "/proc/irq/41/effective_affinity_list");
	put("1\n", "/proc/irq/42/effective_affinity_list");
	put("systemd\n", "/proc/1/comm");
}

static const struct finding *examine(unsigned int high, unsigned int low, const char *what)
{
	doctor_free(doctor);
	doctor = doctor_examine(root, makedev(high, low), false);
	return doctor_finding(doctor, what);
}

/* The only finding is `what`, and it says what was found and where. */
static void check_only(const char *what, bool spoils, const char *found, const char *where)
{
	const struct finding *finding = examine(259, 0, what);

	if (!finding)
		tap_fail("%s is not found", what);
	for (size_t i = 0; i < doctor->finding_count; i++)
		if (&doctor->findings[i] != finding)
			tap_fail("%s is found as well", doctor->findings[i].what);
	if (!strstr(finding->found, found))
		tap_fail("%s: found '%s', expected '%s'", what, finding->found, found);
	if (!strstr(finding->where, where))
		tap_fail("%s: where is '%s', expected '%s'", what, finding->where, where);
	check_equal(finding->spoils, spoils);
	check_equal(doctor_spoilers(doctor), spoils);
	check(*finding->why);
	end();
}

TEST(where_all_is_well_nothing_is_found)
{
	begin();
	examine(259, 0, "");
	for (size_t i = 0; i < doctor->finding_count; i++)
		tap_fail("%s: %s", doctor->findings[i].what, doctor->findings[i].found);
	check_equal(doctor->layer_count, 1);
	end();
}

TEST(a_machine_that_tells_nothing_has_no_findings)
{
	doctor = doctor_examine("./no-such-directory", makedev(1, 2), false);
	check_equal(doctor->finding_count, 0);
	check_equal(doctor->layer_count, 0);
	end();
}

TEST(a_scheduler_is_found_and_none_is_not)
{
	begin();
	put("none [mq-deadline] kyber\n", NVME "/queue/scheduler");
	check_only("scheduler", true, "mq-deadline", "/sys/block/nvme0n1/queue/scheduler");
}

TEST(a_volatile_write_cache_is_found)
{
	begin();
	put("write back\n", NVME "/queue/write_cache");
	check_only("write cache", false, "write back", "write_cache");
}

TEST(a_governor_that_saves_power_is_found_on_one_of_two)
{
	begin();
	put("powersave\n", "/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor");
	check_only("governor", true, "powersave on 1 of 2 processors", "scaling_governor");
}

TEST(a_deep_idle_state_is_found_unless_it_is_off)
{
	begin();
	put("0\n", "/sys/devices/system/cpu/cpu0/cpuidle/state1/disable");
	check_only("idle states", true, "C6, 170 us", "cpuidle");
	begin();
	put("0\n", "/sys/devices/system/cpu/cpu0/cpuidle/state1/disable");
	put("20\n", "/sys/devices/system/cpu/cpu0/cpuidle/state1/latency");
	check(!examine(259, 0, "idle states")); /* 20 us are borne, 21 are not */
	put("21\n", "/sys/devices/system/cpu/cpu0/cpuidle/state1/latency");
	check(examine(259, 0, "idle states"));
	end();
}

TEST(queues_that_all_interrupt_one_processor_are_found)
{
	begin();
	put("0\n", "/proc/irq/42/effective_affinity_list");
	check_only("interrupts", true, "all 2 queues on processor 0", "/proc/irq");
}

TEST(interrupts_of_another_drive_do_not_count)
{
	begin();
	put("  41:   1   2   IR-PCI-MSIX    1-edge      nvme01q1\n"
	    "  42:   1   2   IR-PCI-MSIX    2-edge      nvme1q2\n", "/proc/interrupts");
	put("0\n", "/proc/irq/42/effective_affinity_list");
	check(!examine(259, 0, "interrupts"));
	end();
}

TEST(irqbalance_is_found_by_its_name)
{
	begin();
	put("irqbalance\n", "/proc/77/comm");
	check_only("irqbalance", false, "irqbalance", "/proc/77/comm");
}

TEST(a_mounted_partition_is_another_user)
{
	begin();
	put("22 1 259:1 / /srv/data rw shared:1 - ext4 /dev/nvme0n1p1 rw\n", "/proc/self/mountinfo");
	check_only("other users", true, "nvme0n1p1 on /srv/data", "nvme0n1");
}

TEST(a_file_is_no_other_user_of_its_own_file_system)
{
	begin();
	put("22 1 259:1 / /srv/data rw shared:1 - xfs /dev/nvme0n1p1 rw\n", "/proc/self/mountinfo");
	doctor = doctor_examine(root, makedev(259, 1), true);
	check(!doctor_finding(doctor, "other users"));
	check(doctor_finding(doctor, "file system"));
	check(!doctor_finding(doctor, "file system")->spoils);
	check(!strcmp(doctor_finding(doctor, "file system")->found, "xfs"));
	check(!strcmp(doctor_finding(doctor, "file system")->where, "/srv/data"));
	end();
}

TEST(a_file_in_memory_or_on_btrfs_spoils)
{
	static const char *const types[] = { "tmpfs", "btrfs", "nfs4" };

	for (size_t i = 0; i < 3; i++) {
		char line[128];

		begin();
		snprintf(line, sizeof(line), "30 1 0:44 / /tmp rw - %s none rw\n", types[i]);
		put(line, "/proc/self/mountinfo");
		doctor = doctor_examine(root, makedev(0, 44), true);
		check(doctor_finding(doctor, "file system"));
		check(doctor_finding(doctor, "file system")->spoils);
		end();
	}
}

TEST(swap_is_another_user)
{
	begin();
	put("Filename\tType\n/dev/nvme0n1p1                          partition\t1\n", "/proc/swaps");
	check_only("other users", true, "swap on /dev/nvme0n1p1", "nvme0n1");
}

TEST(requests_under_way_are_found)
{
	begin();
	put("       0        3\n", NVME "/inflight");
	check_only("requests under way", true, "3", "inflight");
}

TEST(dm_crypt_spoils_and_lvm_is_told)
{
	begin();
	put("254:0\n", "/sys/devices/virtual/block/dm-0/dev");
	put("CRYPT-LUKS2-abc\n", "/sys/devices/virtual/block/dm-0/dm/uuid");
	put("secret\n", "/sys/devices/virtual/block/dm-0/dm/name");
	put_link("/sys/devices/virtual/block/dm-0", "/sys/dev/block/254:0");
	put_link(NVME "/nvme0n1p1", "/sys/devices/virtual/block/dm-0/slaves/nvme0n1p1");
	check(examine(254, 0, "dm-crypt"));
	check(doctor_finding(doctor, "dm-crypt")->spoils);
	check(!strcmp(doctor_finding(doctor, "dm-crypt")->found, "secret"));
	check_equal(doctor->layer_count, 3); /* dm-0, the partition, the disk */
	check(doctor->layers[2].is_disk && !doctor->layers[0].is_disk && !doctor->layers[1].is_disk);
	put("LVM-abc\n", "/sys/devices/virtual/block/dm-0/dm/uuid");
	check(!examine(254, 0, "dm-crypt"));
	check(doctor_finding(doctor, "LVM") && !doctor_finding(doctor, "LVM")->spoils);
	end();
}

TEST(what_is_wrong_with_the_disk_shows_through_its_layers)
{
	begin();
	put("none [bfq]\n", NVME "/queue/scheduler");
	put("254:0\n", "/sys/devices/virtual/block/dm-0/dev");
	put_link("/sys/devices/virtual/block/dm-0", "/sys/dev/block/254:0");
	put_link(NVME, "/sys/devices/virtual/block/dm-0/slaves/nvme0n1");
	check(examine(254, 0, "scheduler"));
	check(examine(259, 1, "scheduler"));
	end();
}

TEST(raid_and_loop_devices_are_found)
{
	begin();
	put("9:0\n", "/sys/devices/virtual/block/md0/dev");
	put("raid1\n", "/sys/devices/virtual/block/md0/md/level");
	put_link("/sys/devices/virtual/block/md0", "/sys/dev/block/9:0");
	check(examine(9, 0, "RAID"));
	check(!strcmp(doctor_finding(doctor, "RAID")->found, "raid1"));
	put("7:3\n", "/sys/devices/virtual/block/loop3/dev");
	put("/srv/x.img\n", "/sys/devices/virtual/block/loop3/loop/backing_file");
	put_link("/sys/devices/virtual/block/loop3", "/sys/dev/block/7:3");
	check(examine(7, 3, "loop device"));
	end();
}

TEST(a_hot_drive_is_found_from_five_degrees_below_its_warning)
{
	begin();
	put("76850\n", NVME "/device/hwmon2/temp1_input");
	check_only("temperature", true, "76 degrees, warned of from 81", "temp1_input");
	begin();
	put("76849\n", NVME "/device/hwmon2/temp1_input");
	check(!examine(259, 0, "temperature"));
	end();
}

TEST(a_pcie_link_below_its_width_is_found)
{
	begin();
	put("2\n", PCI "/current_link_width");
	check_only("PCIe link", true, "x2 at 16.0 GT/s PCIe of x4", "0000:01:00.0");
}

TEST(a_pcie_link_below_its_speed_is_found)
{
	begin();
	put("8.0 GT/s PCIe\n", PCI "/current_link_speed");
	check_only("PCIe link", true, "x4 at 8.0 GT/s", "0000:01:00.0");
}

TEST(power_states_of_the_drive_are_found)
{
	begin();
	put("100000\n", "/sys/module/nvme_core/parameters/default_ps_max_latency_us");
	check_only("power states", true, "100000 us", "nvme_core");
}

TEST(runtime_power_is_found_where_the_kernel_can_suspend)
{
	begin();
	put("auto\n", PCI "/power/control");
	check_only("runtime power", false, "auto", "0000:01:00.0/power/control");
	begin();
	put("auto\n", PCI "/power/control");
	put("unsupported\n", PCI "/power/runtime_status");
	check(!examine(259, 0, "runtime power"));
	end();
}

TEST(a_pcie_policy_that_saves_power_is_found)
{
	begin();
	put("default performance [powersave] powersupersave\n",
	    "/sys/module/pcie_aspm/parameters/policy");
	check_only("PCIe power", true, "powersave", "pcie_aspm");
}

TEST(a_sata_link_that_sleeps_is_found)
{
	static const char sata[] = "/sys/devices/pci0000:00/0000:00:17.0/ata1/host4/target4:0:0/4:0:0:0/block/sda";

	begin();
	put("8:0\n", "%s/dev", sata);
	put_link(sata, "/sys/dev/block/8:0");
	put("med_power_with_dipm\n", "/sys/class/scsi_host/host4/link_power_management_policy");
	check(examine(8, 0, "link power"));
	put("max_performance\n", "/sys/class/scsi_host/host4/link_power_management_policy");
	check(!examine(8, 0, "link power"));
	end();
}

TEST(a_virtual_machine_is_found_by_the_flag_alone)
{
	begin();
	put("processor\t: 0\nflags\t\t: fpu hypervisor sse4_2\n", "/proc/cpuinfo");
	put("KVM\n", "/sys/class/dmi/id/product_name");
	check_only("virtual machine", true, "KVM", "/proc/cpuinfo");
}

TEST(a_slow_clock_is_found)
{
	begin();
	put("hpet\n", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	check_only("clock source", true, "hpet", "current_clocksource");
}

TEST(sectors_smaller_than_the_drives_own_are_found)
{
	begin();
	put("512\n", NVME "/queue/logical_block_size");
	check_only("512e", false, "4096 behind sectors of 512", "physical_block_size");
}

TEST(a_drive_that_cannot_discard_is_told)
{
	begin();
	put("0\n", NVME "/queue/discard_max_bytes");
	check_only("discard", false, "0", "discard_max_bytes");
}

TEST(requests_that_are_cut_up_are_found)
{
	begin();
	put("127\n", NVME "/queue/max_sectors_kb");
	check_only("request size", true, "127", "max_sectors_kb");
	begin();
	put("128\n", NVME "/queue/max_sectors_kb");
	check(!examine(259, 0, "request size"));
	end();
}

TEST(other_work_is_found_by_the_load)
{
	begin();
	put("0.50 0.30 0.25 1/123 4567\n", "/proc/loadavg");
	check_only("load", true, "0.50 on 2 processors", "loadavg");
	begin();
	put("0.49 0.30 0.25 1/123 4567\n", "/proc/loadavg");
	check(!examine(259, 0, "load"));
	end();
}

TEST(a_far_numa_node_is_told_where_there_are_two)
{
	begin();
	put("\n", "/sys/devices/system/node/node0/cpulist");
	put("\n", "/sys/devices/system/node/node1/cpulist");
	check_only("NUMA node", false, "0 of 2", "numa_node");
}

TEST(processors_that_were_too_hot_are_told)
{
	begin();
	put("7\n", "/sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count");
	check_only("processor heat", false, "7 times", "thermal_throttle");
}

TEST(a_result_gets_a_line_for_each_finding)
{
	struct buf lines = BUF_INIT;

	begin();
	put("none [bfq]\n", NVME "/queue/scheduler");
	put("hpet\n", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	examine(259, 0, "");
	doctor_put_lines(doctor, &lines);
	check(!strncmp(lines.text, "! scheduler: bfq (/sys/block/nvme0n1/queue/scheduler): it sorts", 62));
	check(strstr(lines.text, "\n! clock source: hpet ("));
	check(lines.text[lines.size - 1] != '\n');
	buf_free(&lines);
	end();
}

int main(void)
{
	return tap_run();
}
