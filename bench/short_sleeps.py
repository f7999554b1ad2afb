#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""short_sleeps - does `lever record` sample all of the CPU time of a program that sleeps briefly and often?

    bench/short_sleeps.py [--lever build/lever ...] [--seconds 4]

Prints for pairs of work and sleep in microseconds by how much the samples' CPU time differs from the
program's own, for each lever in turn. Needs root.
"""
import argparse
import json
import os
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CASES = ((267, 200), (200, 150), (300, 300), (150, 100), (120, 80), (700, 250))


def missed(lever, program, case, seconds, folder):
    output = os.path.join(folder, "short_sleeps.lever")
    if os.path.exists(output):
        os.unlink(output)
    words = [str(number) for number in (*case, seconds)]
    ran = subprocess.run([lever, "record", "--quiet", "--output", output, "--", program, *words], check=True, capture_output=True, text=True)
    told = json.loads(subprocess.run([lever, "report", output, "--format", "json"], check=True, capture_output=True, text=True).stdout)
    sampled = sum(entry["weight_ns"] for entry in told["entries"] if entry["class"] == "cpu")
    return 100 * (sampled / int(ran.stdout) - 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lever", nargs="+", default=[os.path.join(ROOT, "build", "lever")])
    parser.add_argument("--seconds", type=int, default=4)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "short_sleeps")
        subprocess.run(["gcc", "-O2", os.path.join(ROOT, "tests", "kernel", "programs", "short_sleeps.c"), "-o", program], check=True)
        for case in CASES:
            figures = [f"{missed(lever, program, case, options.seconds, folder):+6.1f} %" for lever in options.lever]
            print(f"{case[0]:4} us of work, {case[1]:3} us of sleep: {'  '.join(figures)}", flush=True)


main()
