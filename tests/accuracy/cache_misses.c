/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cache_misses - three threads share a cache of 64 pages under a mutex; the page that was not used
 * for longest goes. A page that is not there is read past the system's cache and decoded.
 *
 * period = measured
 */
#include "work.h"

#include <fcntl.h>

enum { PAGE = 4096, PAGES = 90, SLOTS = 64, THREADS = 3 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
	int page;
	uint64_t used;
} slots[SLOTS];
static uint64_t now;
static int file;

WORK_FUNCTION void use_page(void)
{
	WORK(work_loops(70, 'A')); /* target A */
}

WORK_FUNCTION void decode(void)
{
	WORK(work_loops(200, 'B')); /* target B */
}

WORK_FUNCTION int find(int page)
{
	WORK(work_loops(12, 'C')); /* target C */
	int oldest = 0;
	for (int i = 0; i < SLOTS; i++) {
		if (slots[i].page == page) {
			slots[i].used = ++now;
			return 1;
		}
		if (slots[i].used < slots[oldest].used)
			oldest = i;
	}
	slots[oldest].page = page;
	slots[oldest].used = ++now;
	return 0;
}

static void *run(void *argument)
{
	uint64_t key = (uint64_t)(intptr_t)argument;
	char *page;
	if (posix_memalign((void **)&page, PAGE, PAGE))
		exit(1);
	while (work_goes_on()) {
		key = key * 6364136223846793005u + 1442695040888963407u;
		int number = (int)((key >> 33) % PAGES);
		pthread_mutex_lock(&mutex);
		int found = find(number);
		work.visits++;
		LEVER_PROGRESS_NAMED("lookup");
		pthread_mutex_unlock(&mutex);
		if (!found) {
			if (pread(file, page, PAGE, (off_t)number * PAGE) != PAGE)
				exit(1);
			decode();
		}
		use_page();
	}
	return NULL;
}

int main(int count, char **arguments)
{
	static char content[PAGES * PAGE];
	pthread_t threads[THREADS];
	char path[] = "work.XXXXXX";
	int made = mkstemp(path);
	if (made < 0 || write(made, content, sizeof(content)) < 0 || fsync(made))
		return 1;
	file = open(path, O_RDONLY | O_DIRECT);
	unlink(path);
	work_begin(count, arguments);
	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	work_end();
	return 0;
}
