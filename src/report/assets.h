/*
 * assets.h - files that go into every page as they are, put into the program by the build.
 *
 * asset_style and asset_script are page.css and page.js. asset_vega is the chart library
 * Vega from its package, behind vega-shim.js, which makes one object of its pieces;
 * asset_vega_licence is the package's copyright file.
 */
#ifndef DRIVEBAY_REPORT_ASSETS_H
#define DRIVEBAY_REPORT_ASSETS_H

#include <stddef.h>

extern const char asset_style[], asset_script[], asset_vega[], asset_vega_licence[];
extern const size_t asset_style_bytes, asset_script_bytes, asset_vega_bytes,
	asset_vega_licence_bytes;

#endif
