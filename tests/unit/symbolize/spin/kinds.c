/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kinds - functions with loops: those that only wait are named spin_*, all others work_*.
 * Compiled by several compilers at several levels; spin_loops.c asks for each function.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/* ---- waiting ---- */

volatile int flag, other_flag;
atomic_int state;
struct node {
	struct node *next;
	long key;
	volatile int is_ready;
};

void spin_volatile_flag(void)
{
	while (!flag)
		;
}

void spin_volatile_member(struct node *node)
{
	while (!node->is_ready)
		;
}

void spin_for_break(volatile long *x, long y)
{
	for (;;)
		if (*x == y)
			break;
}

void spin_atomic_relaxed(void)
{
	while (!atomic_load_explicit(&state, memory_order_relaxed))
		;
}

void spin_atomic_acquire(atomic_int *one)
{
	while (atomic_load_explicit(one, memory_order_acquire) != 3)
		;
}

void spin_atomic_bit(atomic_uint *bits)
{
	while (!(atomic_load(bits) & 64))
		;
}

void spin_pointer_chain(struct node *volatile *head)
{
	while (!*head || !(*head)->is_ready)
		;
}

struct ticket_lock {
	atomic_uint next, served;
};

void spin_ticket_lock(struct ticket_lock *lock)
{
	unsigned mine = atomic_fetch_add(&lock->next, 1);
	while (atomic_load(&lock->served) != mine)
		;
}

int spin_seqlock(atomic_uint *sequence)
{
	unsigned seen;
	while ((seen = atomic_load_explicit(sequence, memory_order_acquire)) & 1)
		;
	return (int)seen;
}

void spin_test_and_set(atomic_flag *lock)
{
	while (atomic_flag_test_and_set_explicit(lock, memory_order_acquire))
		;
}

void spin_test_and_test_and_set(atomic_int *lock)
{
	for (;;) {
		while (atomic_load_explicit(lock, memory_order_relaxed))
			;
		if (!atomic_exchange(lock, 1))
			return;
	}
}

#ifdef __OPTIMIZE__ /* else more words of the frame carry values */
void spin_compare_exchange(atomic_int *lock)
{
	int free_lock = 0;
	while (!atomic_compare_exchange_weak(lock, &free_lock, 1))
		free_lock = 0;
}
#endif

#ifdef __OPTIMIZE__
void spin_bounded(int most)
{
	for (int tries = 0; tries < most; tries++)
		if (flag)
			return;
	sched_yield();
}
#endif

void spin_yield(void)
{
	while (!flag)
		sched_yield();
}

void spin_then_yield(void)
{
	unsigned tries = 0;
	while (!atomic_load(&state))
		if (++tries % 64 == 0)
			sched_yield();
}

static __attribute__((noinline)) void relax(void)
{
	__builtin_ia32_pause();
}

void spin_pause_helper(void)
{
	while (!flag)
		relax();
}

static __attribute__((noinline)) bool is_over(void)
{
	return atomic_load_explicit(&state, memory_order_acquire);
}

void spin_condition_helper(void)
{
	while (!is_over())
		;
}

void spin_two_conditions(unsigned mine)
{
	while (atomic_load((atomic_uint *)&state) / 2 == mine / 2 && !flag)
		;
}

void spin_backoff(atomic_int *lock)
{
	for (unsigned length = 1; atomic_load(lock); length *= 2)
		for (unsigned i = 0; i < length; i++)
			__builtin_ia32_pause();
}

void spin_ring(atomic_size_t *head, atomic_size_t *tail, size_t size)
{
	size_t mine = atomic_load_explicit(head, memory_order_relaxed);
	while (mine - atomic_load_explicit(tail, memory_order_acquire) >= size)
		;
}

#ifdef __OPTIMIZE__
void spin_deadline(long seconds)
{
	struct timespec now;
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (!flag && now.tv_sec < seconds);
}
#endif

void spin_all_flags(volatile int *flags, int count)
{
	for (int i = 0; i < count; i++)
		while (!flags[i])
			;
}

/* ---- work ---- */

size_t work_strlen(const char *text)
{
	const char *at = text;
	while (*at)
		at++;
	return (size_t)(at - text);
}

const char *work_memchr(const char *text, size_t size, char wanted)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] == wanted)
			return text + i;
	return NULL;
}

int work_memcmp(const unsigned char *a, const unsigned char *b, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (a[i] != b[i])
			return a[i] - b[i];
	return 0;
}

struct node *work_list(struct node *node, long key)
{
	while (node && node->key != key)
		node = node->next;
	return node;
}

long work_list_length(const struct node *node)
{
	long count = 0;
	for (; node; node = node->next)
		count++;
	return count;
}

const long *work_binary_search(const long *items, size_t count, long wanted)
{
	while (count) {
		size_t half = count / 2;
		if (items[half] < wanted) {
			items += half + 1;
			count -= half + 1;
		} else {
			count = half;
		}
	}
	return items;
}

