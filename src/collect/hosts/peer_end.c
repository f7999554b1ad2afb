/* SPDX-License-Identifier: BSD-2-Clause */
/* peer_end - tells crashes from signals that are sent to end a program. */
#include "collect/hosts/peer_end.h"

#include "base/memory.h"
#include "collect/hosts/messages.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

bool peer_end_take(struct peer_end *end, const void *data, size_t size, uint64_t now_ns)
{
	struct hosts_ended ended;

	if (size != sizeof(ended))
		return false;
	memcpy(&ended, data, sizeof(ended));
	*end = (struct peer_end){.status = ended.status, .at_ns = now_ns};
	return true;
}

static bool is_crash(int status)
{
	int number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;

	return number && number != SIGTERM && number != SIGINT && number != SIGHUP &&
	       number != SIGPIPE;
}

char *peer_end_failure(struct peer_end *end, uint64_t now_ns)
{
	int status = end->status;

	if (!status ||
	    (!is_crash(status) && (int64_t)(now_ns - end->at_ns) < (int64_t)HOSTS_LOST_NS))
		return NULL;
	end->status = 0;
	return text_format("its program ended before the run: %s %d; from then on the results are "
			   "those of the other hosts",
			   WIFSIGNALED(status) ? "signal" : "exit code",
			   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}
