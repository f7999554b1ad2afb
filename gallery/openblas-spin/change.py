# SPDX-License-Identifier: BSD-2-Clause
"""A Python program multiplies small matrices by OpenBLAS with two threads, and does other work in between. OpenBLAS's second thread does not
sleep then; it asks `sched_yield` again and again, and takes a core.
"""
from inputs import case, script

PROGRAM = """import numpy, zlib
a = numpy.random.rand(400, 400)
text = bytes(range(256)) * 8
total = 0
for turn in range({turns}):
    a = a.dot(a) / 400
    for i in range(30):
        total += len(zlib.compress(text, 6))
print(total)
"""


def prepare(folder):
    def command(name, turns, *words):
        return ["env", "OPENBLAS_NUM_THREADS=2", *words, "/usr/bin/python3", script(folder, name, PROGRAM.format(turns=turns))]
    return case("NumPy with OpenBLAS, two threads", "the idle thread sleeps at once (`OPENBLAS_THREAD_TIMEOUT=4`)", command("short.py", 150),
                command("short.py", 150, "OPENBLAS_THREAD_TIMEOUT=4"), command("long.py", 1000000),
                r"sched_yield|blas_thread_server", kind="null", ask=["--target", "syscall:sched_yield"], perf_same=True)
