/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scene - a recorder with those that it looks at: the processes, and the files that they map, which
 * give its samples their names.
 *
 * Life: zeroed, scene_set, scene_add_program if there is one, scene_open; then processes are added to
 * `members`, the recorder is started, and drained by scene_drain; scene_close, at any time, also of a
 * zeroed one.
 */
#pragma once

#include "collect/recorder.h"
#include "experiment/files.h"
#include "record/members.h"
#include "symbolize/scope.h"
#include "symbolize/symbols.h"

struct scene {
	struct scope *scope;
	struct symbols *symbols;
	struct recorder *recorder;
	struct files *files;
	struct members *members;
	struct recorder_handler
		handler; /* of all that the recorder sends; its context is the scene */
	void *context;   /* of `sample` */
	void (*sample)(void *context, const struct record_sample *sample);
};

/* The binaries in scope, and how code is told apart. */
void scene_set(struct scene *scene, const char *binaries, enum target_kind granularity);
/* What will be mapped at the start is read before: the first samples are named, too. */
void scene_add_program(struct scene *scene, const char *path);
/* After `context` and `sample` are set. */
int scene_open(struct scene *scene, const struct recorder_options *options, struct error *error);
void scene_drain(struct scene *scene);
void scene_close(struct scene *scene);
