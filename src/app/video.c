/*
 * video.c - kind video: what an editor asks of a drive, one stream of large requests.
 *
 * A file is written and read from its beginning to its end, alternately. Beside the rates: for
 * each video format the frames per second that they carry, and whether that is enough.
 */
#include "app/video.h"

#include <stdlib.h>

#include "app/client.h"
#include "base/cleanup.h"
#include "base/fail.h"

enum { FORMATS_MAX = 32 };

struct video_format {
	char *name;
	uint32_t width, height, rate;
};

struct video {
	struct app base;
	uint64_t file_bytes, block_bytes, depth, passes;
	struct video_format formats[FORMATS_MAX];
	size_t format_count;
};

static const struct video *video_of(const struct app *app)
{
	return (const struct video *)(const void *)app; /* its first member */
}

static const struct yml_key format_keys[] = {
	{ "name", yml_read_string, offsetof(struct video_format, name), true, "such as 2160p60" },
	{ "width", yml_read_count32, offsetof(struct video_format, width), true, "in pixels", 2, 65536 },
	{ "height", yml_read_count32, offsetof(struct video_format, height), true, "in pixels", 2, 65536 },
	{ "rate", yml_read_count32, offsetof(struct video_format, rate), true, "frames a second", 1, 1000 },
	{ NULL },
};

static int read_formats(const struct yml *yaml, const struct yml_node *node,
			const struct yml_key *key, void *to)
{
	struct video *video = to;
	int err = 0;

	(void)key;
	if (node->kind != YML_LIST || !node->first)
		return yml_fail(yaml, node, "a list of formats must stand here (- name: ...)");
	for (const struct yml_node *one = node->first; one && !err; one = one->next) {
		if (video->format_count == FORMATS_MAX)
			return yml_fail(yaml, one, "more than %d formats", FORMATS_MAX);
		err = yml_read_map(yaml, one, format_keys, &video->formats[video->format_count++]);
	}
	return err;
}

#define VALUE(key, field, type, low, high, words) \
	{ key, app_read_value, offsetof(struct video, field), true, words, low, high, \
	  .context = &app_number_##type }

static const struct yml_key keys[] = {
	APP_KEYS,
	VALUE("file", file_bytes, size, 128 << 20, 1ull << 40, "size of the file"),
	VALUE("block", block_bytes, size, 4096, 128 << 20, "size of a request"),
	VALUE("depth", depth, count, 1, 64, "requests in flight"),
	VALUE("passes", passes, count, 1, 100, "how often it is written and read: the mean counts"),
	{ "formats", read_formats, 0, true, "the formats that it is to carry" },
	{ NULL },
};

const char *const video_encodings[VIDEO_ENCODINGS] = {
	[VIDEO_YUV8] = "8-bit 4:2:2", [VIDEO_YUV10] = "10-bit 4:2:2", [VIDEO_RGB10] = "10-bit RGB",
};

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

uint64_t video_frame_bytes(enum video_encoding encoding, uint32_t width, uint32_t height)
{
	switch (encoding) {
	case VIDEO_YUV8:
		return 2ull * width * height;
	case VIDEO_YUV10:
		return height * 128ull * ceil_div(width, 48);
	case VIDEO_RGB10:
		return 4 * ceil_div(width, 64) * 64 * height;
	}
	abort();
}

static uint64_t needs_bytes(const struct app *app)
{
	return video_of(app)->file_bytes;
}

static void clean(struct app *app)
{
	struct video *video = (struct video *)(void *)app;

	for (size_t i = 0; i < video->format_count; i++)
		free(video->formats[i].name);
}

/* Whole requests: 5 GB are no multiple of a sector. */
static uint64_t file_bytes(const struct video *video)
{
	uint64_t whole = video->file_bytes - video->file_bytes % video->block_bytes;

	return whole ? whole : video->block_bytes;
}

/* One pass over the whole file. */
static int pass(const struct video *video, struct client *client, bool reads, double *bytes_per_s)
{
	const struct client_load load = {
		.pattern = PATTERN_SEQUENTIAL,
		.size_bytes = (uint32_t)video->block_bytes,
		.threads = 1,
		.depth = (uint32_t)video->depth,
		.read_percent = reads ? 100 : 0,
		.max_bytes = client->file_bytes,
	};

	return client_load(client, &load, bytes_per_s);
}

static void add_frames(const struct video *video, const char *word, double bytes_per_s,
		       struct merits *merits)
{
	for (size_t i = 0; i < video->format_count; i++)
		for (int e = 0; e < VIDEO_ENCODINGS; e++) {
			const struct video_format *format = &video->formats[i];
			double frames = bytes_per_s / (double)video_frame_bytes((enum video_encoding)e,
							format->width, format->height);
			_cleanup_free_ char *name = xasprintf("%s %s %s", word, format->name,
							      video_encodings[e]);

			merits_add(merits, name, frames >= format->rate ? "frames/s, keeps up" :
				   "frames/s, TOO SLOW", frames);
		}
}

/* The mean rate of passes of equal size is the harmonic one: all bytes in all of the time. */
static int run_video(const struct app *app, struct target *target, const struct app_config *config,
		     struct stats *stats, struct merits *merits)
{
	const struct video *video = video_of(app);
	double written = 0, read = 0, writes_s = 0, reads_s = 0;
	struct client client;
	int err = 0;

	client_init(&client, target, config, file_bytes(video), stats);
	if (config->on_measure)
		config->on_measure(config->context);
	for (uint64_t i = 0; i < video->passes && !err; i++) {
		err = pass(video, &client, false, &written);
		if (!err)
			err = pass(video, &client, true, &read);
		writes_s += written > 0 ? 1 / written : 0;
		reads_s += read > 0 ? 1 / read : 0;
	}
	client_free(&client);
	if (err)
		return err;
	written = writes_s > 0 ? (double)video->passes / writes_s : 0;
	read = reads_s > 0 ? (double)video->passes / reads_s : 0;
	merits_add(merits, "bytes_per_s_read", "bytes/s", read);
	merits_add(merits, "bytes_per_s_write", "bytes/s", written);
	add_frames(video, "read", read, merits);
	add_frames(video, "write", written, merits);
	merits_add(merits, "drive_bytes", "bytes", (double)target->size_bytes);
	return 0;
}

const struct app_kind app_video = {
	.name = "video",
	.help = "one stream of large requests, as editing video makes",
	.size = sizeof(struct video),
	.keys = keys,
	.clean = clean,
	.needs_bytes = needs_bytes,
	.least_bytes = 200000000000,
	.any_target = true,
	.run = run_video,
};
