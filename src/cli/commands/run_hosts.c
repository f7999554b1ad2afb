/* SPDX-License-Identifier: BSD-2-Clause */
/* run_hosts - the other hosts of `lever run --hosts`. */
#include "cli/commands/run_hosts.h"

#include "base/cleanup.h"
#include "experiment/progress/progress_kinds.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int read_file(struct run_hosts *hosts, const char *path, struct error *error)
{
	AUTO(file) FILE *file = fopen(path, "re");
	AUTO(text) char *line = NULL;
	size_t room = 0;

	if (!file)
		return error_set(error, errno, "cannot read the list of hosts %s: %s", path,
				 strerror(errno));
	while (getline(&line, &room, file) > 0) {
		line[strcspn(line, " \t\r\n#")] = 0;
		if (*line)
			*array_add(&hosts->names) = text_copy(line);
	}
	return 0;
}

static char *own_executable(void)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	return length > 0 ? text_format("%.*s", (int)length, path) : text_copy("lever");
}

int run_hosts_read(const struct run_options *options, struct run_hosts *hosts, struct error *error)
{
	int code = 0;

	*hosts = (struct run_hosts){.executable = own_executable()};
	for (size_t i = 0; i < options->hosts.count && !code; i++) {
		const char *name = options->hosts.items[i];
		if (*name == '@')
			code = read_file(hosts, name + 1, error);
		else
			*array_add(&hosts->names) = text_copy(name);
	}
	if (!code && !hosts->names.count)
		code = error_set(error, -EINVAL, "--hosts names no host");
	hosts->group = (struct collector_group){
		.names = (const char *const *)hosts->names.items,
		.count = hosts->names.count,
		.launch = options->launch,
		.executable = hosts->executable,
		.version = LEVER_VERSION,
		.arguments = options->common.program,
	};
	return code;
}

int run_hosts_check(const struct run_options *options, struct error *error)
{
	if (!options->hosts.count)
		return options->launch ? error_set(error, -EINVAL, "--launch needs --hosts") : 0;
	if (!options->common.program || options->end_to_end)
		return error_set(error, -EINVAL,
				 "--hosts needs a PROGRAM, which is started once on each host");
	if (options->engine == RUN_ENGINE_RUNTIME)
		return error_set(error, -EINVAL, "--hosts needs the kernel engine");
	if (options->latency.count)
		return error_set(error, -EINVAL,
				 "--hosts excludes --latency: a span may begin on one host and "
				 "end on another");
	if (options->kernel || options->vmlinux)
		return error_set(error, -EINVAL,
				 "--hosts excludes --kernel: kernels differ between hosts");
	for (size_t i = 0; i < options->progress.count; i++)
		if (options->progress.items[i].kind->counts_requests)
			return error_set(error, -EINVAL,
					 "--hosts excludes requests as progress points; name a "
					 "function, or use LEVER_PROGRESS");
	return 0;
}

void run_hosts_auto_release(struct run_hosts *hosts)
{
	for (size_t i = 0; i < hosts->names.count; i++)
		free(hosts->names.items[i]);
	array_free(&hosts->names);
	free(hosts->executable);
}
