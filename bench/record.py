#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""record - the slowdown by `lever record`, compared with perf.

    bench/record.py [--lever build/lever] [--rounds 5] [--case spin|switches|writes|sqlite|ends|all] [--only-lever]

Each tool (lever record, and perf record -g on sched:sched_switch and on task-clock at the same period)
is compared with the bare program in turns (paired_run.py). Figures are medians over the rounds, with
their range, and the mean with half of its 95 % interval. The speed of a disk differs from round to
round: writes and sqlite need 10 rounds or more.

spin is two CPU-bound threads; switches two threads on one core that wake each other by futex; writes
small writes with an fsync each; sqlite inserts with a transaction each; ends is the time of a
recording of /bin/true. Needs root; check `uptime`
first.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import paired_run

HERE = os.path.dirname(os.path.abspath(__file__))
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


def command_of(case, work, who):
    """Each of the two has files of its own."""
    if case == "spin":
        return [compiled(work, "spin"), "2", "3000"]
    if case == "switches":
        return [compiled(work, "switches"), "1000000"]
    if case == "writes":
        return [compiled(work, "writes"), "6000", os.path.join(work, "data-" + who)]
    return [sys.executable, "-c", INSERTS, os.path.join(work, "database-" + who), "3000"]


def tools(lever, work):
    out = os.path.join(work, "out")
    return {
        "lever record": [lever, "record", "--quiet", "--fresh", "-o", out, "--"],
        "perf sched_switch": ["perf", "record", "-q", "-e", "sched:sched_switch", "-g", "-o", out, "--"],
        "perf task-clock": ["perf", "record", "-q", "-e", "task-clock", "-c", "1000000", "-g", "-o", out, "--"],
    }


def one_round(case, name, lever):
    """(bare seconds, cost of the tool)"""
    with tempfile.TemporaryDirectory(dir="/tmp") as work:
        bare, profiled = paired_run.run_pair(command_of(case, work, "bare"), [*tools(lever, work)[name], *command_of(case, work, "profiled")])
        return bare, profiled / bare - 1


def half_interval(values):
    """Half of the 95 % interval of the mean, by Student's distribution."""
    quantiles = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78, 6: 2.57, 7: 2.45, 8: 2.36, 9: 2.31, 10: 2.26, 12: 2.20, 15: 2.14, 20: 2.09}
    nearest = max((count for count in quantiles if count <= len(values)), default=None)
    return quantiles[nearest] * statistics.stdev(values) / len(values) ** 0.5 if nearest else float("nan")


def measure_ends(lever, rounds, names):
    with tempfile.TemporaryDirectory(dir="/tmp") as work:
        seconds = {name: [] for name in names}
        for name in names * rounds:
            start = time.monotonic()
            code = subprocess.run([*tools(lever, work)[name], "/bin/true"], check=False, stderr=subprocess.DEVNULL).returncode
            if code not in (0, 3):  # 3: it ended before the first sample
                sys.exit(f"record: {name} ended with {code}")
            seconds[name].append(time.monotonic() - start)
    for name, values in seconds.items():
        print("ends      %-18s median of %d: %.3f s (%.3f to %.3f)" % (name, rounds, statistics.median(values), min(values), max(values)), flush=True)


def measure(case, lever, rounds, names):
    for name in names:
        results = [one_round(case, name, lever) for _ in range(rounds)]
        bare, costs = zip(*results)
        print("%-9s %-18s median of %d: %+.1f %% (%+.1f to %+.1f), mean %+.1f +- %.1f %%, bare %.2f s" % (
            case, name, rounds, 100 * statistics.median(costs), 100 * min(costs), 100 * max(costs),
            100 * statistics.mean(costs), 100 * half_interval(costs), statistics.median(bare)), flush=True)


def main():
    cases = ["spin", "switches", "writes", "sqlite", "ends"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--case", default="all", choices=[*cases, "all"])
    parser.add_argument("--only-lever", action="store_true", help="leave perf out")
    options = parser.parse_args()
    names = ["lever record"] if options.only_lever else list(tools("", ""))
    if not options.only_lever and not shutil.which("perf"):
        sys.exit("perf is not installed")
    print("uptime:", open("/proc/loadavg").read().strip())
    for case in cases if options.case == "all" else [options.case]:
        if case == "ends":
            measure_ends(os.path.abspath(options.lever), options.rounds, names)
        else:
            measure(case, os.path.abspath(options.lever), options.rounds, names)


main()
