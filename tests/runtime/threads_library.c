/* SPDX-License-Identifier: BSD-2-Clause */
/* threads_library - a library with threads, which the program calls loads when it runs already. */
#include <pthread.h>

int library_sum(int threads);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&mutex);
		sum++;
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

int library_sum(int count)
{
	pthread_t threads[64];

	sum = 0;
	for (int i = 0; i < count && i < 64; i++)
		if (pthread_create(&threads[i], NULL, add, NULL))
			return -1;
	for (int i = 0; i < count && i < 64; i++)
		pthread_join(threads[i], NULL);
	return sum;
}
