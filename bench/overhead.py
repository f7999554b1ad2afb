#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""overhead - the slowdown of a program by sampling, and by experiments.

    bench/overhead.py [--lever build/lever] [--rounds 5] [--case spin|zstd|pbzip2|all]

The speed of shared machines changes by tens of percent within seconds, far more than the overhead.
So a bare and a profiled instance alternate: one runs while the other is stopped (SIGSTOP), and they
switch about every 0.1 s until both have ended. Their times while running are compared. Figures are
medians over the rounds, with their range:

  sampling    the slowdown under `lever run --speedups 0` (sampling alone);
  effective   the slowdown with experiments, less the inserted pauses: the time of all cores in
              pauses, divided by THREADS, the number of busy threads in all cases;
  speed       in a separate run with experiments: progress per un-paused CPU time at speedups above
              0, over that at 0.

spin is two CPU-bound threads; zstd and pbzip2 are those of Debian, on 768 MB and 200 MB, half of
it text-like. Needs root; check `uptime` first.
"""
import argparse
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from contextlib import closing

import paired_run

THREADS = 2
HERE = os.path.dirname(os.path.abspath(__file__))


def spin_case(work):
    program = os.path.join(work, "spin")
    source = os.path.join(HERE, "spin.c")
    subprocess.run(["gcc", "-O2", "-g", "-I", os.path.join(HERE, "..", "include"), source, "-o", program, "-lpthread"], check=True)
    return [program, str(THREADS), "6000"], []


def big_file(work, megabytes=256):
    """Half text-like, half noise, as typical input of a compressor. The same in each run."""
    path = os.path.join(work, "data")
    generator = random.Random(1)
    words = [bytes(generator.randrange(97, 123) for _ in range(generator.randrange(2, 10))) for _ in range(4000)]
    # Repeated from further back than the compressors look.
    block = b"".join(b" ".join(generator.choices(words, k=20000)) + generator.randbytes(130000) for _ in range(128))
    with open(path, "wb") as out:
        for left in range(megabytes << 20, 0, -len(block)):
            out.write(block[:left])
    return path


def zstd_case(work):
    return ["zstd", "-T2", "-6", "-q", "-c", big_file(work, 768)], ["--progress", "tracepoint:syscalls:sys_enter_write"]


def pbzip2_case(work):
    return ["pbzip2", "-p2", "-k", "-c", big_file(work, 200)], ["--progress", "tracepoint:syscalls:sys_enter_write"]


CASES = {"spin": spin_case, "zstd": zstd_case, "pbzip2": pbzip2_case}


def compared(lever, work, command, options):
    """(seconds bare, seconds profiled, path of the profile)"""
    profile = os.path.join(work, "profile.lever")
    bare, profiled = paired_run.run_pair(command, [lever, "run", "--quiet", "--fresh", "-o", profile, *options, "--", *command])
    return bare, profiled, profile


def paused_seconds(profile):
    """How long each of the program's threads was paused, on average."""
    with closing(sqlite3.connect(profile)) as opened:
        (paused,) = opened.execute("SELECT paused_ns FROM run").fetchone()
    return paused / THREADS / 1e9


def relative_speed(profile):
    """Progress per sampled, un-paused CPU time: in experiments above a speedup of 0, over those at 0.

    Windows of both kinds alternate within one run, so the machine's moods matter least here.
    """
    with closing(sqlite3.connect(profile)) as opened:
        speeds = dict(opened.execute(
            "SELECT e.speedup > 0, sum(1.0 * v.visits * e.duration_ns / v.duration_ns) / sum(e.sampled_ns) "
            "FROM experiment e JOIN visit v ON v.experiment_id = e.id WHERE e.verdict = 'counted' GROUP BY 1"))
    return speeds[1] / speeds[0]


def one_round(lever, work, command, points):
    """(bare seconds, cost of sampling, cost of experiments without their pauses, relative_speed - 1)"""
    bare, sampled, _ = compared(lever, work, command, [*points, "--speedups", "0"])
    beside, wall, profile = compared(lever, work, command, points)
    effective = (wall - paused_seconds(profile)) / beside - 1
    # Not stopped in between: windows must be whole.
    subprocess.run([lever, "run", "--quiet", "--fresh", "-o", profile, *points, "--", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return bare, sampled / bare - 1, effective, relative_speed(profile) - 1


FIGURES = ("sampling", "experiments without their pauses", "speed in experiments over controls")


def measure(lever, name, rounds):
    with tempfile.TemporaryDirectory() as work:
        command, points = CASES[name](work)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # warms the page cache
        results = []
        for _ in range(rounds):
            results.append(one_round(lever, work, command, points))
            print("%-7s bare %.3f s   %s" % (name, results[-1][0], "   ".join(
                "%s %+.1f %%" % (figure, 100 * value) for figure, value in zip(FIGURES, results[-1][1:]))), flush=True)
        _, *columns = zip(*results)
        print("%-7s median (range) of %d rounds: %s" % (name, rounds, "; ".join("%s %+.1f %% (%+.1f to %+.1f)" % (
            figure, *(100 * value for value in (statistics.median(column), min(column), max(column))))
            for figure, column in zip(FIGURES, columns))), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--case", default="all", choices=[*CASES, "all"])
    options = parser.parse_args()
    print("uptime:", open("/proc/loadavg").read().strip())
    for name in CASES if options.case == "all" else [options.case]:
        if name == "spin" or shutil.which(name):
            measure(os.path.abspath(options.lever), name, options.rounds)
        else:
            print("%-7s skipped: not installed" % name)


main()
