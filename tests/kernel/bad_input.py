#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""bad_input - runs that do not support an answer say why, and what would; the profile is kept.

Usage: bad_input.py LEVER PROGRAMS
"""
import contextlib
import os
import sqlite3
import subprocess

from kernel import check, equal, folder, lever, main, program, test


# Of each target in its controls, with the CPU time of a visit (ms), by second: for messages.
SHARES = """
SELECT target.name, (start_ns - (SELECT min(start_ns) FROM experiment)) / 1000000000 AS second,
  round(sum(target_ns) * 1.0 / sum(sampled_ns), 2), round(sum(sampled_ns) / sum(visits) / 1e6, 3)
FROM experiment JOIN target ON target.id = target_id JOIN visit ON experiment_id = experiment.id
WHERE speedup = 0 GROUP BY 1, 2
"""


def told_of(*words, seconds=30, options=()):
    """Exit code and messages of a run, and the report of its profile."""
    with folder() as place:
        profile = os.path.join(place, "x.lever")
        ran = lever("run", "--fresh", "-o", profile, "--seconds", str(seconds), *options, "--", program("units_change"), *words)
        check(os.path.exists(profile), "no profile is kept")
        reported = lever("report", "-v", profile)
        equal(reported.returncode, 0, reported.stderr)
        with sqlite3.connect(profile) as file:
            marks = file.execute("SELECT count(*) FROM mark").fetchone()[0]
            shares = file.execute(SHARES).fetchall()
        return ran, " ".join(reported.stdout.split()) + f"\nshares by second: {shares}", marks


@test("a run without an answer is one sentence with --quiet, too")
def _():
    with folder() as place:
        path = os.path.join(place, "none.lever")
        said = lever("run", "--quiet", "-o", path, "--", "true")
        equal((said.returncode, said.stdout, said.stderr), (3, "", f"lever: no answer; lever report {path} tells why\n"))


@test("too short a run has no answer, and asks for more work")
def _():
    ran, report, _ = told_of("0.1", "5")
    equal(ran.returncode, 3, ran.stderr)
    check("No answer" in report, report)
    check("Give it more work" in report or "Run it longer" in report, report)  # a window began, or none


@test("too few units have no answer: how many came, and how long a run must be")
def _():
    ran, report, _ = told_of("9", "2500", seconds=8, options=("--progress", "units"))
    equal(ran.returncode, 3, ran.stderr)
    check("No answer" in report and "an answer takes about 60" in report, report)


@test("a program that changes its phase is told, with what to do")
def _():
    ran, report, marks = told_of("14", "1", "phase")
    equal(ran.returncode, 0, ran.stderr)
    check("the program changed its phase: a visit of units took" in report, report)
    check("--after" in report, report)
    check(marks > 100, marks)


@contextlib.contextmanager
def others_take_the_cores():
    """Programs that have precedence, two on each core."""
    others = [subprocess.Popen(["nice", "-n", "-10", "sh", "-c", "while :; do :; done"]) for _ in range(2 * os.cpu_count())]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


@test("where others take nearly all of the cores nothing is told of the program but that")
def _():
    with others_take_the_cores():
        ran, report, _ = told_of("12", "1", seconds=10, options=("--progress", "units"))
    equal(ran.returncode, 3, report + ran.stderr)
    check("other programs took the CPU" in report, report)


@test("cores that change their speed are told from phases")
def _():
    for _ in range(3):  # other programs may take most of a core meanwhile
        _, report, _ = told_of("14", "1", "clock")
        if "the cores changed their speed" in report:
            break
    check("the cores changed their speed" in report and "cpupower" in report, report)


@test("a steady program is told neither, and where the width of its interval comes from")
def _():
    ran, report, _ = told_of("10", "1")
    equal(ran.returncode, 0, ran.stderr)
    check("changed" not in report, report)
    check("Its variance: " in report and "Narrower by: " in report, report)


@test("units of 100 ms have answers after 12 s")
def _():
    ran, report, _ = told_of("13", "100", seconds=12)
    equal(ran.returncode, 0, report + ran.stderr)


main()
