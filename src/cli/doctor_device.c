/* The device: what lies between a request and the flash, and how the disk is set up. */
#include "cli/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/fail.h"
#include "target/blockdev.h"

enum { TEXT = 256, HOT_MARGIN = 5000 /* thousandths of a degree */, SPLIT_KIB = 128 };

/* Layers above the disk */

/* One mount of /proc/self/mountinfo; points into the line, which is cut up. */
struct mount {
	unsigned int high, low;
	const char *point, *type, *source;
};

static bool parse_mount(char *line, struct mount *mount)
{
	char *words[5], *rest = line, *dash;

	for (size_t i = 0; i < 5; i++)
		words[i] = strsep(&rest, " ");
	if (!rest || sscanf(words[2], "%u:%u", &mount->high, &mount->low) != 2)
		return false;
	mount->point = words[4];
	dash = strstr(rest, " - ");
	if (!dash)
		return false;
	rest = dash + 3;
	mount->type = strsep(&rest, " ");
	mount->source = rest ? strsep(&rest, " ") : "";
	return true;
}

/* Calls `visit` with each mount until it says false. */
static void each_mount(const struct doctor *doctor, bool (*visit)(void *, const struct mount *),
		       void *context)
{
	_cleanup_free_ char *text = doctor_file(doctor, "/proc/self/mountinfo");
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		struct mount mount;

		if (parse_mount(line, &mount) && !visit(context, &mount))
			return;
	}
}

struct file_system {
	dev_t dev;
	char type[64], point[TEXT];
};

static bool find_file_system(void *context, const struct mount *mount)
{
	struct file_system *found = context;

	if (makedev(mount->high, mount->low) != found->dev)
		return true;
	snprintf(found->type, sizeof(found->type), "%s", mount->type);
	snprintf(found->point, sizeof(found->point), "%s", mount->point);
	return false;
}

