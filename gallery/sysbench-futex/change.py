# SPDX-License-Identifier: BSD-2-Clause
"""sysbench's two threads take a mutex, yield and release it, again and again. Both want the same one: what do the system calls of waiting and waking
cost? With a mutex that spins the threads still take turns, but make no such call.
"""
from inputs import case, preload

SPINS = """#include <pthread.h>
int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	while (pthread_mutex_trylock(mutex))
		__builtin_ia32_pause();
	return 0;
}
"""


def prepare(folder):
    def command(events):
        return ["sysbench", "threads", "--threads=2", "--thread-locks=1", "--thread-yields=100", f"--events={events}", "--time=0", "run"]
    spins = preload(folder, "spins", SPINS)
    return case("sysbench threads, futex", "a mutex that spins", command(12000), [*spins, *command(12000)], command(100000000), r"syscall:futex", kind="system call",
                ask=["--target", "syscall:futex"])
