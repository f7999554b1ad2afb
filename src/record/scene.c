/* SPDX-License-Identifier: BSD-2-Clause */
/* scene - hands what the recorder announces to files and members, and samples to who asked for them. */
#include "record/scene.h"

#include "base/own.h"
#include "base/text.h"
#include "collect/libraries.h"

/* ---- what the kernel side sends ---- */

static void on_sample(void *context, const struct record_sample *sample)
{
	struct scene *scene = context;
	scene->sample(scene->context, sample);
}

static void on_object(void *context, const struct kernel_object_event *event)
{
	files_on_object(((struct scene *)context)->files, event);
}

static void on_process(void *context, const struct kernel_process_event *event)
{
	members_on_process(((struct scene *)context)->members, event);
}

static void on_path(void *context, const struct kernel_file *file, const char *path)
{
	files_on_path(((struct scene *)context)->files, file, path);
}

/* ---- what it is told ---- */

static int name_object(void *context, const struct kernel_file *file, uint32_t object)
{
	return recorder_name_object(context, file, object);
}

static int set_unwind(void *context, uint32_t object, const struct kernel_unwind_row *rows,
		      size_t count)
{
	return recorder_set_unwind(context, object, rows, count);
}

/* ---- life ---- */

void scene_set(struct scene *scene, const char *binaries, enum target_kind granularity)
{
	AUTO(text) char *pattern = text_format("bin:%s", binaries);

	scene->scope = scope_new();
	scope_add(scene->scope, pattern, true);
	scene->symbols = symbols_new(granularity, scene->scope);
}

static void add_library(void *context, const char *path)
{
	struct scene *scene = context;
	uint32_t object;
	symbols_add_object(scene->symbols, path, NULL, false, &object, NULL);
}

void scene_add_program(struct scene *scene, const char *path)
{
	AUTO(text) char *real = realpath(path, NULL);
	const char *file = real ? real : path;
	uint32_t object;

	/* A script is no object: what it runs is announced later. */
	if (!symbols_add_object(scene->symbols, file, NULL, true, &object, NULL))
		libraries_each(file, add_library, scene);
}

int scene_open(struct scene *scene, const struct recorder_options *options, struct error *error)
{
	int code = recorder_open(options, &scene->recorder, error);

	if (code)
		return code;
	struct files_sink sink = {.context = scene->recorder,
				  .name_object = name_object,
				  .set_unwind = set_unwind};
	scene->files = files_new(scene->symbols, &sink);
	for (uint32_t i = 0; i < symbols_object_count(scene->symbols); i++)
		files_tell(scene->files, i);
	scene->members = members_new(scene->recorder);
	scene->handler = (struct recorder_handler){.context = scene,
						   .sample = on_sample,
						   .object = on_object,
						   .process = on_process,
						   .path = on_path};
	return 0;
}

void scene_drain(struct scene *scene)
{
	recorder_drain(scene->recorder, &scene->handler);
}

void scene_close(struct scene *scene)
{
	recorder_close(scene->recorder);
	members_free(scene->members);
	files_free(scene->files);
	symbols_free(scene->symbols);
	scope_free(scene->scope);
}
