/* SPDX-License-Identifier: BSD-2-Clause */
/* none - in place of all others where lever is built without libzmq. */
#include "collect/engine.h"
#include "collect/hosts/agent.h"
#include "collect/hosts/recordings.h"

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

int recordings_begin(const struct collector_group *group, struct recordings **recordings,
		     struct error *error)
{
	(void)group, (void)recordings;
	return refuse(error);
}

void recordings_start(struct recordings *recordings)
{
	(void)recordings;
}

void recordings_end(struct recordings *recordings)
{
	(void)recordings;
}

unsigned recordings_count(const struct recordings *recordings)
{
	(void)recordings;
	return 0;
}

const char *recordings_host(const struct recordings *recordings, unsigned index)
{
	(void)recordings, (void)index;
	return NULL;
}

int recordings_save(const struct recordings *recordings, unsigned index, const char *path,
		    struct error *error)
{
	(void)recordings, (void)index, (void)path;
	return refuse(error);
}

const struct recording_clock *recordings_clock(const struct recordings *recordings, unsigned index,
					       size_t *count)
{
	(void)recordings, (void)index;
	*count = 0;
	return NULL;
}

char *recordings_troubles(const struct recordings *recordings)
{
	(void)recordings;
	return NULL;
}

void recordings_close(struct recordings *recordings)
{
	(void)recordings;
}
