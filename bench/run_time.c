/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * run_time - runs a program and writes its wall time in ns, from before the fork to after its end.
 *
 *	run_time FILE PROGRAM [ARGUMENT...]
 */
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

int main(int argc, char **argv)
{
	int status = 0;

	if (argc < 3)
		return 2;
	long long begin = now_ns();
	pid_t pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return 1;
	long long length = now_ns() - begin;
	FILE *file = fopen(argv[1], "w");
	return !file || fprintf(file, "%lld\n", length) < 0 || fclose(file);
}
