#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""safety - a lever that is killed leaves nothing behind, pauses keep below a bound, and the kernel's log has no warnings."""
import contextlib
import os
import random
import sqlite3
import subprocess

import engine_probe
from kernel import LEVER, RAN, check, equal, folder, lever, main, program, report, test

KILLS = 12  # bench/safety.py does it 50 times


@test("a lever killed by -9 at any moment leaves no BPF program and so no pause behind")
def _():
    before, seen = len(engine_probe.complaints()), 0
    with subprocess.Popen([program("exits"), "plain", "10000000"], stdin=subprocess.DEVNULL) as work:
        try:
            with folder() as place:
                for number in range(KILLS):
                    output = os.path.join(place, f"{number}.lever")
                    whom = ["--system"] if number % 2 else ["--pid", str(work.pid)]
                    programs = engine_probe.kill_at(
                        [LEVER, "run", "-q", "-o", output, *whom, "--speedups", "0,100"], random.uniform(0.05, 2.5))
                    seen += bool(programs)
                    equal(engine_probe.still_loaded(programs), set(), f"after kill {number}")
            equal(work.poll(), None, "the program has ended")
        finally:
            work.kill()
    check(seen > KILLS / 2, f"only {seen} levers were killed while they were at work")
    equal(engine_probe.complaints()[before:], [])


@test("a profile that was killed while the whole machine was measured can be read")
def _():
    with subprocess.Popen([program("exits"), "plain", "10000000"], stdin=subprocess.DEVNULL) as work:
        try:
            with folder() as place:
                output = os.path.join(place, "test.lever")
                engine_probe.kill_at([LEVER, "run", "-q", "-o", output, "--system"], 4)
                report(output)
        finally:
            work.kill()


@test("real-time tasks of the program are paused, and the kernel does not complain")
def _():
    before = len(engine_probe.complaints())
    with folder() as place:
        output = os.path.join(place, "test.lever")
        said = lever("run", "-q", "-o", output, "--speedups", "0,100", "--seconds", "3", "--",
                     "chrt", "-f", "5", program("exits"), "threads", "30000")
        check(said.returncode in RAN, said.stderr)
        equal(report(output)["sampling"]["lost"], 0)
    equal(engine_probe.complaints()[before:], [])


@test("--max-slowdown spaces experiments so that pauses keep below it")
def _():
    for engine in ("kernel", "runtime"):
        with folder() as place:
            output = os.path.join(place, "test.lever")
            said = lever("run", "-q", "-o", output, "-e", engine, "--target", "unit", "--speedups", "0,50",
                         "--max-slowdown", "10%", "--seconds", "6", "--then-stop", "--",
                         program("exits"), "plain", "10000000")
            check(said.returncode in RAN, said.stderr)
            with contextlib.closing(sqlite3.connect(output)) as profile:
                wall, = profile.execute("select wall_ns from run").fetchone()
                experiments, delay = profile.execute("select count(*), sum(delay_ns) from experiment").fetchone()
        told = f"{engine}: {experiments} experiments, {delay} of {wall} ns"
        check(experiments > 3, told)
        check(0.02 < delay / (wall - delay) < 0.1, told)


main()
