/* SPDX-License-Identifier: BSD-2-Clause */
/* long_search - two threads beside each other, and units of work of 0.2 s. It runs without end. */
#include <pthread.h>

#define STEPS 20000000u

#define WORK(name, own)                                                     \
	static __attribute__((noinline)) unsigned work_##name(unsigned sum) \
	{                                                                   \
		for (unsigned i = 0; i < STEPS; i++) {                      \
			sum = sum * 1664525 + own;                          \
			__asm__ volatile("" : "+r"(sum));                   \
		}                                                           \
		return sum;                                                 \
	}

/* clang-format off: a line for each, since places are lines */
WORK(a, 1)
WORK(b, 3)
WORK(c, 5)
WORK(d, 7)
WORK(e, 9)
WORK(f, 11)
WORK(g, 13)
WORK(h, 15)
/* clang-format on */

static volatile unsigned result;

static void *work(void *unused)
{
	unsigned sum = result;

	sum = work_a(sum);
	sum = work_b(sum);
	sum = work_c(sum);
	sum = work_d(sum);
	sum = work_e(sum);
	sum = work_f(sum);
	sum = work_g(sum);
	result = work_h(sum);
	return unused;
}

__attribute__((noinline)) void unit_is_done(void);
__attribute__((noinline)) void unit_is_done(void)
{
	__asm__ volatile("");
}

int main(void)
{
	for (;;) {
		pthread_t thread;
		if (pthread_create(&thread, NULL, work, NULL))
			return 1;
		work(NULL);
		pthread_join(thread, NULL);
		unit_is_done();
	}
}
