/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shared_lock - two readers of a lock, and a writer that naps between two changes.
 *
 * period = measured
 */
#include "work.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

WORK_FUNCTION void look(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void change(uint64_t loops)
{
	WORK(loops); /* target B */
}

WORK_FUNCTION void outside(uint64_t loops)
{
	WORK(loops); /* target C */
}

static void *run_writer(void *unused)
{
	uint64_t loops = work_loops(700, 'B');

	while (work_goes_on()) {
		usleep(1000);
		pthread_rwlock_wrlock(&lock);
		change(loops);
		pthread_rwlock_unlock(&lock);
	}
	return unused;
}

static void read_once(void)
{
	pthread_rwlock_rdlock(&lock);
	look(work_loops(300, 'A'));
	pthread_rwlock_unlock(&lock);
	outside(work_loops(500, 'C'));
}

static void *run_reader(void *unused)
{
	while (work_goes_on())
		read_once();
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t writer, reader;

	work_begin(count, arguments);
	pthread_create(&writer, NULL, run_writer, NULL);
	pthread_create(&reader, NULL, run_reader, NULL);
	while (work_goes_on()) {
		read_once();
		work.visits++;
		LEVER_PROGRESS_NAMED("look");
	}
	pthread_join(writer, NULL);
	pthread_join(reader, NULL);
	work_end();
	return 0;
}
