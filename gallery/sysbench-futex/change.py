# SPDX-License-Identifier: BSD-2-Clause
"""sysbench's two threads take a mutex, yield and release it, again and again. Both want the same one: what do the system calls of waiting and waking
cost? With a mutex that spins the threads still take turns, but make no such call.
"""
from inputs import case, preload

SPINS = """#include <pthread.h>
#include <stdatomic.h>
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	_Atomic int *taken = (_Atomic int *)&mutex->__data.__lock;
	while (atomic_exchange_explicit(taken, 1, memory_order_acquire))
		while (atomic_load_explicit(taken, memory_order_relaxed))
			__builtin_ia32_pause();
	return 0;
}
int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	atomic_store_explicit((_Atomic int *)&mutex->__data.__lock, 0, memory_order_release);
	return 0;
}
"""


def prepare(folder):
    def command(events):
        return ["sysbench", "threads", "--threads=2", "--thread-locks=1", "--thread-yields=100", f"--events={events}", "--time=0", "run"]
    spins = preload(folder, "spins", SPINS)
    return case("sysbench threads, futex", "a mutex that spins", command(12000), [*spins, *command(12000)], command(100000000), r"syscall:futex", kind="system call",
                ask=["--target", "syscall:futex"])
