#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""waits - time off a CPU belongs to the code that waits, if it ends from outside of the program."""
from kernel import check, equal, main, profile_of, program, shares, test, visits

UNITS = "400"


def share_of_wait(what, *options):
    _, told = profile_of("-g", "function", *options, "--", program("waits"), what, UNITS)
    equal(visits(told, "units"), int(UNITS))
    return shares(told).get("wait_for_it", 0)


@test("waiting for a timer is time of the function that waits")
def _():
    share = share_of_wait("timer")
    check(share > 0.5, share)


@test("with --off-cpu no, only time on a CPU counts")
def _():
    share = share_of_wait("timer", "--off-cpu", "no")
    check(share < 0.4, share)


@test("waiting for another thread's work is not time of the function that waits")
def _():
    for what in ("pipe", "lock"):
        share = share_of_wait(what)
        check(share < 0.2, f"{what}: {share}")


main()
