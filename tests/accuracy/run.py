#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""run - compares predictions with the truth, on programs whose truth is known.

    tests/accuracy/run.py [--lever build/lever] [--programs single,lock] [--seconds 20] [--peer coz]

Each case (the .c files here; work.h tells how they are written) is built, profiled with
`lever run --target ... --speedups 0,25,50,75,100`, and each predicted program speedup is set beside
the true one: the case with that share of the target's work really taken away. A row for each point,
then the mean absolute error in percentage points, and how often the 95 % interval holds the truth.

--peer coz asks coz the same, where it can be asked; --most POINTS exits 1 when the mean error is
larger; --json FILE keeps the rows. Look at `uptime` first: nothing else may run.

--smoke POINTS is for tests on machines that are not calm. It fails only if an interval misses the
truth by more than that, twice, and exits 77 where nobody may profile or too much else runs.
"""
import argparse
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import asdict, dataclass

CUTS = [25, 50, 75, 100]
HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-O2", "-g", "-fno-omit-frame-pointer", "-D_GNU_SOURCE"]
COZ_FLAGS = ["-DWORK_FOR_COZ", "-gdwarf-4", "-gstrict-dwarf", "-gno-variable-location-views"]
SKIPPED = 77
DISTURBED_SHARE = 0.05  # of a window's time; a run in which most windows lose that tells nothing
TRUTH_SECONDS, TRUTH_ROUNDS = 0.3, 7


@dataclass
class Target:
    letter: str
    name: str  # for --target: a function, or FILE:LINE
    is_function: bool


@dataclass
class Row:
    program: str
    target: str
    cut: int
    truth: float
    predicted: float | None = None
    low: float | None = None
    high: float | None = None
    experiments: int = 0

    def error(self):
        return abs(self.predicted - self.truth)

    def miss(self):
        """By how much the interval misses the truth; 0 if it holds it."""
        return max(0, self.low - self.truth, self.truth - self.high)

    def text(self):
        row = "%-9s %s %4d %%   truth %6.1f" % (self.program, self.target, self.cut, 100 * self.truth)
        if self.predicted is None:
            return row + "   predicted   none"
        row += "   predicted %6.1f   error %+6.1f" % (100 * self.predicted, 100 * (self.predicted - self.truth))
        if self.low is None:
            return row
        return row + "   interval [%.1f, %.1f]%s   of %d" % (
            100 * self.low, 100 * self.high, " misses" if self.miss() else "", self.experiments)


class Case:
    """One program: its source, what it says about itself, and its builds."""

    def __init__(self, name):
        self.name = name
        self.source = os.path.join(HERE, name + ".c")
        with open(self.source) as file:
            lines = file.read().splitlines()
        formula = next(match for match in map(re.compile(r" \* (period|latency) = (.*)").match, lines) if match)
        self.kind, self.formula = formula.groups()
        self.targets = []
        for number, line in enumerate(lines, 1):
            if match := re.search(r"/\* target ([A-Z]) \*/", line):
                self.targets.append(Target(match.group(1), "%s.c:%d" % (name, number), False))
            elif match := re.search(r"(\w+)\(.*\) /\* function ([A-Z]) \*/", line):
                self.targets.append(Target(match.group(2), match.group(1), True))

    def build(self, folder, flags=()):
        program = os.path.join(folder, self.name)
        include = os.path.join(HERE, "..", "..", "include")
        subprocess.run([os.environ.get("CC", "cc"), *FLAGS, "-I", include, *flags, self.source,
                        "-o", program, "-lpthread", "-ldl"], check=True)
        return program

    def constructed(self, letter, cut):
        def answer(share):
            kept = dict.fromkeys("ABCD", 1) | {letter: share}
            return eval(self.formula, {"__builtins__": {}, "max": max, "min": min}, kept)
        return 1 - answer(1 - cut / 100) / answer(1)

    def truth(self, program, loops):
        """{letter: {cut: program speedup}}"""
        if self.formula == "measured":
            return {target.letter: measured_truth(program, loops, target.letter) for target in self.targets}
        return {target.letter: {cut: self.constructed(target.letter, cut) for cut in CUTS} for target in self.targets}


def period(program, loops, seconds, letter=None, cut=0):
    cutting = ["-" + letter, str(cut)] if letter else []
    said = subprocess.run([program, "-t", str(seconds), "-l", str(loops), *cutting],
                          capture_output=True, text=True, check=True).stdout
    return float(re.search(r"period_ns=([\d.]+)", said).group(1))


def measured_truth(program, loops, letter):
    """Only neighbouring runs compare, since machines drift."""
    ratios = {cut: [] for cut in CUTS}
    for _ in range(TRUTH_ROUNDS):
        for cut in CUTS:
            before = period(program, loops, TRUTH_SECONDS)
            with_cut = period(program, loops, TRUTH_SECONDS, letter, cut)
            after = period(program, loops, TRUTH_SECONDS)
            ratios[cut].append(2 * with_cut / (before + after))
    return {cut: 1 - statistics.median(ratios[cut]) for cut in CUTS}


def loops_per_microsecond(folder):
    """A round of `single` is 1000 microseconds: how many loops make one, at the machine's best."""
    program = Case("single").build(folder)
    return round(1e9 / min(period(program, 1000, 0.2) for _ in range(5)))


