/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * coz_program - a program with coz.h that knows nothing of Lever. In four threads it visits each of
 * its points a known number of times, writes its id, and waits until its input ends. With "fork",
 * a child does so instead, after the parent has visited each point once.
 */
#include <coz.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static void visit(void)
{
	COZ_BEGIN("transaction");
	COZ_PROGRESS_NAMED("rows");
	COZ_PROGRESS_NAMED("rows");
	COZ_END("transaction");
}

static void *work(void *unused)
{
	(void)unused;
	for (int i = 0; i < 50000; i++)
		visit();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];
	char end;

	visit();
	if (argc > 1 && !strcmp(argv[1], "fork") && fork())
		return 0;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	pid_t own = getpid();
	return write(1, &own, sizeof(own)) != sizeof(own) || read(0, &end, 1) != 0;
}
