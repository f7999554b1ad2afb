/* SPDX-License-Identifier: BSD-2-Clause */
/* collector_sink - passes on. */
#include "experiment/target/collector_sink.h"

static int name_object(void *context, const struct wire_file *file, uint32_t object)
{
	return collector_name_object(context, file, object);
}

static void describe_object(void *context, uint32_t object, const char *path, const char *build_id)
{
	collector_describe_object(context, object, path, build_id);
}

static int set_unwind(void *context, uint32_t object, const struct wire_unwind_row *rows,
		      size_t count)
{
	return collector_set_unwind(context, object, rows, count);
}

static int set_python(void *context, uint32_t object, const struct wire_python *python)
{
	return collector_set_python(context, object, python);
}

struct mapped_files_sink collector_sink(struct collector *collector)
{
	return (struct mapped_files_sink){.context = collector,
					  .name_object = name_object,
					  .describe_object = describe_object,
					  .set_unwind = set_unwind,
					  .set_python = set_python};
}