class Lever:
    suffix = "lever"
    flags = ()

    def __init__(self, options, work):
        self.lever, self.seconds, self.engine = options.lever, options.seconds, options.engine
        self.profile = os.path.join(work, "profile.lever")

    def can_answer(self, case, target):
        return True

    def predict(self, case, program, target, loops):
        """{cut: (program speedup, low, high, experiments)}"""
        granularity = ["--granularity", "function"] if target.is_function else []
        command = [self.lever, "run", "--quiet", "--fresh", "-o", self.profile, "--engine", self.engine, "--target", target.name, *granularity,
                   "--speedups", ",".join(map(str, [0, *CUTS])), "--seconds", str(self.seconds), "--",
                   program, "-t", str(self.seconds + 0.5), "-l", str(loops)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, 3):
            sys.exit("%s\nended with %d: %s" % (" ".join(command), done.returncode, done.stderr.strip()))
        report = json.loads(subprocess.run([self.lever, "report", self.profile, "--format", "json"],
                                           capture_output=True, text=True, check=True).stdout)
        kind = "latency" if case.kind == "latency" else "throughput"
        return {round(100 * point["speedup"]): (point["program_speedup"], point["low"], point["high"], point["experiments"])
                for found in report["targets"] for effect in found["effects"] if effect["kind"] == kind
                for point in effect["points"]}

    def was_disturbed(self):
        """In the last run, most windows lost time to other programs or to the hypervisor."""
        with closing(sqlite3.connect(self.profile)) as profile:
            shares = [share for (share,) in profile.execute(
                "SELECT displaced_ns * 1.0 / max(duration_ns, 1) FROM experiment")]
        return not shares or statistics.median(shares) > DISTURBED_SHARE


class Coz:
    """One run for each fixed speedup, since coz draws speedups at random otherwise; pooled rates."""
    suffix = "coz"
    flags = COZ_FLAGS  # all that the coz of Debian 12 can read

    def __init__(self, options, work):
        self.seconds = options.seconds / (1 + len(CUTS))
        self.profile = os.path.join(work, "profile.coz")

    def can_answer(self, case, target):
        return not target.is_function and case.kind == "period"

    def rate(self, program, target, loops, cut):
        if os.path.exists(self.profile):
            os.unlink(self.profile)
        subprocess.run(["coz", "run", "-o", self.profile, "--fixed-line", target.name, "--fixed-speedup", str(cut), "---",
                        program, "-t", str(self.seconds), "-l", str(loops)], capture_output=True)
        if not os.path.exists(self.profile):
            return None
        with open(self.profile) as file:
            text = file.read()
        time = sum(map(int, re.findall(r"^experiment\t.*duration=(\d+)", text, re.MULTILINE)))
        visits = sum(map(int, re.findall(r"^(?:throughput|progress)-point\t.*delta=(\d+)", text, re.MULTILINE)))
        return visits / time if time else None

    def predict(self, case, program, target, loops):
        base = self.rate(program, target, loops, 0)
        rates = {cut: self.rate(program, target, loops, cut) for cut in CUTS}
        return {cut: (1 - base / rate, None, None, 0) for cut, rate in rates.items() if base and rate}


