/* SPDX-License-Identifier: BSD-2-Clause */
/* scale_hosts - agents are started anew for each run, and tell what they have counted. */
#include "cli/commands/scale_hosts.h"

#include "base/cleanup.h"

static int begin(void *context, const struct scale_other_run *run, struct error *error)
{
	struct scale_hosts *hosts = context;
	AUTO(text) char *cores = text_format("%u", run->cores);
	ARRAY(const char *) words = {0};

	scale_hosts_auto_release(hosts);
	*array_add(&words) = "scale";
	*array_add(&words) = "--quiet";
	if (run->cores) {
		*array_add(&words) = "--on";
		*array_add(&words) = cores;
	}
	if (run->is_recorded) {
		*array_add(&words) = "--only-recorded";
	} else {
		*array_add(&words) = "--no-replay";
		*array_add(&words) = "--runs";
		*array_add(&words) = "1";
		*array_add(&words) = "--compare";
		*array_add(&words) = "0";
	}
	if (run->shows_cores)
		*array_add(&words) = "--show-cores";
	*array_add(&words) = "--";
	*array_add(&words) = NULL;
	int code = record_hosts_begin(&hosts->record, hosts->common, words.items, error);
	array_free(&words);
	return code;
}

static char *add(void *context, struct profile *profile, int64_t run_id, int64_t session_id)
{
	struct scale_hosts *hosts = context;

	return record_hosts_add(&hosts->record, profile, run_id, session_id);
}

void scale_hosts_open(struct scale_hosts *hosts, const struct common_options *common)
{
	*hosts = (struct scale_hosts){
		.common = common,
		.others = {.context = hosts, .begin = begin, .add = add},
	};
}

int scale_hosts_start(void *hosts, struct error *error)
{
	return record_hosts_start(&((struct scale_hosts *)hosts)->record, error);
}

void scale_hosts_auto_release(struct scale_hosts *hosts)
{
	record_hosts_auto_release(&hosts->record);
	hosts->record = (struct record_hosts){0};
}
