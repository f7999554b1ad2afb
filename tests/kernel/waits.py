#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""waits - time off CPU belongs to the waiting code if a device, a timer or another process ends it."""
from kernel import check, equal, main, profile_of, program, shares, test, visits

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


main()
