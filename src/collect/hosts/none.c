/* SPDX-License-Identifier: BSD-2-Clause */
/* none - in place of all others where lever is built without libzmq. */
#include "collect/engine.h"
#include "collect/hosts/agent.h"

#include <errno.h>

static int refuse(struct error *error)
{
	return error_set(error, -ENOTSUP,
			 "this lever was built without libzmq, which --hosts needs; install "
			 "libzmq3-dev and build it again");
}

int hosts_engine_open(const struct collector_options *options, struct collector **collector,
		      struct error *error)
{
	(void)options, (void)collector;
	return refuse(error);
}

int agent_run(int input, const char *version, struct error *error)
{
	(void)input, (void)version;
	return refuse(error);
}
