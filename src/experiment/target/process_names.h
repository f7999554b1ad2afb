/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process_names - the names of processes (comm) as locations, by process id.
 *
 * A name is that of the last file executed, as the kernel gives it; of a process whose start was
 * not seen, it is read when its first sample arrives.
 */
#pragma once

#include "collect/collector.h"
#include "symbolize/symbols.h"

struct process_names;

/* As the kernel keeps it: cut to 15 bytes. */
struct kernel_name process_names_cut(const char *name);

struct process_names *process_names_new(struct symbols *symbols);
void process_names_free(struct process_names *names);

void process_names_on_process(struct process_names *names,
			      const struct kernel_process_event *event);
/* SYMBOLS_NONE: it has gone before its name was known. */
uint32_t process_names_at(struct process_names *names, uint32_t tgid);
