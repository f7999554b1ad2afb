/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * orders - the example that `make demo` profiles: two threads with a queue between them.
 *
 * One thread reads orders of ten items, the other looks up the customer of each item and writes a
 * receipt. A sampling profiler shows two hot lines, one in each thread: CHECKSUM and SEARCH. Only
 * one of them is worth optimizing: the second thread is the slower one, so the first waits for it
 * in any case. Lever tells which, and by how much.
 *
 *	orders [SECONDS]    prints how many orders were handled
 *
 * In the environment, for `lever diff`: with ORDERS_SEARCH_LESS=PERCENT it searches so much less,
 * as after a change; with ORDERS_COUNT=NUMBER it ends after so many orders.
 */
#include <lever.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CUSTOMERS 120000
#define QUEUE 64
#define TEXT 160000
#define ITEMS 10

struct customer {
	uint32_t id, discount;
};

struct order {
	uint32_t customer, sum;
};

static struct customer customers[CUSTOMERS], *first = customers;
static char text[TEXT];
static struct order queue[QUEUE];
static unsigned head, tail;
static int closed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void put(struct order order)
{
	pthread_mutex_lock(&lock);
	while (tail - head == QUEUE)
		pthread_cond_wait(&not_full, &lock);
	queue[tail++ % QUEUE] = order;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
}

static int get(struct order *order)
{
	pthread_mutex_lock(&lock);
	while (tail == head && !closed)
		pthread_cond_wait(&not_empty, &lock);
	int found = tail != head;
	if (found)
		*order = queue[head++ % QUEUE];
	pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&lock);
	return found;
}

__attribute__((noinline)) static uint32_t checksum(const char *bytes)
{
	uint32_t sum = 2166136261u;
	for (const char *end = bytes + TEXT; bytes < end; bytes++)
		sum = (sum ^ (uint32_t)*bytes) * 16777619u; /* CHECKSUM */
	return sum;
}

__attribute__((noinline)) static const struct customer *find_customer(uint32_t id)
{
	const volatile struct customer *customer = first;
	for (; customer->id != id; customer++) /* SEARCH */
		;
	return (const struct customer *)customer;
}

__attribute__((noinline)) static unsigned write_receipt(const struct customer *customer,
							uint32_t sum)
{
	char receipt[64];
	unsigned length = 0;
	for (unsigned line = 0; line < 60; line++)
		length += (unsigned)snprintf(receipt, sizeof(receipt), "%u %u", customer->discount,
					     sum + line);
	return length;
}

static void *handle_orders(void *argument)
{
	struct order order;
	unsigned long *letters = argument;

	while (get(&order)) {
		for (uint32_t item = 0; item < ITEMS; item++)
			*letters +=
				write_receipt(find_customer(order.customer - 7 * item), order.sum);
		LEVER_PROGRESS_NAMED("order");
	}
	return NULL;
}

int main(int count, char **arguments)
{
	double end = now() + (count > 1 ? atof(arguments[1]) : 10);
	unsigned long orders = 0, letters = 0;
	pthread_t handler;

	for (uint32_t i = 0; i < CUSTOMERS; i++)
		customers[i] = (struct customer){.id = i * 7 + 1, .discount = i % 30};
	const char *less = getenv("ORDERS_SEARCH_LESS"), *wanted = getenv("ORDERS_COUNT");
	unsigned long most = wanted ? strtoul(wanted, NULL, 10) : 0;
	if (less)
		first = customers + CUSTOMERS / 100 * (atoi(less) % 96);
	memset(text, 'x', sizeof(text));
	pthread_create(&handler, NULL, handle_orders, &letters);
	for (; most ? orders < most : now() < end; orders++) {
		uint32_t chosen = CUSTOMERS - 1 - (uint32_t)(orders % 1000);
		put((struct order){.customer = chosen * 7 + 1, .sum = checksum(text)});
	}
	pthread_mutex_lock(&lock);
	closed = 1;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
	pthread_join(handler, NULL);
	printf("%lu orders, %lu letters\n", orders, letters);
	return 0;
}
