/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code - the code of the running program: which files are mapped, which places its samples fall
 * into, and what the engine must be told about both.
 *
 * It stands between symbols (objects numbered from 0, places) and the collector (objects numbered
 * from 1, ranges): it names new files as they are announced, keeps the scope's ranges up to date,
 * and adds up samples by place.
 */
#pragma once

#include "collect/collector.h"
#include "symbolize/symbols.h"

struct code;

/* Sampled time of one place. */
struct sampled_location {
	uint64_t samples, sampled_ns, baseline_sampled_ns;
	double recent_ns; /* decays: halved by every sampled_code_age */
};

struct code *sampled_code_new(struct symbols *symbols, struct collector *collector);
void sampled_code_free(struct code *code);

/* Who called code of the kernel: sampled time of a kernel place by system call and user place. */
struct kernel_caller {
	uint32_t place, user_place; /* SYMBOLS_NONE: no user code in scope */
	int system_call;            /* -1: none */
	uint64_t samples, sampled_ns;
};
const struct kernel_caller *sampled_code_callers(const struct code *code, size_t *count);

/* For collector_handler. */
void sampled_code_on_sample(struct code *code, const struct wire_sample *sample);
void sampled_code_on_object(struct code *code, const struct kernel_object_event *event);

/* Tells the collector of scope ranges that have changed since the last call. */
int sampled_code_update_scope(struct code *code, struct error *error);
/* Makes all code of all files the scope, for callers to be seen; sampled_code_update_scope ends that. */
void sampled_code_widen_scope(struct code *code);
void sampled_code_age(struct code *code);

/* All places seen, by the number that symbols gave them. */
const struct sampled_location *sampled_code_locations(const struct code *code, size_t *count);
/*
 * What a target is: the code of `code`, or SYMBOLS_NONE for whatever code; with `classes`
 * (WAIT_CLASS_BIT) only its waits of these. `place` is what its samples count for, and its name.
 */
struct target_code {
	uint32_t place, code;
	uint32_t classes;
};
/* Counts samples of this target for its place, even if attribution gives them to other places. */
void sampled_code_watch(struct code *code, const struct target_code *target);
/* -E2BIG if it has too many pieces. */
int sampled_code_set_target(struct code *code, const struct target_code *target,
			    struct error *error);
/* Samples count for their system calls (TARGET_SYSTEM_CALL) or spans (TARGET_SPAN), and not for their code. */
void sampled_code_set_kind(struct code *code, enum target_kind kind);
/* Has a span of this name been begun? */
bool sampled_code_has_span(const struct code *code, const char *name);
/* Ranges of a place as the collector wants them, to be freed; `value` goes into each. */
struct wire_range *sampled_code_ranges(struct code *code, uint32_t place, uint32_t value,
				       size_t *count);
/* Files whose symbols could not be read: sentences, one a line; NULL if none. Borrowed. */
const char *sampled_code_warnings(const struct code *code);
