/* SPDX-License-Identifier: BSD-2-Clause */
/* processes - what the collector announces of processes; for collector_handler. */
#pragma once

#include "experiment/session/state.h"

void session_processes_on_process(struct session *session,
				  const struct kernel_process_event *event);
void session_processes_on_name(struct session *session, const struct kernel_name_event *event);
