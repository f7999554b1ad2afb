#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""overhead - what profiling costs the program: bare, sampled, and with experiments, in turn.

    bench/overhead.py [--lever build/lever] [--rounds 5] [--case spin|zstd|pbzip2|all]

Every round runs the program bare, under `lever run --speedups 0` (sampling alone), and with
experiments on, in random order, so that all three see the same machine. `sampling` is the slowdown
of the second against the first of the same round (median over rounds). `effective` is the same for
the third after the inserted pauses have been taken off its wall time: what the experiments
themselves change about the program's speed. Needs root; look at `uptime` first.
"""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def spin_case(work):
    program = os.path.join(work, "spin")
    source = os.path.join(HERE, "spin.c")
    subprocess.run(["gcc", "-O2", "-g", "-I", os.path.join(HERE, "..", "include"), source, "-o", program, "-lpthread"], check=True)
    return [program, "2", "3000"], []


def big_file(work, megabytes=256):
    """Half text-like, half noise: what a compressor meets in practice."""
    path = os.path.join(work, "data")
    generator = random.Random(1)
    words = [bytes(generator.randrange(97, 123) for _ in range(generator.randrange(2, 10))) for _ in range(4000)]
    with open(path, "wb") as out:
        while out.tell() < megabytes << 20:
            out.write(b" ".join(generator.choices(words, k=20000)))
            out.write(generator.randbytes(40000))
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
    """(wall seconds of the program, seconds of pauses that were inserted into it)"""
    profile = os.path.join(work, "profile.lever")
    done = subprocess.run([lever, "run", "--quiet", "--fresh", "-o", profile, *options, "--", *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 3):
        sys.exit("lever ended with %d: %s" % (done.returncode, done.stderr))
    report = json.loads(subprocess.run([lever, "report", profile, "--format", "json"], check=True, capture_output=True, text=True).stdout)
    return report["program"]["wall_ns"] / 1e9, report["program"]["delay_ns"] / 1e9


def measure(lever, name, rounds):
    with tempfile.TemporaryDirectory() as work:
        command, points = CASES[name](work)
        bare(command)  # warms the page cache
        sampling, effective, walls = [], [], []
        for _ in range(rounds):
            times = {}
            for kind in random.sample(["bare", "sampled", "on"], 3):
                if kind == "bare":
                    times[kind] = bare(command)
                elif kind == "sampled":
                    times[kind] = profiled(lever, work, command, [*points, "--speedups", "0"])[0]
                else:
                    wall, delay = profiled(lever, work, command, points)
                    times[kind] = wall - delay
                    walls.append(wall)
            sampling.append(times["sampled"] / times["bare"] - 1)
            effective.append(times["on"] / times["bare"] - 1)
            print("%-7s bare %.3f s  sampled %+.1f %%  effective with experiments %+.1f %%" % (
                name, times["bare"], 100 * sampling[-1], 100 * effective[-1]), flush=True)
        print("%-7s median of %d rounds: sampling %+.1f %%, effective speed with experiments %+.1f %%" % (
            name, rounds, 100 * statistics.median(sampling), -100 * statistics.median(effective)), flush=True)


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
