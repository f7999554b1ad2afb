/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf_sampler - the recorder where BPF is refused: samples on CPU and times off CPU by perf
 * events.
 *
 * perf_sampler_limits names what it cannot see. Context switches give the exact time on CPU. Where
 * the kernel may not be sampled, time on CPU without a sample was spent in the kernel.
 */
#pragma once

#include "collect/record/recorder.h"

struct perf_sampler;

int perf_sampler_open(const struct recorder_options *options, struct perf_sampler **sampler,
		      struct error *error);
void perf_sampler_close(struct perf_sampler *sampler);
const char *perf_sampler_limits(const struct perf_sampler *sampler);

int perf_sampler_add_process(struct perf_sampler *sampler, pid_t pid, struct error *error);
void perf_sampler_start(struct perf_sampler *sampler);
void perf_sampler_stop(struct perf_sampler *sampler);
void perf_sampler_flush(struct perf_sampler *sampler, const struct recorder_handler *handler);

void perf_sampler_name_object(struct perf_sampler *sampler, const struct wire_file *file,
			      uint32_t object);
void perf_sampler_set_unwind(struct perf_sampler *sampler, uint32_t object,
			     const struct wire_unwind_row *rows, size_t count);
void perf_sampler_drain(struct perf_sampler *sampler, const struct recorder_handler *handler);
int perf_sampler_descriptor(const struct perf_sampler *sampler);
void perf_sampler_counters(const struct perf_sampler *sampler, struct recorder_counters *counters);
