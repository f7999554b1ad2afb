/* SPDX-License-Identifier: BSD-2-Clause */
/* run_hosts - the other hosts of a run. */
#include "cli/commands/run_hosts.h"

#include "base/cleanup.h"
#include "collect/hosts/join.h"
#include "collect/process/job_command.h"
#include "collect/process/job_hosts.h"
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

/* ---- what starts agents ---- */

struct launcher {
	const char *name, *words;
};

static const struct launcher launchers[] = {
	{"ssh", "ssh %h"},
	{"mpirun", "mpirun -np 1 -host %h"},
	{"srun", "srun --overlap --quiet --nodes=1 --ntasks=1 --nodelist %h"},
	{"kubectl", "kubectl exec --stdin %h --"},
};

static const char *launch_words(const char *launch)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++)
		if (!strcmp(launchers[i].name, launch))
			return launchers[i].words;
	return launch;
}

static char **split(char *text)
{
	ARRAY(char *) words = {0};
	char *rest = NULL;

	for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		*array_add(&words) = word;
	*array_add(&words) = NULL;
	return words.items;
}

static void choose_launch(struct run_hosts *hosts, const struct common_options *options,
			  bool is_job)
{
	if (is_job && !options->launch) {
		hosts->launch = job_command_launcher(options->program);
		return;
	}
	hosts->launch_text = text_copy(launch_words(options->launch ? options->launch : "ssh"));
	hosts->launch = split(hosts->launch_text);
}

/* ---- a job ---- */

static bool is_job(const struct common_options *options)
{
	char *const *program = options->program;

	return program && job_command_is(program) &&
	       (options->hosts.count || job_command_names_hosts(program));
}

bool run_hosts_are_wanted(const struct common_options *options)
{
	return options->hosts.count || is_job(options);
}

static int find_hosts(struct run_hosts *hosts, char *const *program, struct error *error)
{
	const char *const asked[] = {hosts->executable, "agent", "--where", NULL};
	char **words, **names = NULL;
	size_t count = 0;
	int code = job_command_with_program(program, asked, &words, error);

	code = code ? code : job_hosts_find(words, &names, &count, error);
	for (size_t i = 0; i < count; i++)
		*array_add(&hosts->names) = names[i];
	free(names);
	free(words);
	return code;
}

static int read_job(struct run_hosts *hosts, const struct common_options *options,
		    struct error *error)
{
	char *const *program = options->program;
	int code = options->hosts.count ? 0 : find_hosts(hosts, program, error);

	code = code ? code : join_draw_name(hosts->job, error);
	if (code || !hosts->names.count)
		return code;
	const char *const joining[] = {hosts->executable, "agent", "--join",
				       hosts->job,        "--",    NULL};
	return job_command_with_prefix(program, joining, &hosts->executed, error);
}

static int read_list(struct run_hosts *hosts, const struct common_options *options,
		     struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < options->hosts.count && !code; i++) {
		const char *name = options->hosts.items[i];
		if (*name == '@')
			code = read_file(hosts, name + 1, error);
		else
			*array_add(&hosts->names) = text_copy(name);
	}
	if (!code && options->hosts.count && !hosts->names.count)
		code = error_set(error, -EINVAL, "--hosts names no host");
	return code;
}

int run_hosts_read(const struct common_options *options, struct run_hosts *hosts,
		   struct error *error)
{
	bool has_job = is_job(options);

	*hosts = (struct run_hosts){.executable = own_executable()};
	choose_launch(hosts, options, has_job);
	int code = read_list(hosts, options, error);
	code = code || !has_job ? code : read_job(hosts, options, error);
	hosts->group = (struct collector_group){
		.names = (const char *const *)hosts->names.items,
		.count = hosts->names.count,
		.launch = hosts->launch,
		.executable = hosts->executable,
		.version = LEVER_VERSION,
		.arguments = options->program,
		.job = has_job ? hosts->job : NULL,
	};
	return code;
}

bool run_hosts_are_those_of_run(const struct run_options *options)
{
	bool is_asked = options->common.hosts.count > 0;

	return is_asked || (run_hosts_are_wanted(&options->common) && !options->end_to_end &&
			    options->engine != RUN_ENGINE_RUNTIME);
}

int run_hosts_check(const struct run_options *options, struct error *error)
{
	if (!run_hosts_are_those_of_run(options))
		return options->common.launch ?
			       error_set(error, -EINVAL, "--launch needs --hosts") :
			       0;
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
	free(hosts->launch);
	free(hosts->launch_text);
	free(hosts->executed);
}
