#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""record - what `lever record` costs the program, beside perf, in turn.

    bench/record.py [--lever build/lever] [--rounds 5] [--case spin|switches|writes|sqlite|all]

Every round runs the program bare, under `lever record`, and under `perf record -e sched:sched_switch
-g` and `-e task-clock -g` at the same period, in random order, so that all see the same machine.
Figures are medians over the rounds of how much longer the program's own time became, each against the
bare run of its round (the time is taken inside, after the profiler's start).

spin is two CPU-bound threads; switches two threads on one core that wake each other by futex; writes
small writes with an fsync each; sqlite inserts with a transaction each. Needs root; look at `uptime`
first.
"""
import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TIMED = os.path.join(HERE, "timed.py")
INSERTS = """import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("CREATE TABLE row (number INTEGER PRIMARY KEY, text TEXT)")
for number in range(int(sys.argv[2])):
    database.execute("INSERT INTO row VALUES (?, ?)", (number, "x" * 100))
"""


def compiled(work, name):
    program = os.path.join(work, name)
    subprocess.run(["gcc", "-O2", "-g", "-D_GNU_SOURCE", "-I", os.path.join(HERE, "..", "include"), os.path.join(HERE, name + ".c"), "-o", program, "-lpthread"], check=True)
    return program


def command_of(case, work):
    if case == "spin":
        return [compiled(work, "spin"), "2", "2000"]
    if case == "switches":
        return [compiled(work, "switches"), "400000"]
    if case == "writes":
        return [compiled(work, "writes"), "3000", os.path.join(work, "data")]
    return [sys.executable, "-c", INSERTS, os.path.join(work, "database"), "1500"]


def tools(lever, work):
    out = os.path.join(work, "out")
    return {
        "bare": [],
        "lever record": [lever, "record", "--quiet", "--fresh", "-o", out, "--"],
        "perf sched_switch": ["perf", "record", "-q", "-e", "sched:sched_switch", "-g", "-o", out, "--"],
        "perf task-clock": ["perf", "record", "-q", "-e", "task-clock", "-c", "1000000", "-g", "-o", out, "--"],
    }


def seconds(prefix, command, work):
    """How long the command itself took, without the profiler's start and end."""
    stamp = os.path.join(work, "seconds")
    for left in ("data", "database", "database-journal", "out"):
        if os.path.exists(os.path.join(work, left)):
            os.unlink(os.path.join(work, left))
    subprocess.run([*prefix, sys.executable, TIMED, stamp, *command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(stamp) as file:
        return float(file.read())


def measure(case, lever, rounds):
    with tempfile.TemporaryDirectory(dir="/tmp") as work:
        command = command_of(case, work)
        columns = {name: [] for name in tools(lever, work)}
        seconds([], command, work)
        for _ in range(rounds):
            times = {name: seconds(columns_prefix, command, work) for name, columns_prefix in random.sample(list(tools(lever, work).items()), len(columns))}
            for name, took in times.items():
                columns[name].append(took / times["bare"] - 1)
            print("%-9s bare %.3f s" % (case, times["bare"]), *("  %s %+.1f %%" % (name, 100 * columns[name][-1]) for name in columns if name != "bare"), flush=True)
        print("%-9s median of %d:" % (case, rounds), *("  %s %+.1f %%" % (name, 100 * statistics.median(columns[name])) for name in columns if name != "bare"), flush=True)


def main():
    cases = ["spin", "switches", "writes", "sqlite"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--case", default="all", choices=[*cases, "all"])
    options = parser.parse_args()
    if not shutil.which("perf"):
        sys.exit("perf is not installed")
    print("uptime:", open("/proc/loadavg").read().strip())
    for case in cases if options.case == "all" else [options.case]:
        measure(case, os.path.abspath(options.lever), options.rounds)


main()
