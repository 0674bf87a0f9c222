/*
 * video.h - how large a frame of uncompressed video is.
 */
#ifndef DRIVEBAY_APP_VIDEO_H
#define DRIVEBAY_APP_VIDEO_H

#include <stdint.h>

enum video_encoding {
	VIDEO_YUV8,  /* 4:2:2, two bytes a pixel */
	VIDEO_YUV10, /* 4:2:2 packed as v210: 128 bytes for each 48 pixels of a line */
	VIDEO_RGB10, /* four bytes a pixel, lines filled up to 64 pixels */
};

enum { VIDEO_ENCODINGS = VIDEO_RGB10 + 1 };

extern const char *const video_encodings[VIDEO_ENCODINGS];

uint64_t video_frame_bytes(enum video_encoding encoding, uint32_t width, uint32_t height);

#endif
