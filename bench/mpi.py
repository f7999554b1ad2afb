#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""mpi - compares a prediction for a parallel program, an integer sort, with a run with more buckets.

    bench/mpi.py [--lever build/lever] [--program build/examples/integer_sort] [--buckets 1024] [--rounds 7]

Two ranks sort with as few buckets as there are ranks, and with --buckets, in turn. More buckets make
counting the keys faster by some share, which the program measures itself, and filling the buckets
slower. `lever run -- mpirun -n 2 integer_sort` predicts the gain of a round if count_keys were faster by
that share; the truth is the measured decrease of a round, corrected for the slower filling. Both are
printed (SCOZ, section 4.3). Needs root, Open MPI and two cores; check `uptime` first.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2"]


def sort(options, buckets, seconds):
    said = subprocess.run([*MPIRUN, options.program, "-b", str(buckets), "-t", str(seconds)],
                          capture_output=True, text=True, check=True).stdout
    return {name: float(value) for name, value in re.findall(r"(\w+)_ms=([\d.]+)", said)}


def predict(options, percent):
    with tempfile.TemporaryDirectory() as place:
        output = os.path.join(place, "mpi.lever")
        subprocess.run([options.lever, "run", "-q", "-o", output, "--granularity", "function", "--target", "count_keys",
                        "--speedups", f"0,{percent}", "--seconds", str(options.seconds), "--", *MPIRUN, options.program,
                        "-b", "2", "-t", str(options.seconds + 2)], stdout=subprocess.DEVNULL, check=True)
        report = json.loads(subprocess.run([options.lever, "report", output, "--format", "json"],
                                           capture_output=True, text=True, check=True).stdout)
    objects = {target["object"] for target in report["targets"]}
    target, = [one for one in report["targets"] if one["name"] == "count_keys"]
    return target["effects"][0]["points"][0], target["share"], objects


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default=os.path.join(HERE, "..", "build", "lever"))
    parser.add_argument("--program", default=os.path.join(HERE, "..", "build", "examples", "integer_sort"))
    parser.add_argument("--buckets", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    faster, truths, rounds = [], [], []
    for _ in range(options.rounds):
        few, many, again = (sort(options, buckets, 1) for buckets in (2, options.buckets, 2))
        before = {name: (few[name] + again[name]) / 2 for name in few}
        faster.append(1 - many["counting"] / before["counting"])
        rounds.append(before["round"])
        truths.append((before["round"] - (many["round"] - (many["filling"] - before["filling"]))) / before["round"])
    cut, truth = statistics.median(faster), statistics.median(truths)
    point, share, objects = predict(options, round(100 * cut))
    error = 100 * (point["program_speedup"] - truth)
    print("a round takes %.2f ms (%.2f to %.2f), of it counting %.2f; with %d buckets counting is %.0f %% faster" % (
        statistics.median(rounds), min(rounds), max(rounds), before["counting"], options.buckets, 100 * cut))
    print("truth %+.1f %% (%.1f to %.1f)  predicted %+.1f %% [%.1f, %.1f]  error %+.1f points; count_keys has %.1f %% of samples" % (
        100 * truth, 100 * min(truths), 100 * max(truths), 100 * point["program_speedup"], 100 * point["low"], 100 * point["high"], error, 100 * share))
    print("sampled: " + ", ".join(sorted(os.path.basename(name) for name in objects)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
