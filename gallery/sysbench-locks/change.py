# SPDX-License-Identifier: BSD-2-Clause
"""sysbench's two threads take a mutex, yield and release it, again and again. Both want the same one: what do the waits cost,
with the system calls of waiting and waking?
"""
from inputs import case


def prepare(_):
    def command(locks, events):
        return ["sysbench", "threads", "--threads=2", f"--thread-locks={locks}", "--thread-yields=100", f"--events={events}", "--time=0", "run"]
    return case("sysbench threads, one mutex", "256 mutexes", command(1, 12000), command(256, 12000), command(1, 100000000), r"class:L", kind="set",
                gain_places=r"class:L \+", ask=["--target", "class:L", "--with", "syscall:futex"])