static void check_file_system(struct doctor *doctor)
{
	static const char *const no_drive[] = { "tmpfs", "ramfs" };
	static const char *const copies[] = { "btrfs", "zfs", "overlay", "bcachefs", "nilfs2", "f2fs" };
	static const char *const remote[] = { "nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "virtiofs" };
	struct file_system found = { .dev = doctor->dev };
	const struct { const char *const *types; size_t count; const char *why, *mend; } kinds[] = {
		{ no_drive, 2, "the file lies in memory: no drive is measured", "choose a file on the drive" },
		{ copies, 6, "this file system writes to another place each time, and more than it was asked to",
		  "measure the device itself, or a file on ext4 or XFS" },
		{ remote, 7, "the network and another host are measured along",
		  "run drivebay where the drive is" },
	};

	if (!doctor->is_file)
		return;
	each_mount(doctor, find_file_system, &found);
	if (!found.type[0])
		return;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		for (size_t i = 0; i < kinds[k].count; i++)
			if (!strcmp(found.type, kinds[k].types[i])) {
				doctor_add(doctor, true, "file system", found.point, found.type, kinds[k].why,
					   kinds[k].mend);
				return;
			}
	doctor_add(doctor, false, "file system", found.point, found.type,
		   "a file is measured through its file system: allocation, journal and whoever else uses it",
		   "measure the device itself for figures of the drive");
}

static void check_mapped(struct doctor *doctor, const struct doctor_layer *layer)
{
	char uuid[TEXT], name[TEXT];
	_cleanup_free_ char *where = xasprintf("/sys/block/%s", layer->name);
	bool crypt;

	if (!doctor_text(doctor, uuid, sizeof(uuid), "%s/dm/uuid", layer->path))
		snprintf(uuid, sizeof(uuid), "device mapper");
	if (!doctor_text(doctor, name, sizeof(name), "%s/dm/name", layer->path))
		snprintf(name, sizeof(name), "%s", layer->name);
	crypt = !strncmp(uuid, "CRYPT-", 6);
	doctor_add(doctor, crypt, crypt ? "dm-crypt" : !strncmp(uuid, "LVM-", 4) ? "LVM" : "device mapper",
		   where, name,
		   crypt ? "every request is encrypted by the processor on its way"
		   : "requests pass a mapping, which may split them and hide discards",
		   "measure the device beneath it");
}

static void check_layer(struct doctor *doctor, const struct doctor_layer *layer)
{
	_cleanup_free_ char *where = xasprintf("/sys/block/%s", layer->name);
	char text[TEXT];

	if (!strncmp(layer->name, "dm-", 3)) {
		check_mapped(doctor, layer);
	} else if (!strncmp(layer->name, "md", 2)) {
		if (!doctor_text(doctor, text, sizeof(text), "%s/md/level", layer->path))
			snprintf(text, sizeof(text), "RAID");
		doctor_add(doctor, true, "RAID", where, text,
			   "several drives and the RAID's own work are measured together",
			   "measure one member alone");
	} else if (!strncmp(layer->name, "loop", 4)) {
		if (!doctor_text(doctor, text, sizeof(text), "%s/loop/backing_file", layer->path))
			return;
		doctor_add(doctor, true, "loop device", where, text,
			   "requests go through a file, and through the page cache unless it is attached with "
			   "direct I/O", "measure the device, or the file itself");
	} else if (!strncmp(layer->name, "zram", 4) || !strncmp(layer->name, "ram", 3)) {
		doctor_add(doctor, true, "memory", where, layer->name, "this device lies in memory: no drive "
			   "is measured", "choose a drive");
	} else if (!strncmp(layer->name, "bcache", 6)) {
		doctor_add(doctor, true, "bcache", where, layer->name, "a cache stands before the drive",
			   "measure the device beneath it");
	}
}

void doctor_check_layers(struct doctor *doctor)
{
	check_file_system(doctor);
	for (size_t i = 0; i < doctor->layer_count; i++)
		check_layer(doctor, &doctor->layers[i]);
}

/* The disk */

static void check_scheduler(struct doctor *doctor, const struct doctor_layer *disk)
{
	_cleanup_free_ char *where = xasprintf("/sys/block/%s/queue/scheduler", disk->name);
	_cleanup_free_ char *mend = xasprintf("echo none > %s", where);
	char text[TEXT], chosen[TEXT];

	if (!doctor_text(doctor, text, sizeof(text), "%s/queue/scheduler", disk->path)
	    || !doctor_chosen(text, chosen, sizeof(chosen)) || !strcmp(chosen, "none"))
		return;
	doctor_add(doctor, true, "scheduler", where, chosen,
		   "it sorts, delays and merges requests before the drive sees them", mend);
}

static void check_write_cache(struct doctor *doctor, const struct doctor_layer *disk)
{
	_cleanup_free_ char *where = xasprintf("/sys/block/%s/queue/write_cache", disk->name);
	char text[TEXT];

	if (!doctor_text(doctor, text, sizeof(text), "%s/queue/write_cache", disk->path)
	    || strcmp(text, "write back"))
		return;
	doctor_add(doctor, false, "write cache", where, text,
		   "writes are acknowledged from a cache that a power cut empties: a drive with "
		   "capacitors is measured beside it unfairly", "say so beside the figures, or measure with "
		   "flushes; nvme set-feature -f 6 -v 0 turns it off");
}

static void check_rotational(struct doctor *doctor, const struct doctor_layer *disk)
{
	_cleanup_free_ char *where = xasprintf("/sys/block/%s/queue/rotational", disk->name);
	long long value;

	if (doctor_number(doctor, &value, "%s/queue/rotational", disk->path) && value == 1)
		doctor_add(doctor, false, "rotational", where, "1",
			   "a disk that turns, or one whose host says so: the plans are made for SSDs", "");
}

static void check_sectors(struct doctor *doctor, const struct doctor_layer *disk)
{
	_cleanup_free_ char *where = xasprintf("/sys/block/%s/queue/physical_block_size", disk->name);
	long long logical, physical;
	char found[64];

	if (!doctor_number(doctor, &logical, "%s/queue/logical_block_size", disk->path)
	    || !doctor_number(doctor, &physical, "%s/queue/physical_block_size", disk->path)
	    || physical <= logical)
		return;
	snprintf(found, sizeof(found), "%lld behind sectors of %lld", physical, logical);
	doctor_add(doctor, false, "512e", where, found,
		   "requests that are smaller, or not aligned to it, make the drive read before it writes",
		   "format the namespace with 4096-byte sectors where the drive offers them (nvme format "
		   "--lbaf), and align partitions");
}

static void check_discard(struct doctor *doctor, const struct doctor_layer *disk)
{
	_cleanup_free_ char *where = xasprintf("/sys/block/%s/queue/discard_max_bytes", disk->name);
	long long value;

	if (doctor_number(doctor, &value, "%s/queue/discard_max_bytes", disk->path) && value == 0)
		doctor_add(doctor, false, "discard", where, "0",
			   "the purge cannot bring the drive back to fresh: what was written before stays its past",
			   "purge it yourself (nvme format, hdparm --security-erase), or trust only steady state");
}

static void check_split(struct doctor *doctor, const struct doctor_layer *disk)
{
	_cleanup_free_ char *where = xasprintf("/sys/block/%s/queue/max_sectors_kb", disk->name);
	_cleanup_free_ char *mend = NULL;
	long long value, most;
	char found[64];

	if (!doctor_number(doctor, &value, "%s/queue/max_sectors_kb", disk->path) || value >= SPLIT_KIB)
		return;
	if (!doctor_number(doctor, &most, "%s/queue/max_hw_sectors_kb", disk->path))
		most = value;
	mend = most > value ? xasprintf("echo %lld > %s", most, where) : xstrdup("");
	snprintf(found, sizeof(found), "%lld", value);
	doctor_add(doctor, true, "request size", where, found,
		   "the kernel cuts the plans' larger requests into several", mend);
}

static void check_entropy(struct doctor *doctor, const struct doctor_layer *disk)
{
	_cleanup_free_ char *where = xasprintf("/sys/block/%s/queue/add_random", disk->name);
	_cleanup_free_ char *mend = xasprintf("echo 0 > %s", where);
	long long value;

	if (doctor_number(doctor, &value, "%s/queue/add_random", disk->path) && value == 1)
		doctor_add(doctor, false, "entropy", where, "1",
			   "each completion also feeds the random pool, which costs processor time", mend);
}

/* Other users */

struct users {
	const struct blockdev_member *members;
	size_t count;
	dev_t own; /* the file system that the target itself lies on; 0: none */
	struct buf list;
	size_t found;
};

static bool collect_user(void *context, const struct mount *mount)
{
	struct users *users = context;

	for (size_t i = 0; i < users->count; i++) {
		if (users->members[i].dev != makedev(mount->high, mount->low)
		    || users->members[i].dev == users->own)
			continue;
		if (users->found++ < 3)
			buf_printf(&users->list, "%s%s on %s", users->list.size ? ", " : "",
				   users->members[i].name, mount->point);
	}
	return true;
}

static void collect_swaps(const struct doctor *doctor, struct users *users)
{
	_cleanup_free_ char *text = doctor_file(doctor, "/proc/swaps");
	char *rest = text, *line;

	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, " \t")] = '\0';
		for (size_t i = 0; i < users->count; i++)
			if (!strncmp(line, "/dev/", 5) && !strcmp(line + 5, users->members[i].name)
			    && users->found++ < 3)
				buf_printf(&users->list, "%sswap on %s", users->list.size ? ", " : "", line);
	}
}

