/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampled_code - the locations that samples fall into, their sampled time, and what the collector
 * must know of them: new files, the scope, the target.
 *
 * It stands between symbols (objects numbered from 0, locations) and the collector (objects
 * numbered from 1, ranges).
 */
#pragma once

#include "experiment/target/call_edges.h"
#include "experiment/target/focus.h"
#include "experiment/target/kernel_callers.h"
#include "experiment/target/sampled_location.h"
#include "experiment/target/target_kinds.h"
#include "experiment/target/target_spec.h"

struct sampled_code;

struct sampled_code *sampled_code_new(struct symbols *symbols, struct collector *collector);
void sampled_code_free(struct sampled_code *code);
struct target_lookup *sampled_code_lookup(struct sampled_code *code);

const struct kernel_caller *sampled_code_callers(const struct sampled_code *code, size_t *count);

/* For collector_handler. */
void sampled_code_on_sample(struct sampled_code *code, const struct wire_sample *sample);
void sampled_code_on_callers(struct sampled_code *code, const struct kernel_callers *callers);
void sampled_code_on_python_code(struct sampled_code *code, const struct wire_python_code *event,
				 size_t bytes);
void sampled_code_on_object(struct sampled_code *code, const struct kernel_object_event *event);
void sampled_code_on_far_file(struct sampled_code *code, const struct collector_far_file *file);

/* Sends the scope's ranges to the collector if they have changed since the last call. */
int sampled_code_update_scope(struct sampled_code *code, struct error *error);
/*
 * Takes in what was compiled since: the collector gets the scope's and the target's new code.
 * Returns whether there are programs that compile.
 */
bool sampled_code_follow_jit(struct sampled_code *code);
bool sampled_code_is_jit(const struct sampled_code *code, uint32_t location);
void sampled_code_age(struct sampled_code *code);

/* The location of the last sample; SYMBOLS_NONE: none, or time that counts for no code. */
uint32_t sampled_code_last(const struct sampled_code *code);

/* All locations seen, by the number that symbols gave them. */
const struct sampled_location *sampled_code_locations(const struct sampled_code *code,
						      size_t *count);
/* What --focus asks for; its function is set before samples come. */
struct focus *sampled_code_focus(struct sampled_code *code);
/* Time of all samples, with that in spin loops. */
uint64_t sampled_code_time_ns(const struct sampled_code *code);
/*
 * Part of the CPU time in the kernel, but in no system call: page faults, and interrupts. 0 if the
 * targets are given.
 */
double sampled_code_fault_share(const struct sampled_code *code);
/*
 * Counts samples of this target for its location, also where they belong to others. Its set is
 * borrowed, and may grow.
 */
void sampled_code_watch(struct sampled_code *code, const struct target_spec *target);
/* The same of code that ran before, as what was counted until now shows by other locations. */
void sampled_code_watch_late(struct sampled_code *code, const struct target_spec *target);
/*
 * The location's time; of one that is watched late with its usual part of the time before, as times
 * of the whole run are compared with it.
 */
struct sampled_location sampled_code_whole(const struct sampled_code *code, uint32_t location);
/* As target_levels_send. */
int sampled_code_set_target(struct sampled_code *code, const struct target_spec *target,
			    const struct target_set *standing, struct error *error);
/*
 * Sampled time since a window began that counts for the target that was set last, although the
 * sampling side did not recognize it: it was not charged. Samples that arrived are known.
 */
void sampled_code_begin_window(struct sampled_code *code, uint64_t time_ns);
uint64_t sampled_code_unrecognized_ns(const struct sampled_code *code);
/* Sampled time of that target at speedup 0 since then, as if its threads took turns. */
uint64_t sampled_code_alone_ns(const struct sampled_code *code);
/* While it is, the program runs otherwise than by itself, and samples add to no location's time. */
void sampled_code_set_disturbed(struct sampled_code *code, bool is_disturbed);
/* Who passed time on to whom, from call chains. Borrowed. */
const struct call_edges *sampled_code_edges(const struct sampled_code *code);
const struct call_edges *sampled_code_import_edges(const struct sampled_code *code);
/* Samples count for their code, for what the thread did, and for all functions of their chains. */
void sampled_code_set_pool(struct sampled_code *code);
/* Chains count for the functions in them; else they only tell of loops that retry. */
void sampled_code_set_chains(struct sampled_code *code, bool are_counted);
/* A kind with location_of: samples count for what the thread did, and not for their code. */
void sampled_code_set_kind(struct sampled_code *code, enum target_kind kind);
/* Files whose symbols could not be read: sentences, one a line; NULL if none. To be freed. */
char *sampled_code_warnings(const struct sampled_code *code);
