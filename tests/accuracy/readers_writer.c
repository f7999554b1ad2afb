/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * readers_writer - a reader and a writer of one lock. A shorter write also waits less for the
 * reader: the gain is larger than the time of the write itself.
 *
 * period = measured
 */
#include "work.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

WORK_FUNCTION void read_it(uint64_t loops)
{
	WORK(loops);
}

WORK_FUNCTION void write_it(uint64_t loops)
{
	WORK(loops); /* target A */
}

static void *run_reader(void *unused)
{
	uint64_t outside_loops = work_loops(400, 'C'), read_loops = work_loops(300, 'B');

	while (work_goes_on()) {
		read_it(outside_loops);
		pthread_rwlock_rdlock(&lock);
		read_it(read_loops);
		pthread_rwlock_unlock(&lock);
	}
	return unused;
}

static void *run_writer(void *unused)
{
	uint64_t outside_loops = work_loops(100, 'D'), write_loops = work_loops(600, 'A');

	while (work_goes_on()) {
		read_it(outside_loops);
		pthread_rwlock_wrlock(&lock);
		write_it(write_loops);
		work.visits++;
		pthread_rwlock_unlock(&lock);
		LEVER_PROGRESS_NAMED("written");
	}
	return unused;
}

int main(int count, char **arguments)
{
	pthread_t reader, writer;

	work_begin(count, arguments);
	pthread_create(&reader, NULL, run_reader, NULL);
	pthread_create(&writer, NULL, run_writer, NULL);
	pthread_join(reader, NULL);
	pthread_join(writer, NULL);
	work_end();
	return 0;
}