static void check_users(struct doctor *doctor, const struct doctor_layer *disk)
{
	struct blockdev_member *members = NULL;
	struct users users = { .own = doctor->is_file ? doctor->dev : 0 };
	_cleanup_free_ char *where = xasprintf("/sys/block/%s", disk->name);

	blockdev_set_root(doctor->root);
	if (blockdev_members(disk->dev, disk->name, &members, &users.count) == 0) {
		users.members = members;
		each_mount(doctor, collect_user, &users);
		collect_swaps(doctor, &users);
	}
	blockdev_set_root("");
	if (users.found > 3)
		buf_printf(&users.list, " and %zu more", users.found - 3);
	if (users.found)
		doctor_add(doctor, true, "other users", where, users.list.text,
			   "whoever uses these competes for the drive", "unmount them, or choose a drive that nobody uses");
	buf_free(&users.list);
	free(members);
}

static void check_inflight(struct doctor *doctor, const struct doctor_layer *disk)
{
	_cleanup_free_ char *where = xasprintf("/sys/block/%s/inflight", disk->name);
	unsigned int reads, writes;
	char text[TEXT];

	if (!doctor_text(doctor, text, sizeof(text), "%s/inflight", disk->path)
	    || sscanf(text, "%u %u", &reads, &writes) != 2 || reads + writes == 0)
		return;
	doctor_add(doctor, true, "requests under way", where, text,
		   "somebody else has requests outstanding at this moment", "find out who (iotop, biosnoop) and stop it");
}

