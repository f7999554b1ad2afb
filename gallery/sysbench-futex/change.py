# SPDX-License-Identifier: BSD-2-Clause
"""sysbench's two threads take a mutex, yield and release it, again and again. Both want the same one: what does it cost to wait for it, the system call
and the wake-up included?
"""
from inputs import case


def prepare(_):
    def command(locks, events):
        return ["sysbench", "threads", "--threads=2", f"--thread-locks={locks}", "--thread-yields=100", f"--events={events}", "--time=0", "run"]
    return case("sysbench threads, futex", "256 mutexes", command(1, 12000), command(256, 12000), command(1, 100000000), r"syscall:futex", kind="waiting",
                ask=["--target", "syscall:futex"])
