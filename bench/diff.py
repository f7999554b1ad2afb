#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""diff - false alarms and missed changes of `lever diff`, beside hyperfine's and benchstat's tests, at equal time.

    bench/diff.py record FILE SECONDS -- COMMAND...     stores the run times of COMMAND, run again and again
    bench/diff.py table SECONDS FILE...                 resamples them: build/bench/bench-diff-series

The truth is known: all runs of a file are of one program. Windows of SECONDS of runs, half overlapping, are given to each
tool as if they were runs of A and of B, whose times are multiplied by 1, 1.01 or 1.02.

  lever       in the order that it draws (src/analyze/diff/run_pairs.h)
  hyperfine   all runs of A, then all of B; Welch's t test, as its scripts/welch_ttest.py
  benchstat   all runs of A, then all of B; the Mann-Whitney U test at 5 %, as its documentation says
  in turn     the same test, with runs A B A B

A figure is the share of windows in which the tool calls a change (for lever with the seconds that it used).
"""
import json
import math
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SERIES = os.path.join(HERE, "..", "build", "bench", "bench-diff-series")
RATIOS = (1, 1.01, 1.02)
SEEDS = 8


def record(path, seconds, command):
    null, times, end = os.open("/dev/null", os.O_RDWR), [], time.monotonic() + seconds
    actions = [(os.POSIX_SPAWN_DUP2, null, 0), (os.POSIX_SPAWN_DUP2, null, 1)]
    while time.monotonic() < end:
        start = time.monotonic_ns()
        os.waitpid(os.posix_spawnp(command[0], command, os.environ, file_actions=actions), 0)
        times.append(time.monotonic_ns() - start)
    with open(path, "w", encoding="ascii") as file:
        json.dump(times, file)
    print(f"{len(times)} runs, median {statistics.median(times) / 1e6:.2f} ms")


def windows(times, seconds):
    first = 0
    while True:
        total, end = 0, first
        while end < len(times) and total < seconds * 1e9:
            total += times[end]
            end += 1
        if total < seconds * 1e9:
            return
        yield times[first:end]
        first = (first + end) // 2


def normal_tail(value):
    return math.erfc(abs(value) / math.sqrt(2))


def student_tail(value, freedom):
    """Two-sided; Hill's normal approximation (CACM 395), right to 1e-4 from 5 degrees of freedom on."""
    a, b = freedom - 0.5, 48 * (freedom - 0.5) ** 2
    y = math.sqrt(a * math.log(1 + value * value / freedom))
    return normal_tail(y + (y ** 3 + 3 * y) / b)


def welch(before, after):
    variances = [statistics.variance(side) / len(side) for side in (before, after)]
    error = math.sqrt(sum(variances))
    if not error:
        return 1
    freedom = sum(variances) ** 2 / sum(v * v / (len(s) - 1) for v, s in zip(variances, (before, after)))
    return student_tail((statistics.mean(after) - statistics.mean(before)) / error, freedom)


def mann_whitney(before, after):
    merged = sorted([(value, 0) for value in before] + [(value, 1) for value in after])
    ranks, i = 0, 0
    while i < len(merged):
        j = i
        while j < len(merged) and merged[j][0] == merged[i][0]:
            j += 1
        ranks += (i + j + 1) / 2 * sum(side for _, side in merged[i:j])
        i = j
    n, m = len(before), len(after)
    u = ranks - m * (m + 1) / 2
    return normal_tail((u - n * m / 2) / math.sqrt(n * m * (n + m + 1) / 12))


def in_blocks(times, seconds, ratio, test):
    calls = []
    for window in windows(times, seconds):
        half = len(window) // 2
        calls.append(test(window[:half], [value * ratio for value in window[half:]]) < 0.05)
    return calls


def in_turn(times, seconds, ratio, test):
    return [test(window[0::2], [value * ratio for value in window[1::2]]) < 0.05 for window in windows(times, seconds)]


def by_lever(times, seconds, ratio):
    text, calls, used, held = "\n".join(map(str, times)), [], [], []
    for seed in range(1, SEEDS + 1):
        out = subprocess.run([SERIES, str(seconds), str(ratio), str(seed * 1000)], input=text, stdout=subprocess.PIPE, text=True,
                             check=True).stdout
        for line in out.splitlines():
            verdict, _, low, high, _, _, spent = line.split()
            calls.append(verdict in ("slower", "faster"))
            held.append(float(low) <= ratio <= float(high))
            used.append(float(spent))
    return calls, held, used


def table(seconds, paths):
    print(f"| program | windows of {seconds:g} s | B / A | lever | its interval holds it | seconds used | hyperfine (Welch) | benchstat (U) | U, in turn |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
    for path in paths:
        with open(path, encoding="ascii") as file:
            times = json.load(file)
        for ratio in RATIOS:
            calls, held, used = by_lever(times, seconds, ratio)
            others = [statistics.mean(in_blocks(times, seconds, ratio, test)) for test in (welch, mann_whitney)]
            others.append(statistics.mean(in_turn(times, seconds, ratio, mann_whitney)))
            name = os.path.splitext(os.path.basename(path))[0]
            print(f"| {name}, {statistics.median(times) / 1e6:.0f} ms | {len(calls) // SEEDS} | {ratio} | {statistics.mean(calls):.2f} | "
                  f"{statistics.mean(held):.2f} | {statistics.mean(used):.1f} | {others[0]:.2f} | {others[1]:.2f} | {others[2]:.2f} |", flush=True)


if len(sys.argv) > 4 and sys.argv[1] == "record" and sys.argv[4] == "--":
    record(sys.argv[2], float(sys.argv[3]), sys.argv[5:])
elif len(sys.argv) > 3 and sys.argv[1] == "table":
    table(float(sys.argv[2]), sys.argv[3:])
else:
    sys.exit(__doc__)
