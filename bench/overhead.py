#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""overhead - what profiling costs the program: bare, sampled, and with experiments, in turn.

    bench/overhead.py [--lever build/lever] [--rounds 5] [--case spin|zstd|pbzip2|all]

Every round runs the program bare, under `lever run --speedups 0` (sampling alone), and with
experiments on, in random order, so that all three see the same machine. Figures are medians over
the rounds, each against the bare run of its own round:

  sampling    how much longer the program runs when it is only sampled;
  effective   with experiments on, how much longer it runs when the pauses that were inserted into
              it have been taken off. Those are not the growth of the global delay: a thread that
              runs the target does not pause for it. All cases keep THREADS threads busy, so each
              paused for the growth less its part of the target's virtual speedup.

spin is two CPU-bound threads; zstd and pbzip2 are those of Debian, on 256 MB and 200 MB that are
half text-like. Needs root; look at `uptime` first.
"""
import argparse
import json
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing

THREADS = 2
HERE = os.path.dirname(os.path.abspath(__file__))


def spin_case(work):
    program = os.path.join(work, "spin")
    source = os.path.join(HERE, "spin.c")
    subprocess.run(["gcc", "-O2", "-g", "-I", os.path.join(HERE, "..", "include"), source, "-o", program, "-lpthread"], check=True)
    return [program, str(THREADS), "3000"], []


def big_file(work, megabytes=256):
    """Half text-like, half noise: what a compressor meets in practice. The same in each run."""
    path = os.path.join(work, "data")
    generator = random.Random(1)
    words = [bytes(generator.randrange(97, 123) for _ in range(generator.randrange(2, 10))) for _ in range(4000)]
    # Repeated from further back than the compressors look.
    stretch = b"".join(b" ".join(generator.choices(words, k=20000)) + generator.randbytes(130000) for _ in range(128))
    with open(path, "wb") as out:
        for left in range(megabytes << 20, 0, -len(stretch)):
            out.write(stretch[:left])
    return path


def zstd_case(work):
    return ["zstd", "-T2", "-6", "-q", "-f", big_file(work), "-o", os.path.join(work, "out")], ["--progress", "tracepoint:syscalls:sys_enter_write"]


def pbzip2_case(work):
    return ["pbzip2", "-p2", "-k", "-f", big_file(work, 200)], ["--progress", "tracepoint:syscalls:sys_enter_write"]


CASES = {"spin": spin_case, "zstd": zstd_case, "pbzip2": pbzip2_case}


def bare(command):
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start


def profiled(lever, work, command, options):
    """(wall seconds of the program, path of its profile)"""
    profile = os.path.join(work, "profile.lever")
    done = subprocess.run([lever, "run", "--quiet", "--fresh", "-o", profile, *options, "--", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 3):
        sys.exit("lever ended with %d: %s" % (done.returncode, done.stderr))
    report = json.loads(subprocess.run([lever, "report", profile, "--format", "json"], check=True, capture_output=True, text=True).stdout)
    return report["program"]["wall_ns"] / 1e9, profile


def paused_seconds(profile):
    """How long each of the program's threads was paused, on average."""
    with closing(sqlite3.connect(profile)) as opened:
        in_windows, paused = opened.execute(
            "SELECT sum(delay_ns), sum(delay_ns - speedup * target_ns / ?) FROM experiment", (THREADS,)).fetchone()
        (whole,) = opened.execute("SELECT delay_ns FROM run").fetchone()
    # The global delay also grows a little before and after windows, which have no rows.
    return paused * whole / in_windows / 1e9 if in_windows else 0


def one_round(lever, work, command, points):
    """(bare seconds, cost of sampling, cost of experiments without their pauses)"""
    for kind in random.sample(["bare", "sampled", "on"], 3):
        if kind == "bare":
            seconds = bare(command)
        elif kind == "sampled":
            sampled, _ = profiled(lever, work, command, [*points, "--speedups", "0"])
        else:
            wall, profile = profiled(lever, work, command, points)
            effective = wall - paused_seconds(profile)
    return seconds, sampled / seconds - 1, effective / seconds - 1


def measure(lever, name, rounds):
    with tempfile.TemporaryDirectory() as work:
        command, points = CASES[name](work)
        bare(command)  # warms the page cache
        results = []
        for _ in range(rounds):
            results.append(one_round(lever, work, command, points))
            print("%-7s bare %.3f s   sampling %+.1f %%   experiments without their pauses %+.1f %%" % (
                name, results[-1][0], 100 * results[-1][1], 100 * results[-1][2]), flush=True)
        _, sampling, effective = (statistics.median(column) for column in zip(*results))
        print("%-7s median of %d rounds: sampling %+.1f %%, experiments without their pauses %+.1f %%" % (
            name, rounds, 100 * sampling, 100 * effective), flush=True)


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
