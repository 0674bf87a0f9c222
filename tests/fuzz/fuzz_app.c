/* Any bytes as an application file: refused with a sentence, or an application; so is the part of
   it that a plan reads. */
#include "app/app.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "load/application.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct application *application = NULL;
	struct app *app = NULL;
	int err = app_parse("fuzz.yaml", (const char *)bytes, size, &app);

	if (err) {
		assert(err == -EINVAL && !app);
		assert(strncmp(fail_message(), "fuzz.yaml:", 10) == 0);
	} else {
		assert(app->kind->needs_bytes(app) > 0);
		app_free(app);
	}
	err = application_parse("fuzz.yaml", (const char *)bytes, size, &application);
	if (err) {
		assert(err == -EINVAL && !application);
		assert(strncmp(fail_message(), "fuzz.yaml:", 10) == 0);
	}
	application_free(application);
	return 0;
}
