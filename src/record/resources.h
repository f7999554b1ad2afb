/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * resources - the names of what threads wait for: locks, files, devices and peers.
 *
 * A name is looked up when the first sample of a resource arrives, while the process may still
 * have it, and kept. Locks on the heap or a stack have none.
 */
#pragma once

#include "experiment/target/mapped_files.h"
#include "wire/record.h"

struct resources;

struct resources *resources_new(struct symbols *symbols, struct mapped_files *mapped_files);
void resources_free(struct resources *resources);
/* All: borrowed, the same pointer each time; NULL: there is none. */
const char *resources_lock(struct resources *resources, uint32_t tgid, uint64_t address);
/* The text at `address` in the process, by which a thread tells for which lock it waits. */
const char *resources_told_lock(struct resources *resources, uint32_t tgid, uint64_t address);
/* Of a sample off CPU in a system call: the file or peer that it is about. */
const char *resources_file(struct resources *resources, const struct record_sample *sample);
/* Names that were borrowed end. */
void resources_forget(struct resources *resources);
