# SPDX-License-Identifier: BSD-2-Clause
"""parts - a Python program whose gains are known by how it is made (../languages.py tells them).

    parts.py CASE SECONDS PERCENT_A PERCENT_B

    stages    one thread does first() and second() in turn
    lock      two threads compute in C, without the interpreter's lock; critical() is done under a lock
    gil       two threads do first() and second() and meet: the interpreter's lock lets one work at a time
    pool      two processes do tasks of first() and second()

first() and outside() do PERCENT_A of their work, second() and critical() PERCENT_B. A unit ends with a write.
"""
import hashlib
import multiprocessing
import os
import sys
import threading
import time

CASE, SECONDS = sys.argv[1], float(sys.argv[2])
KEPT_A, KEPT_B = (int(word) / 100 for word in sys.argv[3:5])
PART = 20000
OUT = os.open("/dev/null", os.O_WRONLY)
END = time.monotonic() + SECONDS


def first(count):
    total = 0
    for i in range(count):
        total += i * 3 ^ i
    return total


def second(count):
    total = 0
    for i in range(count):
        total += i * 3 ^ i
    return total


def outside(count):
    return hashlib.pbkdf2_hmac("sha256", b"x", b"y", count)


def critical(count):
    return hashlib.pbkdf2_hmac("sha256", b"x", b"y", count)


def unit():
    first(int(2 * PART * KEPT_A))
    second(int(PART * KEPT_B))
    os.write(OUT, b"x")


def stages():
    visits = 0
    while time.monotonic() < END:
        unit()
        visits += 1
    return visits


def in_threads(*works):
    visits = []
    threads = [threading.Thread(target=lambda work=work: visits.append(work())) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(visits)


def lock():
    mutex = threading.Lock()

    def work():
        visits = 0
        while time.monotonic() < END:
            outside(int(3000 * KEPT_A))
            with mutex:
                critical(int(5000 * KEPT_B))
            os.write(OUT, b"x")
            visits += 1
        return visits
    return in_threads(work, work)


def gil():
    is_over = []
    barrier = threading.Barrier(2, lambda: (os.write(OUT, b"x"), is_over.extend([1] * (time.monotonic() > END))))

    def work(part, count):
        visits = 0
        while not is_over:
            part(count)
            barrier.wait()
            visits += 0.5
        return visits
    return in_threads(lambda: work(first, int(8 * PART * KEPT_A)), lambda: work(second, int(4 * PART * KEPT_B)))


def task(_):
    for _ in range(20):
        unit()
    return 20


def pool():
    visits = 0
    with multiprocessing.get_context("fork").Pool(2) as workers:
        while time.monotonic() < END:
            visits += sum(workers.imap_unordered(task, range(20)))
        ended = time.monotonic()
    print(f"period_ns={1e9 * (ended - BEGUN) / visits:.0f}")
    sys.exit(0)


BEGUN = time.monotonic()
if __name__ == "__main__":
    VISITS = {"stages": stages, "lock": lock, "gil": gil, "pool": pool}[CASE]()
    print(f"period_ns={1e9 * (time.monotonic() - BEGUN) / VISITS:.0f}")
