/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * many_children - COUNT children that live at the same time; each visits a point once and then
 * ends.
 */
#include <lever.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int count, char **words)
{
	int children = count > 1 ? atoi(words[1]) : 10, started = 0, failed = 0, status;
	int gate[2];
	char letter;

	if (pipe(gate))
		return 1;
	for (; started < children; started++) {
		pid_t pid = fork();
		if (pid < 0)
			break;
		if (pid)
			continue;
		close(gate[1]);
		if (read(gate[0], &letter, 1)) /* until the parent closes the other end */
			_exit(1);
		LEVER_PROGRESS_NAMED("child");
		_exit(0);
	}
	close(gate[1]);
	while (wait(&status) > 0)
		failed += status != 0;
	printf("%d of %d\n", started - failed, children);
	return started != children || failed;
}
