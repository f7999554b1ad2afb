/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * agent_files - the coordinator's objects on this host: the same path with the same build id gets
 * the same number.
 */
#pragma once

#include "collect/collector.h"
#include "collect/hosts/messages.h"

struct agent_files;

struct agent_files *agent_files_new(struct collector *collector);
void agent_files_free(struct agent_files *files);
void agent_files_add(struct agent_files *files, const struct hosts_object *object);
/*
 * A file is mapped: which one, for the coordinator; an empty path: unknown, or told before. Returns
 * a sentence if another one has that path on the coordinator; to be freed.
 */
char *agent_files_on_object(struct agent_files *files, const struct kernel_object_event *event,
			    struct hosts_mapped *told);
int agent_files_open(const char *path);
