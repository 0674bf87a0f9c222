/*
 * report_sample DIRECTORY - writes pages from results made by hand there, for the browser
 * test: one.html (a model), both.html (a model beside a measured drive), cut.html (killed).
 */
#include <unistd.h>

#include "report/report.h"
#include "report_sample.h"

static const struct sample_options samples[] = {
	{ .target = "samsung-983-dct-1.92tb", .description = "Samsung 983 DCT, 1.92 TB, NVMe",
	  .speed = 1 },
	{ .target = "/dev/nvme1n1", .description = "Example <b>&\"'</script><script>alert(1)</script>",
	  .speed = .7, .measured = true, .unsteady = true, .broken_little = true, .errors = true },
	{ .target = "samsung-xs1715-1.6tb", .description = "Samsung XS1715, 1.6 TB, NVMe",
	  .speed = 1.3, .cut_after = 22 },
};

enum { SAMPLES = sizeof(samples) / sizeof(*samples) };

static int write_pages(struct result **results)
{
	int err = report_write_html(&results[0], 1, "one.html");

	if (!err)
		err = report_write_html(results, 2, "both.html");
	return err ? err : report_write_html(&results[2], 1, "cut.html");
}

int main(int argc, char **argv)
{
	struct result *results[SAMPLES] = { 0 };
	int err = 0;

	if (argc != 2 || chdir(argv[1]))
		return 2;
	for (size_t i = 0; !err && i < SAMPLES; i++) {
		_cleanup_free_ char *path = xasprintf("sample-%zu.drivebay", i);

		err = sample_make(path, &samples[i]);
		if (!err)
			err = result_open(path, false, &results[i]);
	}
	if (!err)
		err = write_pages(results);
	if (!err)
		report_print_curves(results[0], stdout, 80);
	if (err)
		fprintf(stderr, "report_sample: %s\n", fail_message());
	for (size_t i = 0; i < SAMPLES; i++)
		result_close(results[i]);
	return err ? 1 : 0;
}
