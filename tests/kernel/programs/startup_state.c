/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * startup_state - writes the state in which it was started: descriptors, signals, limits,
 * environment. Copies its standard input to its standard output and ends with 42.
 *
 *	startup_state FILE ARGUMENT...
 */
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

static void write_file(FILE *out, const char *path, const char *const *only)
{
	char line[4096];
	FILE *in = fopen(path, "re");

	while (in && fgets(line, sizeof(line), in)) {
		int wanted = !only;
		for (const char *const *start = only; start && *start; start++)
			wanted = wanted || !strncmp(line, *start, strlen(*start));
		if (wanted)
			fprintf(out, "%s: %s", path, line);
	}
	if (in)
		fclose(in);
}

static void write_descriptors(FILE *out)
{
	for (int fd = 0; fd < 1024; fd++) {
		char path[64], target[4096];
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		ssize_t length = readlink(path, target, sizeof(target) - 1);
		if (length < 0 || fd == fileno(out))
			continue;
		target[length] = 0;
		fprintf(out, "descriptor %d: %s\n", fd, target);
	}
}

static void write_signals(FILE *out)
{
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;
		if (!sigaction(number, NULL, &action))
			fprintf(out, "signal %d: %s\n", number,
				action.sa_handler == SIG_IGN ? "ignored" :
				action.sa_handler == SIG_DFL ? "default" :
							       "handled");
	}
}

int main(int argc, char **argv)
{
	static const char *const status[] = {"Umask",  "Groups",     "SigQ",    "SigPnd",
					     "ShdPnd", "SigBlk",     "SigIgn",  "SigCgt",
					     "Cap",    "NoNewPrivs", "Seccomp", "Cpus_allowed",
					     "Uid",    "Gid",        "Threads", "TracerPid",
					     NULL};
	FILE *out = argc > 1 ? fopen(argv[1], "we") : NULL;
	int death = 0, byte;

	if (!out)
		return 2;
	for (int i = 0; i < argc; i++)
		fprintf(out, "argument %d: %s\n", i, argv[i]);
	for (char **entry = environ; *entry; entry++)
		fprintf(out, "environment: %s\n", *entry);
	write_file(out, "/proc/self/limits", NULL);
	write_file(out, "/proc/self/status", status);
	write_file(out, "/proc/self/cgroup", NULL);
	write_file(out, "/proc/self/oom_score_adj", NULL);
	write_file(out, "/proc/self/timerslack_ns", NULL);
	write_descriptors(out);
	write_signals(out);
	prctl(PR_GET_PDEATHSIG, &death);
	fprintf(out, "group %d, session %d, nice %d, policy %d, death signal %d\n", getpgrp(),
		getsid(0), getpriority(PRIO_PROCESS, 0), sched_getscheduler(0), death);
	fclose(out);
	while ((byte = getchar()) != EOF)
		putchar(byte);
	fputs("to stderr\n", stderr);
	return 42;
}
