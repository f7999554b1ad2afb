/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel_features - looks tracepoints up in the kernel's type information. */
#include "collect/bpf/kernel_features.h"

#include <bpf/btf.h>
#include <stdlib.h>
#include <string.h>

/*
 * Number of arguments of a tracepoint, 0 without it: btf_trace_NAME is a pointer to a function
 * whose first argument is the probe's own.
 */
static int tracepoint_arguments(const struct btf *btf, const char *type)
{
	int id = btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF);
	const struct btf_type *pointer, *function;

	if (id < 0)
		return 0;
	pointer = btf__type_by_id(btf, btf__type_by_id(btf, (unsigned)id)->type);
	if (!pointer || !btf_is_ptr(pointer))
		return 0;
	function = btf__type_by_id(btf, pointer->type);
	return function && btf_is_func_proto(function) ? btf_vlen(function) - 1 : 0;
}

struct kernel_features kernel_features_find(void)
{
	struct kernel_features features = {0};
	const char *assume_old = getenv("LEVER_ASSUME_OLD_KERNEL");
	struct btf *btf = btf__load_vmlinux_btf();

	if (!btf)
		return features;
	if (!assume_old || strcmp(assume_old, "1")) {
		features.has_sched_exit = tracepoint_arguments(btf, "btf_trace_sched_exit_tp") > 0;
		features.has_socket_messages =
			tracepoint_arguments(btf, "btf_trace_sock_send_length") > 0;
		features.has_prepare_exec =
			tracepoint_arguments(btf, "btf_trace_sched_prepare_exec") > 0;
		/* The argument group_dead came in the series that moved the tracepoint (6.16). */
		features.has_early_exit =
			tracepoint_arguments(btf, "btf_trace_sched_process_exit") > 1;
	}
	btf__free(btf);
	return features;
}
