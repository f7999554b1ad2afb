# SPDX-License-Identifier: BSD-2-Clause
"""stages - a Python program of known parts.

    stages.py alternate UNITS    each unit computes 2 parts in first() and 1 part in second(), and writes a byte
    stages.py nested UNITS       each unit goes through C code (sorted), recursion, a generator, and zlib
    stages.py processes UNITS    the same as alternate in two forked processes
    stages.py threads SECONDS    two threads that compute, while the main thread waits for them
"""
import multiprocessing
import os
import sys
import threading
import time
import zlib

PART = 3000
FIRST_PERCENT = int(os.environ.get("STAGES_FIRST_PERCENT", "100"))  # of its work


def first():
    total = 0
    for i in range(2 * PART * FIRST_PERCENT // 100):
        total += i * 3 ^ i  # FIRST
    return total


def second():
    total = 0
    for i in range(PART):
        total += i * 3 ^ i  # SECOND
    return total


def alternate(units):
    with open("/dev/null", "wb", buffering=0) as out:
        for _ in range(units):
            first()
            second()
            out.write(b"x")


def key(value):
    return descend(3) + value


def descend(depth):
    if depth:
        return descend(depth - 1)
    return sum(squares())


def squares():
    for i in range(300):
        yield i * i  # SQUARE


BLOCK = os.urandom(1 << 20)


def compress():
    return zlib.crc32(BLOCK)  # NATIVE


def nested(units):
    for _ in range(units):
        sorted(range(20), key=key)
        compress()


def processes(units):
    children = [multiprocessing.get_context("fork").Process(target=alternate, args=(units,)) for _ in range(2)]
    for child in children:
        child.start()
    for child in children:
        child.join()


def compute(end):
    while time.monotonic() < end:
        first()


def threads(seconds):
    workers = [threading.Thread(target=compute, args=(time.monotonic() + seconds,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()  # JOIN


if __name__ == "__main__":
    {"alternate": alternate, "nested": nested, "processes": processes, "threads": threads}[sys.argv[1]](int(sys.argv[2]))
