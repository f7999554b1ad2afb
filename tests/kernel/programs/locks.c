/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * locks - a thread holds a lock for 2 ms while another one waits for it: a member of a global
 * struct, a static one of a function, one on the heap, a rwlock, a condition, a semaphore; and a
 * pipe.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

struct shard {
	long keys;
	pthread_mutex_t lock;
};

static struct {
	struct shard shards[4];
	pthread_rwlock_t index;
} table;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t filling = PTHREAD_MUTEX_INITIALIZER;
static int items;
static sem_t slots;
static struct shard *heap;
static pthread_mutex_t *once;
static int ready[2], answers[2];

static void nap(void)
{
	usleep(2000);
}

static void tell(void)
{
	while (write(ready[1], "", 1) != 1)
		;
}

static void hear(void)
{
	char byte;
	while (read(ready[0], &byte, 1) != 1)
		;
}

#define NOINLINE __attribute__((noinline))

NOINLINE static void hold(pthread_mutex_t *lock)
{
	pthread_mutex_lock(lock);
	tell();
	nap();
	pthread_mutex_unlock(lock);
	__asm__ volatile("" ::: "memory");
}

NOINLINE static void get_shard(void)
{
	pthread_mutex_lock(&table.shards[2].lock);
	pthread_mutex_unlock(&table.shards[2].lock);
}

NOINLINE static void get_heap(void)
{
	pthread_mutex_lock(&heap->lock);
	pthread_mutex_unlock(&heap->lock);
}

NOINLINE static void get_once(void)
{
	pthread_mutex_lock(once);
	pthread_mutex_unlock(once);
}

NOINLINE static void rebuild(void)
{
	pthread_rwlock_wrlock(&table.index);
	tell();
	nap();
	pthread_rwlock_unlock(&table.index);
	__asm__ volatile("" ::: "memory");
}

NOINLINE static void look_up(void)
{
	pthread_rwlock_rdlock(&table.index);
	pthread_rwlock_unlock(&table.index);
}

NOINLINE static void fill(void)
{
	tell();
	nap();
	pthread_mutex_lock(&filling);
	items++;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&filling);
	__asm__ volatile("" ::: "memory");
}

NOINLINE static void take_item(void)
{
	pthread_mutex_lock(&filling);
	while (!items)
		pthread_cond_wait(&filled, &filling);
	items--;
	pthread_mutex_unlock(&filling);
}

NOINLINE static void give_slot(void)
{
	tell();
	nap();
	sem_post(&slots);
	__asm__ volatile("" ::: "memory");
}

NOINLINE static void take_slot(void)
{
	while (sem_wait(&slots))
		;
}

NOINLINE static void answer(void)
{
	tell();
	nap();
	while (write(answers[1], "", 1) != 1)
		;
}

NOINLINE static void wait_for_answer(void)
{
	char byte;
	while (read(answers[0], &byte, 1) != 1)
		;
}

static void *holder(void *rounds)
{
	static pthread_mutex_t of_holder = PTHREAD_MUTEX_INITIALIZER;

	once = &of_holder;
	for (long i = 0; i < (long)rounds; i++) {
		hold(&table.shards[2].lock);
		hold(&heap->lock);
		hold(&of_holder);
		rebuild();
		fill();
		give_slot();
		answer();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 100;
	pthread_t thread;

	heap = calloc(1, sizeof(*heap));
	if (!heap || pipe(ready) || pipe(answers) || sem_init(&slots, 0, 0) ||
	    pthread_create(&thread, NULL, holder, (void *)rounds))
		return 1;
	for (long i = 0; i < rounds; i++) {
		hear();
		get_shard();
		hear();
		get_heap();
		hear();
		get_once();
		hear();
		look_up();
		hear();
		take_item();
		hear();
		take_slot();
		hear();
		wait_for_answer();
	}
	return pthread_join(thread, NULL);
}
