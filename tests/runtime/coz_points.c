/* SPDX-License-Identifier: BSD-2-Clause */
/* coz_points - unannotated.c with the points of coz.h, a program made for Coz. */
#include <coz.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile long sink;
static int visits;

static void work(long amount)
{
	for (long i = 0; i < amount; i++)
		sink += i;
}

static void *run(void *unused)
{
	for (int i = 0; i < visits; i++) {
		COZ_BEGIN("transaction");
		work(100000);
		COZ_END("transaction");
		work(50000);
		COZ_PROGRESS_NAMED("rows");
	}
	return unused;
}

int main(int count, char **words)
{
	int threads = count > 1 ? atoi(words[1]) : 1, status;
	pthread_t ids[16];

	visits = count > 2 ? atoi(words[2]) : 1;
	pid_t child = fork();
	for (int i = 0; i < threads && i < 16; i++)
		if (pthread_create(&ids[i], NULL, run, NULL))
			return 1;
	for (int i = 0; i < threads && i < 16; i++)
		pthread_join(ids[i], NULL);
	return child && (waitpid(child, &status, 0) != child || status);
}
