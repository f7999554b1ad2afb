#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""diff - false alarms and missed changes of `lever diff`, beside hyperfine's and benchstat's tests, at equal time.

    bench/diff.py record FILE SECONDS -- COMMAND...     stores the run times of COMMAND, run again and again
    bench/diff.py table SECONDS FILE...                 resamples them: build/bench/bench-diff-series
    bench/diff.py long SECONDS RATIO COUNT FILE...      the same for series longer than the stored ones
    bench/diff.py live SECONDS RATIO COUNT [TOOL...]    runs the tools themselves, COUNT times, with SECONDS of runs a side

The truth is known: all runs of a file are of one program. Windows of SECONDS of runs, half overlapping, are given to each
tool as if they were runs of A and of B, whose times are multiplied by 1, 1.01 or 1.02.

  lever       in the order that it draws (src/analyze/diff/run_pairs.h)
  hyperfine   all runs of A, then all of B; Welch's t test, as its scripts/welch_ttest.py
  benchstat   all runs of A, then all of B; the Mann-Whitney U test at 5 %, as its documentation says
  in turn     the same test, with runs A B A B

`long` draws COUNT series from pieces of 10 s of FILE, so drift within a piece is kept, and gives SECONDS of each to lever.

A figure is the share of windows in which the tool calls a change (for lever with the seconds that it used).

`live` compares a program of LOOPS loops, some 5 ms, with itself (RATIO 1) or with one of RATIO times as many. TOOL is lever,
hyperfine (with Welch's test of the times that it exports) or benchstat (by the same times); all of them.
"""
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SERIES = os.path.join(HERE, "..", "build", "bench", "bench-diff-series")
LEVER = os.path.join(HERE, "..", "build", "lever")
BENCHSTAT = shutil.which("benchstat")
RATIOS = (1, 1.01, 1.02)
SEEDS = 8
PIECE_SECONDS = 10


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


def pieces(times, seconds):
    found, total = [[]], 0
    for value in times:
        found[-1].append(value)
        total += value
        if total >= seconds * 1e9:
            found.append([])
            total = 0
    return found[:-1]


def long(seconds, ratio, count, paths):
    for path in paths:
        with open(path, encoding="ascii") as file:
            times = json.load(file)
        stored, draw = pieces(times, PIECE_SECONDS), random.Random(1)
        called, held, used = [], [], []
        for turn in range(count):
            drawn = []
            while sum(drawn) < seconds * 1.02e9:
                drawn += draw.choice(stored)
            out = subprocess.run([SERIES, str(seconds), str(ratio), str(1 + turn)], input="\n".join(map(str, drawn)),
                                 stdout=subprocess.PIPE, text=True, check=True).stdout
            verdict, _, low, high, _, _, spent = out.splitlines()[0].split()
            called.append(verdict in ("slower", "faster"))
            held.append(float(low) <= ratio <= float(high))
            used.append(float(spent))
        print(f"{path}: {len(stored)} pieces, ratio {ratio}, {sum(called)} of {count} called, {sum(held)} intervals hold it, "
              f"{statistics.mean(used) / 2:.1f} s a side", flush=True)


PROGRAM = """#include <stdlib.h>
int main(int count, char **arguments)
{
	unsigned long value = count;
	for (long left = atol(arguments[1]); left > 0; left--) {
		value = value * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(value));
	}
	return 0;
}
"""
LOOPS = 4000000


def live_lever(commands, seconds, turn, _):
    begin = time.monotonic()
    out = subprocess.run([LEVER, "diff", "-q", "--seed", str(1 + turn), "--seconds", str(seconds), "--format", "json", "--pair", *commands],
                         stdout=subprocess.PIPE, check=False).stdout
    told = json.loads(out)
    return {"lever": told["verdict"] in ("slower", "faster"), "holds": (told["low"] or 0, told["high"] or math.inf),
            "seconds": (time.monotonic() - begin) / 2}


def live_others(commands, seconds, _, folder):
    """Both by one run of hyperfine, as benchstat reads times that others have measured."""
    exported, bench = os.path.join(folder, "times.json"), os.path.join(folder, "times.txt")
    one = time.monotonic()
    subprocess.run(commands[0].split(), check=True)
    runs = max(10, int(seconds / (time.monotonic() - one)))
    subprocess.run(["hyperfine", "-N", "--style", "none", "--runs", str(runs), "--export-json", exported, *commands], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(exported, encoding="utf-8") as file:
        times = [result["times"] for result in json.load(file)["results"]]
    calls = {"hyperfine": welch(*times) < 0.05}
    if BENCHSTAT:
        for side, name in enumerate(("a", "b")):
            with open(bench + name, "w", encoding="ascii") as file:
                file.writelines(f"BenchmarkRun 1 {value * 1e9:.0f} ns/op\n" for value in times[side])
        said = subprocess.run([BENCHSTAT, bench + "a", bench + "b"], stdout=subprocess.PIPE, text=True, check=True).stdout
        calls["benchstat"] = "~" not in said
    return calls


def live(seconds, ratio, count, tools):
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "work.c"), os.path.join(folder, "work")
        with open(source, "w", encoding="ascii") as file:
            file.write(PROGRAM)
        subprocess.run(["cc", "-O2", source, "-o", program], check=True)
        commands = [f"{program} {LOOPS}", f"{program} {round(LOOPS * ratio)}"]
        called, held, used = {}, 0, 0
        for turn in range(count):
            for run in (live_lever, live_others):
                if tools and (run is live_lever) != ("lever" in tools) and len(tools) == 1:
                    continue
                calls = run(commands, seconds, turn, folder)
                low, high = calls.pop("holds", (0, 0))
                held += low <= ratio <= high
                used += calls.pop("seconds", 0)
                for tool, is_called in calls.items():
                    called[tool] = called.get(tool, 0) + is_called
    for tool, calls in called.items():
        more = f", {held} intervals hold it, {used / count:.2f} s a side" if tool == "lever" else ""
        print(f"{tool}: ratio {ratio}, {calls} of {count} called{more}", flush=True)


if len(sys.argv) > 4 and sys.argv[1] == "record" and sys.argv[4] == "--":
    record(sys.argv[2], float(sys.argv[3]), sys.argv[5:])
elif len(sys.argv) > 3 and sys.argv[1] == "table":
    table(float(sys.argv[2]), sys.argv[3:])
elif len(sys.argv) > 5 and sys.argv[1] == "long":
    long(float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5:])
elif len(sys.argv) > 4 and sys.argv[1] == "live":
    live(float(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]), sys.argv[5:])
else:
    sys.exit(__doc__)