/* The way to the drive */

/* The nearest directory from `path` upwards that has `file`, to be freed; NULL: none. */
static char *upwards(const struct doctor *doctor, const char *path, const char *file)
{
	char *at = xstrdup(path), *slash;
	char text[TEXT];

	while (!doctor_text(doctor, text, sizeof(text), "%s/%s", at, file)) {
		slash = strrchr(at, '/');
		if (!slash || slash == at) {
			free(at);
			return NULL;
		}
		*slash = '\0';
	}
	return at;
}

static void check_link(struct doctor *doctor, const struct doctor_layer *disk)
{
	_cleanup_free_ char *device = upwards(doctor, disk->path, "current_link_width");
	char speed[TEXT] = "", best[TEXT] = "", found[2 * TEXT + 64];
	long long width, most;

	if (!device || !doctor_number(doctor, &width, "%s/current_link_width", device)
	    || !doctor_number(doctor, &most, "%s/max_link_width", device))
		return;
	doctor_text(doctor, speed, sizeof(speed), "%s/current_link_speed", device);
	doctor_text(doctor, best, sizeof(best), "%s/max_link_speed", device);
	if (width >= most && strtod(speed, NULL) >= strtod(best, NULL))
		return;
	snprintf(found, sizeof(found), "x%lld at %s of x%lld at %s", width, speed, most, best);
	doctor_add(doctor, true, "PCIe link", device, found,
		   "the drive has fewer or slower lanes than it could use", "another slot, riser or cable; look "
		   "whether the slot is shared or the board's firmware limits it");
}

static void check_numa(struct doctor *doctor, const struct doctor_layer *disk)
{
	_cleanup_free_ char *device = upwards(doctor, disk->path, "numa_node");
	_cleanup_free_ char *where = NULL, *mend = NULL;
	size_t nodes;
	long long node;
	char found[32];
	char **names = doctor_names(doctor, "/sys/devices/system/node", "node", &nodes);

	doctor_names_free(names, nodes);
	if (nodes < 2 || !device || !doctor_number(doctor, &node, "%s/numa_node", device) || node < 0)
		return;
	where = xasprintf("%s/numa_node", device);
	mend = xasprintf("numactl --cpunodebind=%lld --membind=%lld drivebay ...", node, node);
	snprintf(found, sizeof(found), "%lld of %zu", node, nodes);
	doctor_add(doctor, false, "NUMA node", where, found,
		   "from a processor of another node each request takes longer", mend);
}

