/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * items - a queue with room for QUEUE_MOST items, a mutex and two condition variables.
 */
#pragma once

#include "work.h"

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t has_room, has_item;
	int queued, is_over; /* under the mutex */
} items = {.mutex = PTHREAD_MUTEX_INITIALIZER,
	   .has_room = PTHREAD_COND_INITIALIZER,
	   .has_item = PTHREAD_COND_INITIALIZER};

static inline void items_put(void)
{
	pthread_mutex_lock(&items.mutex);
	while (items.queued == QUEUE_MOST)
		pthread_cond_wait(&items.has_room, &items.mutex);
	items.queued++;
	pthread_cond_signal(&items.has_item);
	pthread_mutex_unlock(&items.mutex);
}

static inline void items_end(void)
{
	pthread_mutex_lock(&items.mutex);
	items.is_over = 1;
	pthread_cond_broadcast(&items.has_item);
	pthread_mutex_unlock(&items.mutex);
}

/* 0: there are no more. */
static inline int items_take(void)
{
	pthread_mutex_lock(&items.mutex);
	while (!items.queued && !items.is_over)
		pthread_cond_wait(&items.has_item, &items.mutex);
	int has_taken = items.queued > 0;
	items.queued -= has_taken;
	pthread_cond_signal(&items.has_room);
	pthread_mutex_unlock(&items.mutex);
	return has_taken;
}
