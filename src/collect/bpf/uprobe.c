/* SPDX-License-Identifier: BSD-2-Clause */
/* uprobe - the kernel takes a path only: the link of the descriptor leads to the file itself. */
#include "collect/bpf/uprobe.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>

struct bpf_link *bpf_uprobe_attach(const struct bpf_program *program,
				   const struct bpf_uprobe_place *place, uint64_t cookie)
{
	char path[40];
	LIBBPF_OPTS(bpf_uprobe_opts, options, .bpf_cookie = cookie,
		    .ref_ctr_offset = place->semaphore_offset);

	if (place->fd < 0) {
		errno = EBADF;
		return NULL;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place->fd);
	return bpf_program__attach_uprobe_opts(program, -1, path, place->offset, &options);
}
