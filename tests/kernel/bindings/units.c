/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * units N - N units of work, each in a span, half of them in a thread; for bindings.py, by
 * liblever.h alone.
 */
#include <liblever.h>

#include <pthread.h>
#include <stdlib.h>

static void *units(void *count)
{
	uint32_t units = lever_id("units"), span = lever_id("unit span"), total = lever_id("total");

	for (long i = 0; i < (long)count; i++) {
		lever_begin(span);
		for (volatile int work = 0; work < 3000; work++)
			;
		lever_counter(total, i);
		lever_end(span);
		lever_progress(units);
	}
	return NULL;
}

int main(int count, char **words)
{
	long all = count > 1 ? strtol(words[1], NULL, 10) : 0;
	pthread_t thread;

	if (pthread_create(&thread, NULL, units, (void *)(all / 2)))
		return 1;
	units((void *)(all - all / 2));
	pthread_join(thread, NULL);
	lever_instant(lever_id("done"));
	return 0;
}
