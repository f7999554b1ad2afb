#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""waits - time off CPU belongs to the waiting code if a device, a timer or another process ends it."""
import contextlib
import os
import sqlite3
import subprocess

from kernel import check, equal, folder, lever, main, profile_of, program, shares, test, visits

UNITS = "400"


def shares_of(what, *options):
    _, told = profile_of("-g", "function", *options, "--", program("waits"), what, UNITS)
    equal(visits(told, "units"), int(UNITS))
    return shares(told)


def share_of_wait(what, *options):
    return shares_of(what, *options).get("wait_for_it", 0)


@test("waiting for a timer is time of the function that waits")
def _():
    found = shares_of("timer")
    check(found.get("wait_for_it", 0) > 0.7, found)
    # Its caller has what falls into the first moment, until libc's unwind rows are read.
    check(found.get("main", 0) < 0.1, found)


@test("waits have their callers, however the code of these lies in memory")
def _():
    _, told = profile_of("--target", "inclusive:work", "--", program("far_frames"), "600")
    share = shares(told).get("inclusive:work", 0)
    check(share > 0.6, share)


@test("with --off-cpu no, only time on a CPU counts")
def _():
    share = share_of_wait("timer", "--off-cpu", "no")
    check(share < 0.4, share)


@test("waiting for another thread's work is not time of the function that waits")
def _():
    for what in ("pipe", "lock"):
        share = share_of_wait(what)
        check(share < 0.2, f"{what}: {share}")


def warns_of_handovers(what):
    """Whether the report warns of frequent hand-overs, of a program that waits after each 50 us, 20,000 times."""
    _, told = profile_of("--", program("waits"), what, "20000")
    return any("wake each other" in line for line in told["warnings"])


@test("a warning names tasks that wake each other more often than they are sampled; short sleeps give none")
def _():
    check(warns_of_handovers("turn"))
    check(not warns_of_handovers("nap"))


@contextlib.contextmanager
def others_on_all_cores():
    """Two programs a core that do nothing but compute."""
    running = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2 * os.cpu_count())]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()


@test("other programs on all cores take no more from one thread than its time")
def _():
    with folder() as place, others_on_all_cores():
        output = os.path.join(place, "test.lever")
        lever("run", "--output", output, "--seconds", "4", "--then-stop", "--", program("exits"), "plain", "100000000")
        with contextlib.closing(sqlite3.connect(output)) as profile:
            sums = "SELECT count(*), sum(displaced_ns) * 1.0 / sum(duration_ns) FROM experiment"
            windows, share = profile.execute(sums).fetchone()
    check(windows > 5 and 0.3 < share < 1.1, (windows, share))


main()
