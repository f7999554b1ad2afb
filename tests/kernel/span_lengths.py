#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""span_lengths - single spans measured in experiments: which, how many, and what a speedup credits them."""
import os
import sqlite3
import subprocess
from contextlib import closing

from kernel import check, equal, folder, lever, main, program, test

SLOW_NS = 6e6  # shorter than the slow requests of the program on any machine that CI has, longer than the others


def lengths_of(*command, options=()):
    """Rows (speedup, ended, bucket, spans, weight, length, credit) by point, of all experiments."""
    with folder() as place:
        output = os.path.join(place, "test.lever")
        said = lever("run", "--quiet", "-o", output, *options, *(["--", *command] if command else []))
        check(said.returncode in (0, 3), said.stderr)
        found = {}
        with closing(sqlite3.connect(output)) as profile:
            for name, *row in profile.execute(
                    "SELECT point.name, speedup, bucket, spans, weight, length_ns, credit_ns FROM length"
                    " JOIN point ON point.id = point_id JOIN experiment ON experiment.id = experiment_id"):
                found.setdefault(name, []).append(row)
        return found


@test("spans are measured one by one if they are long, and counted if they are short")
def _():
    found = lengths_of(program("tail"), "-t", "5", "-l", "1000",
                       options=("--target", "tail.c:%d" % line_of("target A"), "--speedups", "0,50", "--seconds", "4",
                                "--period", "500us"))
    equal(set(found), {"request"})
    rows = found["request"]
    slow = [row for row in rows if row[4] > SLOW_NS]
    check(slow, rows)
    check(sum(row[2] for row in rows if row[1] == 0) > sum(row[2] for row in slow), "the short ones are many")
    check(all(row[3] >= row[2] for row in rows if row[1]), "a span stands for itself at least")
    check(all(row[5] <= row[4] for row in slow), "no credit is above the length")
    check(any(row[0] == 0.5 and row[5] > 0.1 * row[4] for row in slow), slow)


@test("spans of a process that runs already are targets and are measured, again and again")
def _():
    with subprocess.Popen([program("tail"), "-t", "60", "-l", "1000"], stdout=subprocess.DEVNULL) as process:
        try:
            for _ in range(2):  # it is in the middle of a span nearly always
                found = lengths_of(options=("--pid", str(process.pid), "--target", "span:request", "--speedups", "0,50",
                                            "--seconds", "5"))
                check(any(row[4] > SLOW_NS for row in found.get("request", [])), found)
        finally:
            process.kill()


def line_of(text):
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "accuracy", "tail.c")
    with open(source) as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


if __name__ == "__main__":
    main()
