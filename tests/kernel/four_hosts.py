#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""four_hosts - a request goes round four hosts (programs/hops.c), 200 us from one to the next; one of them works at a time.

So two cores do, and a host's work is worth what it takes of a round. Gains are compared with runs in which it is really less.
"""
import os
import subprocess

from kernel import LEVER, RAN, check, folder, main, program, report, run, test
import namespaces
from namespaces import ADDRESSES, NAMES, inside, several_hosts

DELAY_US = 200
WORKS = (1200, 4800, 1200, 3600)


def words_of(port, seconds, works):
    return [program("hops"), port, str(seconds), *(word for i, work in enumerate(works) for word in (ADDRESSES[i], str(work)))]


def bare(seconds, works):
    """Rounds a second without lever."""
    words = words_of("7921", seconds, works)
    others = [subprocess.Popen(inside(i, *words), env={**os.environ, "LEVER_HOST_INDEX": str(i)}) for i in range(1, len(works))]
    first = run(*inside(0, *words), env={**os.environ, "LEVER_HOST_INDEX": "0"})
    for other in others:
        other.wait(10)
    return float(first.stdout.split()[0])


def truths(index, works):
    """Gains at 50 and 100 %, of the least disturbed of five runs each, in turn; in points."""
    rates = [0, 0, 0]
    for _ in range(5):
        for at, left in enumerate((1, 0.5, 0.001)):
            less = [work * left if i == index else work for i, work in enumerate(works)]
            rates[at] = max(rates[at], bare(0.5, less))
    return [100 * (1 - rates[0] / rate) for rate in rates[1:]]


def told_of(name, works, seconds=10):
    """At 50 and 100 %, each with its interval, in points."""
    with folder() as place:
        output = os.path.join(place, "hosts.lever")
        others = ",".join(f"{NAMES[i]}={ADDRESSES[i]}" for i in range(1, len(works)))
        said = run(*inside(0, LEVER, "run", "--output", output, "--granularity", "function", "--progress", "round", "--target", name, "--speedups",
                           "50,100", "--hosts", others, "--launch", "ip netns exec %h", "--", *words_of("7922", seconds, works)))
        check(said.returncode in RAN, said.stderr)
        target, = [one for one in report(output)["targets"] if one["name"] == name and one["effects"]]
        points = {round(one["speedup"], 2): one for one in target["effects"][0]["points"]}
        return [tuple(100 * points[at][key] for key in ("program_speedup", "low", "high")) for at in (0.5, 1.0)]


def compare(name, index, works=WORKS):
    namespaces.compare(name, lambda: truths(index, works), lambda: told_of(name, works))


@test("a function of one of four hosts gains what a round gets from less work there")
def _():
    with several_hosts(4, DELAY_US):
        compare("hop_b", 1)


@test("all that one of four hosts does gains what a round gets from less work there")
def _():
    with several_hosts(4, DELAY_US):
        compare(f"process:@{NAMES[3]}", 3)


if __name__ == "__main__":
    main()