def rows_of(case, target, truth, predicted):
    return [Row(case.name, target.letter, cut, truth[target.letter][cut], *predicted.get(cut, ())) for cut in CUTS]


def missing(rows, points):
    """Rows that speak against the profiler even on a machine that is not calm."""
    return [row for row in rows if row.predicted is None or (row.low is not None and 100 * row.miss() > points)]


class Disturbed(Exception):
    pass


def ask(profiler, case, program, target, loops, truth, options):
    rows = rows_of(case, target, truth, profiler.predict(case, program, target, loops))
    if options.smoke is None:
        return rows
    if missing(rows, options.smoke) and not profiler.was_disturbed():
        print("%s %s misses the truth; once more" % (case.name, target.letter), flush=True)
        rows = rows_of(case, target, truth, profiler.predict(case, program, target, loops))
    if missing(rows, options.smoke) and profiler.was_disturbed():
        raise Disturbed
    return rows


def measure(profiler, cases, options, work):
    plain, marked = os.path.join(work, "plain"), os.path.join(work, profiler.suffix)
    os.mkdir(plain)
    os.mkdir(marked)
    loops, rows = loops_per_microsecond(plain), []
    for case in cases:
        asked = [target for target in case.targets if profiler.can_answer(case, target)]
        if not asked:
            print("%-9s left out: coz knows neither function targets nor latency of this kind" % case.name)
            continue
        program = case.build(marked, profiler.flags)
        truth = case.truth(case.build(plain, ["-DLEVER_DISABLE"]), loops)
        for target in asked:
            found = ask(profiler, case, program, target, loops, truth, options)
            print("\n".join(row.text() for row in found), flush=True)
            rows += found
    return rows


def summary(rows):
    """Prints it; returns the mean absolute error, infinite if a point has no answer."""
    answered = [row for row in rows if row.predicted is not None]
    held = [not row.miss() for row in answered if row.low is not None]
    print("points %d, answered %d" % (len(rows), len(answered)), end="")
    if answered:
        errors = [100 * row.error() for row in answered]
        print(", mean absolute error %.2f points, worst %.1f" % (statistics.mean(errors), max(errors)), end="")
    if held:
        print(", truth inside the interval %d of %d (%.0f %%)" % (sum(held), len(held), 100 * statistics.mean(held)), end="")
    print()
    return statistics.mean(errors) if len(answered) == len(rows) and rows else float("inf")


def read_options():
    known = sorted(name[:-2] for name in os.listdir(HERE) if name.endswith(".c"))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--programs", default=",".join(known), help="with commas between; all")
    parser.add_argument("--seconds", type=float, default=20, help="the length of a profiling run, one for each target")
    parser.add_argument("--engine", default="auto", choices=["auto", "kernel", "runtime"])
    parser.add_argument("--peer", choices=["coz"], help="ask this profiler instead")
    parser.add_argument("--most", type=float, help="exit 1 above this mean absolute error, in percentage points")
    parser.add_argument("--smoke", type=float, help="exit 1 only for intervals that miss by more than so many points")
    parser.add_argument("--json", help="keep the rows in this file")
    options = parser.parse_args()
    options.programs = options.programs.split(",")
    for name in options.programs:
        if name not in known:
            parser.error("there is no program '%s'; there are: %s" % (name, ", ".join(known)))
    options.lever = os.path.abspath(options.lever)
    return options


def main():
    options = read_options()
    if options.smoke is not None and os.geteuid() != 0 and options.engine != "runtime":
        print("profiling needs root")
        return SKIPPED
    with tempfile.TemporaryDirectory() as work:
        profiler = Coz(options, work) if options.peer else Lever(options, work)
        try:
            rows = measure(profiler, [Case(name) for name in options.programs], options, work)
        except Disturbed:
            print("too much else runs on this machine to judge predictions")
            return SKIPPED
    if options.json:
        with open(options.json, "w") as file:
            json.dump([asdict(row) for row in rows], file, indent=1)
    error = summary(rows)
    if options.smoke is not None:
        return 1 if missing(rows, options.smoke) else 0
    return 1 if options.most is not None and error > options.most else 0


if __name__ == "__main__":
    sys.exit(main())
