/* SPDX-License-Identifier: BSD-2-Clause */
/* links - what holds BPF programs at tracepoints and in code. */
#include "collect/kernel/engine.h"

#include "base/cleanup.h"
#include "collect/bpf/tracefs.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int kernel_add_link(struct kernel_engine *kernel, struct bpf_link *link)
{
	if (!link)
		return errno ? -errno : -EINVAL;
	if (kernel->link_count == KERNEL_LINKS_MOST) {
		bpf_link__destroy(link);
		return -E2BIG;
	}
	kernel->links[kernel->link_count++] = link;
	return 0;
}

int kernel_attach_tracepoint(struct bpf_program *program, const char *category, const char *name,
			     uint64_t cookie, struct bpf_link **link, struct error *error)
{
	int id = tracefs_tracepoint(category, name, error);
	if (id < 0)
		return id;
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attributes),
		.config = (uint64_t)id,
		.sample_period = 1,
	};
	/* The program attached to one core's event runs for the tracepoint on every core. */
	AUTO(fd)
	int event = (int)syscall(SYS_perf_event_open, &attributes, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return error_set(error, errno, "perf_event_open refuses the tracepoint %s:%s: %s",
				 category, name, strerror(errno));
	LIBBPF_OPTS(bpf_perf_event_opts, options, .bpf_cookie = cookie);
	*link = bpf_program__attach_perf_event_opts(program, event, &options);
	if (!*link)
		return error_set(error, errno, "cannot attach to the tracepoint %s:%s: %s",
				 category, name, strerror(errno));
	event = -1; /* the link owns it now */
	return 0;
}
