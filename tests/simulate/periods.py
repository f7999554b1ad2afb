#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""periods - errors of predictions by sampling period and by time between hand-overs, simulated.

    tests/simulate/periods.py [--simulate build/tests/simulate/simulate] [--virtual] [--seeds 3]

Each program has two threads on two cores; one of them computes for the given time between two hand-overs. A cell is the
mean absolute error at 25, 50, 75 and 100 % in points, and the worst error.
"""
import argparse
import re
import subprocess
import tempfile

PROGRAMS = {
    "lock": "object 0 0\nthreads 2 compute(%(less)g) lock(0) compute*(%(more)g) unlock(0) visit\n",
    "lock, other": "object 0 0\nthreads 2 compute*(%(less)g) lock(0) compute(%(more)g) unlock(0) visit\n",
    "barrier": "object 0 1\nobject 0 1\nthreads 1 compute*(%(all)g) post(0) wait(1) visit\n"
               "threads 1 compute(%(most)g) post(1) wait(0)\n",
    "turns": "object 0 1\nobject 0 1\nthreads 1 compute*(%(all)g) post(0) wait(1) visit\n"
             "threads 1 wait(0) compute(%(all)g) post(1)\n",
    "queue": "object 0 8\nthreads 1 compute(%(most)g) put(0)\nthreads 1 take(0) compute*(%(all)g) visit\n",
    "queue, spread": "object 0 8\nthreads 1 compute(%(most)g+-20) put(0)\nthreads 1 take(0) compute*(%(all)g+-20) visit\n",
    "alone": "threads 1 compute*(%(less)g) compute(%(more)g) visit\n",
}
TIMES = (40, 100, 200, 400, 800, 2000)
PERIODS = (25, 50, 70, 100, 150, 250, 350, 500, 700)


def errors(options, text, period):
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        output = subprocess.run(
            [options.simulate, "--file", file.name, "--cores", "2", "--engine", "kernel", "--list", "--rounds", "12", "--programs",
             str(options.seeds), "--period", str(period)] + ["--virtual"] * options.virtual,
            check=True, capture_output=True, text=True).stdout
    return [float(told) - float(true) for told, true in re.findall(r"(-?[\d.]+) for[ *] *(-?[\d.]+)", output)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulate", default="build/tests/simulate/simulate")
    parser.add_argument("--virtual", action="store_true")
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    print("%-14s %7s" % ("", "period") + "".join("%14d" % period for period in PERIODS))
    for name, text in PROGRAMS.items():
        for time in TIMES:
            lengths = {"all": time, "most": 0.8 * time, "less": 0.375 * time, "more": 0.625 * time}
            row = "%-14s %4d us" % (name, time)
            for period in PERIODS:
                found = errors(options, text % lengths, period)
                row += "  %4.1f (%+5.1f)" % (sum(map(abs, found)) / len(found), max(found, key=abs))
            print(row, flush=True)


main()
