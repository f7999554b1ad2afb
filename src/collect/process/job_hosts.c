/* SPDX-License-Identifier: BSD-2-Clause */
/* job_hosts - on which hosts the processes of a job run. */
#include "collect/process/job_hosts.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct found {
	ARRAY(char *) names;
	size_t told; /* by processes */
};

static void add_name(struct found *found, const char *name)
{
	char own[256] = "";

	gethostname(own, sizeof(own) - 1);
	found->told++;
	if (!strcmp(name, own))
		return;
	for (size_t i = 0; i < found->names.count; i++)
		if (!strcmp(found->names.items[i], name))
			return;
	*array_add(&found->names) = text_copy(name);
}

/* A launcher may put something before each line. */
static void read_names(FILE *file, struct found *found)
{
	AUTO(text) char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, file) > 0) {
		const char *word = strstr(line, JOB_HOSTS_WORD " ");
		char name[128];
		if (word && sscanf(word, JOB_HOSTS_WORD " %127s", name) == 1)
			add_name(found, name);
	}
}

static pid_t start(char *const *words, int output)
{
	pid_t child = fork();

	if (child)
		return child;
	AUTO(fd) int nothing = open("/dev/null", O_RDONLY);
	dup2(nothing, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	execvp(words[0], words);
	_exit(127);
}

int job_hosts_find(char *const *words, char ***names, size_t *count, struct error *error)
{
	struct found found = {0};
	int ends[2], status = -1;

	if (pipe2(ends, O_CLOEXEC))
		return error_set(error, errno, "cannot make a pipe: %s", strerror(errno));
	pid_t child = start(words, ends[1]);
	close(ends[1]);
	AUTO(file) FILE *file = fdopen(ends[0], "r");
	read_names(file, &found);
	if (child > 0)
		waitpid(child, &status, 0);
	*names = found.names.items;
	*count = found.names.count;
	if (!found.told || !WIFEXITED(status) || WEXITSTATUS(status))
		return error_set(error, -EIO,
				 "'%s' could not start lever on the hosts of the job; is it "
				 "installed there as %s? Or name hosts by --hosts",
				 words[0], words[0]);
	return 0;
}
