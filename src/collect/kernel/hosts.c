/* SPDX-License-Identifier: BSD-2-Clause */
/* hosts - messages to and from the other hosts of a job carry delays (bpf/hosts.h). */
#include "collect/kernel/engine.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "collect/collector_hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71 /* since Linux 5.14 */
#endif

static int network_cookie(uint64_t *cookie, struct error *error)
{
	AUTO(fd) int any = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	socklen_t size = sizeof(*cookie);

	if (any < 0 || getsockopt(any, SOL_SOCKET, SO_NETNS_COOKIE, cookie, &size))
		return error_set(error, errno, "cannot tell the network namespace: %s",
				 strerror(errno));
	return 0;
}

/*
 * The root of version 2, which also exists where version 1 is used beside it, or where nothing is
 * mounted, as in `ip netns exec`.
 */
static int open_cgroups(void)
{
	static const char *const folders[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		AUTO(text) char *file = text_format("%s/cgroup.procs", folders[i]);
		if (!access(file, F_OK))
			return open(folders[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	AUTO(fd) int system = fsopen("cgroup2", FSOPEN_CLOEXEC);
	if (system < 0 || fsconfig(system, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return -1;
	return fsmount(system, FSMOUNT_CLOEXEC, 0);
}

static int attach(struct kernel_engine *kernel, struct error *error)
{
	AUTO(fd) int cgroups = open_cgroups();
	int code = kernel_add_link(kernel, bpf_program__attach(kernel->bpf->progs.packet));

	if (!code)
		code = cgroups < 0 ?
			       -ENOENT :
			       kernel_add_link(kernel,
					       bpf_program__attach_cgroup(
						       kernel->bpf->progs.host_messages, cgroups));
	if (code)
		error_set(error, code,
			  "cannot mark messages between hosts: %s; that needs cgroup version 2, "
			  "and the right to attach a program to its root",
			  strerror(-code));
	return code;
}

int kernel_hosts_open(struct kernel_engine *kernel, const struct collector_hosts *hosts,
		      struct error *error)
{
	struct hosts_settings *settings = &kernel->bpf->bss->hosts_settings;
	int map = bpf_map__fd(kernel->bpf->maps.hosts);
	uint64_t network;
	int code = network_cookie(&network, error);

	if (code)
		return code;
	settings->network = network;
	settings->tag = hosts->tag;
	kernel->collector.told_delay_ns = (uint64_t *)&settings->told_delay_ns;
	for (size_t i = 0; i < hosts->count; i++) {
		uint32_t used = 1;
		if (bpf_map_update_elem(map, &hosts->addresses[i], &used, BPF_ANY))
			return error_set(error, -E2BIG, "more than %d addresses of hosts",
					 HOSTS_ADDRESSES_MOST);
	}
	return attach(kernel, error);
}

void kernel_host_messages(const struct collector *collector, uint64_t *sent, uint64_t *received,
			  uint64_t *refused)
{
	const struct hosts_totals *totals = &kernel_of(collector)->bpf->bss->hosts_totals;

	*sent = totals->sent;
	*received = totals->received;
	*refused = totals->refused;
}