static void check_power(struct doctor *doctor, const struct doctor_layer *disk)
{
	static const char parameter[] = "/sys/module/nvme_core/parameters/default_ps_max_latency_us";
	char text[TEXT];
	long long value;

	if (!strncmp(disk->name, "nvme", 4) && doctor_number(doctor, &value, parameter) && value > 0) {
		snprintf(text, sizeof(text), "%lld us", value);
		doctor_add(doctor, true, "power states", parameter, text,
			   "the drive may fall asleep between requests and takes up to this long to wake",
			   "boot with nvme_core.default_ps_max_latency_us=0, or nvme set-feature -f 0xc -v 0");
	}
}

/* Of the devices above the disk, whichever the kernel can suspend and may. */
static void check_runtime_power(struct doctor *doctor, const struct doctor_layer *disk)
{
	_cleanup_free_ char *at = xstrdup(disk->path);

	for (char *slash = strrchr(at, '/'); slash && slash != at; slash = strrchr(at, '/')) {
		char control[TEXT], status[TEXT];

		if (doctor_text(doctor, control, sizeof(control), "%s/power/control", at)
		    && doctor_text(doctor, status, sizeof(status), "%s/power/runtime_status", at)
		    && !strcmp(control, "auto") && strcmp(status, "unsupported")) {
			_cleanup_free_ char *where = xasprintf("%s/power/control", at);
			_cleanup_free_ char *mend = xasprintf("echo on > %s", where);

			doctor_add(doctor, false, "runtime power", where, control,
				   "the kernel may suspend the device when it is idle", mend);
			return;
		}
		*slash = '\0';
	}
}

static void check_sata_power(struct doctor *doctor, const struct doctor_layer *disk)
{
	const char *host = strstr(disk->path, "/host");
	_cleanup_free_ char *where = NULL, *mend = NULL;
	char text[TEXT];
	int number;

	if (!host || sscanf(host, "/host%d/", &number) != 1)
		return;
	where = xasprintf("/sys/class/scsi_host/host%d/link_power_management_policy", number);
	if (!doctor_text(doctor, text, sizeof(text), "%s", where) || !strcmp(text, "max_performance"))
		return;
	mend = xasprintf("echo max_performance > %s", where);
	doctor_add(doctor, true, "link power", where, text, "the link sleeps between requests and takes "
		   "time to wake", mend);
}

/* hwmon stands below the controller (nvme0) or, as older kernels have it, one level deeper. */
static void check_temperature(struct doctor *doctor, const struct doctor_layer *disk)
{
	_cleanup_free_ char *device = xasprintf("%s/device", disk->path);
	size_t count;
	char **names = doctor_names(doctor, device, "hwmon", &count);

	for (size_t i = 0; i < count; i++) {
		_cleanup_free_ char *where = xasprintf("%s/%s/temp1_input", device, names[i]);
		long long now, most;
		char found[96];

		if (!doctor_number(doctor, &now, "%s", where)
		    || !doctor_number(doctor, &most, "%s/%s/temp1_max", device, names[i])
		    || now < most - HOT_MARGIN)
			continue;
		snprintf(found, sizeof(found), "%lld degrees, warned of from %lld", now / 1000, most / 1000);
		doctor_add(doctor, true, "temperature", where, found,
			   "the drive slows itself down when it is this hot, or soon will",
			   "let it cool, and give it air: a fan, a heat sink");
	}
	doctor_names_free(names, count);
}

/* A new check of the disk is a line here. The order is that of the printed list. */
static void (*const checks[])(struct doctor *, const struct doctor_layer *) = {
	check_users, check_inflight, check_scheduler, check_split, check_link, check_temperature,
	check_power, check_runtime_power, check_sata_power, check_numa, check_write_cache, check_sectors, check_discard,
	check_rotational, check_entropy,
};

void doctor_check_device(struct doctor *doctor, const struct doctor_layer *disk)
{
	for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
		checks[i](doctor, disk);
}
