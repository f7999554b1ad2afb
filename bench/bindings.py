#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""bindings - ns that a progress point of lever.py adds to a loop, with and without a listener.

Usage: bench/bindings.py [BUILD]. The median of 15 rounds; each times the empty loop, too. C: bench/points.c.
"""
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build"))
PROGRAM = """
import statistics, sys, time, lever
assert not lever.missing, lever.missing
def timed(function, rounds=200000):
    begun = time.perf_counter_ns()
    for _ in range(rounds):
        function("bench")
    return (time.perf_counter_ns() - begun) / rounds
added = [timed(lever.progress) - timed(lambda name: None) for _ in range(15)]
print(statistics.median(added))
"""
for listening in (0, 1):
    environment = {**os.environ, "LEVER_LISTEN": str(listening), "PYTHONPATH": os.path.join(ROOT, "bindings", "python"),
                   "LEVER_LIBRARY": os.path.join(BUILD, "src", "runtime", "liblever.so")}
    said = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    print(f"Python, {'listening' if listening else 'no listener'}: {float(said.stdout):.0f} ns added by lever.progress, to an empty call")
