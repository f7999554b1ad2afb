/* SPDX-License-Identifier: BSD-2-Clause */
/* record_hosts - the other hosts of a recording. */
#include "cli/commands/record_hosts.h"

#include "base/cleanup.h"
#include "collect/process/job_command.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CLEANUP_DEFINE(recording, struct recording *, recording_free, NULL)
CLEANUP_DEFINE(profile, struct profile *, profile_close, NULL)

int record_hosts_begin(struct record_hosts *record, const struct common_options *options,
		       const char *const *words, struct error *error)
{
	ARRAY(char *) all = {0};

	if (!options->hosts.count)
		return options->launch ? error_set(error, -EINVAL, "--launch needs --hosts") : 0;
	if (!options->program)
		return error_set(error, -EINVAL,
				 "--hosts needs a PROGRAM, which is started once on each host");
	if (job_command_is(options->program))
		return error_set(error, -EINVAL,
				 "the processes of '%s' on other hosts can be profiled by lever "
				 "run only",
				 options->program[0]);
	int code = run_hosts_read(options, &record->hosts, error);
	for (; *words; words++)
		*array_add(&all) = (char *)(uintptr_t)*words;
	for (char *const *word = options->program; *word; word++)
		*array_add(&all) = *word;
	*array_add(&all) = NULL;
	record->hosts.group.arguments = all.items;
	record->hosts.group.is_recording = true;
	code = code ? code : recordings_begin(&record->hosts.group, &record->recordings, error);
	array_free(&all);
	setenv("LEVER_HOST_INDEX", "0", 1); /* for the program here */
	return code;
}

/* Of the run that was made last: the one of this host. */
static int add_note(struct profile *profile, const struct recording *own, char *note,
		    struct error *error)
{
	struct recording_run run = own->runs.items[own->runs.count - 1];

	run.note = text_copy(run.note);
	text_add_line(&run.note, note);
	int code = profile_update_run(profile, &run, error);
	free(run.note);
	return code;
}

static int add_host(struct profile *profile, const struct recordings *recordings, unsigned index,
		    struct profile_host host, struct error *error)
{
	char path[] = "/tmp/lever-host-XXXXXX";
	AUTO(recording) struct recording *recording = NULL;
	AUTO(fd) int made = mkstemp(path);

	if (made < 0)
		return error_set(error, errno, "cannot make a file in /tmp: %s", strerror(errno));
	int code = recordings_save(recordings, index, path, error);
	code = code ? code : profile_read(path, &recording, error);
	unlink(path);
	host.name = recordings_host(recordings, index);
	host.clock = recordings_clock(recordings, index, &host.clock_count);
	return code ? code : profile_append(profile, recording, &host, error);
}

int record_hosts_start(void *record, struct error *error)
{
	struct record_hosts *hosts = record;

	(void)error;
	recordings_start(hosts->recordings);
	return 0;
}

struct driver_options record_hosts_driver(struct record_hosts *record,
					  const struct driver_options *driver)
{
	struct driver_options options = *driver;

	if (record->recordings) {
		options.await_start = record_hosts_start;
		options.start_context = record;
	}
	return options;
}

char *record_hosts_add(struct record_hosts *record, struct profile *profile, int64_t first_run_id,
		       int64_t session_id)
{
	const struct recordings *recordings = record->recordings;
	const struct profile_host host = {.first_run_id = first_run_id, .session_id = session_id};

	recordings_end(record->recordings);
	char *troubles = recordings_troubles(recordings);
	for (unsigned i = 0; i < recordings_count(recordings); i++) {
		struct error lost = {0};
		if (add_host(profile, recordings, i, host, &lost))
			text_add_line(&troubles,
				      text_format("host %s is missing: %s",
						  recordings_host(recordings, i), lost.text));
	}
	return troubles;
}

int record_hosts_end(struct record_hosts *record, const char *output, struct error *error)
{
	AUTO(recording) struct recording *own = NULL;
	AUTO(profile) struct profile *profile = NULL;

	if (!record->recordings)
		return 0;
	int code = profile_read(output, &own, error);
	code = code ? code : profile_create(output, false, &profile, error);
	if (code)
		return code;
	int64_t first = own->runs.count ? own->runs.items[own->runs.count - 1].id : 0;
	AUTO(text) char *troubles = record_hosts_add(record, profile, first, 0);
	if (troubles && own->runs.count)
		code = add_note(profile, own, text_copy(troubles), error);
	return code;
}

void record_hosts_auto_release(struct record_hosts *record)
{
	recordings_close(record->recordings);
	run_hosts_auto_release(&record->hosts);
}