size_t work_probe(const uint64_t *table, size_t mask, uint64_t key)
{
	size_t at = key & mask;
	while (table[at] && table[at] != key)
		at = (at + 1) & mask;
	return at;
}

uint64_t work_generator(uint64_t x)
{
	while (!flag)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

uint32_t work_hash(uint32_t hash, const volatile uint32_t *seed)
{
	for (int i = 0; i < 1000 && *seed; i++)
		hash = (hash ^ *seed) * 16777619u;
	return hash;
}

double work_sum(const double *items, const size_t *count)
{
	double sum = 0;
	for (size_t i = 0; i < *count; i++)
		sum += items[i];
	return sum;
}

/* Readers of a sequence lock: they go on only if somebody wrote meanwhile. */
long work_seqlock(const atomic_uint *sequence, const volatile long *value)
{
	unsigned before;
	long seen;

	do {
		before = atomic_load_explicit(sequence, memory_order_acquire);
		seen = *value;
	} while (atomic_load_explicit(sequence, memory_order_acquire) != before);
	return seen;
}

atomic_uint clock_sequence;
volatile long clock_base, clock_scale;

long work_seqlock_of_clock(void)
{
	unsigned before;
	long time;

	do {
		before = atomic_load_explicit(&clock_sequence, memory_order_acquire);
		time = clock_base + ((long)__builtin_ia32_rdtsc() * clock_scale >> 8);
	} while (atomic_load_explicit(&clock_sequence, memory_order_acquire) != before);
	return time;
}

void work_fill(volatile char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = 1;
}

void work_store_until(volatile long *count)
{
	while (!flag)
		++*count;
}

void work_fetch_add(atomic_long *count)
{
	while (!flag)
		atomic_fetch_add(count, 1);
}

void work_retry_push(_Atomic(struct node *) *head, struct node *node)
{
	struct node *old = atomic_load(head);
	do
		node->next = old;
	while (!atomic_compare_exchange_weak(head, &old, node));
}

long changed(long value);

long work_retry_with_call(atomic_long *shared)
{
	long old = atomic_load(shared);
	while (!atomic_compare_exchange_strong(shared, &old, changed(old)))
		;
	return old;
}

void work_retry_until_done(atomic_long *shared, atomic_long *count)
{
	for (;;) {
		long old = atomic_load(shared), sum = 0;
		for (long i = 0; i < old; i++)
			sum += i * old;
		if (atomic_compare_exchange_strong(shared, &old, sum))
			break;
		atomic_fetch_add(count, 1);
	}
}

long work_once_then_sum(atomic_long *shared, long count)
{
	long expected = 0, sum = 0;
	if (!atomic_compare_exchange_strong(shared, &expected, 1))
		return 0;
	for (long i = 0; i < count; i++)
		sum += changed(i);
	return sum;
}

long work_once_each(atomic_long *items, long count)
{
	for (long i = 0; i < count; i++) {
		long expected = changed(i);
		atomic_compare_exchange_strong(&items[i], &expected, 1);
		changed(expected);
	}
	return count;
}

long work_retry_fetch_max(atomic_long *most, long value)
{
	long old = atomic_load(most);
	while (old < value && !atomic_compare_exchange_weak(most, &old, value))
		;
	return old;
}

unsigned work_bits(uint64_t value)
{
	unsigned count = 0;
	while (value) {
		value &= value - 1;
		count++;
	}
	return count;
}

uint64_t work_gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

void work_count_up(const volatile long *limit)
{
	for (long i = 0; i < *limit; i++)
		__asm__ volatile("");
}

static __attribute__((noinline)) uint64_t chunk(uint64_t x)
{
	for (int i = 0; i < 100000; i++) {
		x *= 2654435761u;
		__asm__ volatile("" : "+r"(x));
	}
	return x;
}

void work_chunks(void)
{
	while (!flag)
		chunk(1);
}

void work_inlined_chunks(void)
{
	while (!flag) {
		uint64_t x = 1;
		for (int i = 0; i < 100000; i++) {
			x *= 2654435761u;
			__asm__ volatile("" : "+r"(x));
		}
	}
}

extern void elsewhere(void);
void work_calls(void)
{
	while (!flag)
		elsewhere();
}

void work_callback(void (*progress)(void))
{
	while (!flag)
		progress();
}

const uint64_t *work_tree(const uint64_t *const *node, unsigned path)
{
	while (((uintptr_t)node & 1) == 0) {
		node = (const uint64_t *const *)node[path & 1];
		path >>= 1;
	}
	return (const uint64_t *)node;
}

size_t work_skip_spaces(const char *text, size_t size)
{
	size_t at = 0;
	while (at < size && (text[at] == ' ' || text[at] == '\t'))
		at++;
	return at;
}

uint64_t work_sum_of_one(const volatile uint64_t *one, int count)
{
	uint64_t sum = 0;
	for (int i = 0; i < count; i++)
		sum += *one;
	return sum;
}

void work_copy(char *to, const char *from)
{
	while ((*to++ = *from++))
		;
}

size_t work_vector(const char *text)
{
	return strlen(text) + strspn(text, "abc");
}
