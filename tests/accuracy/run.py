#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""run - compares predictions with the truth, on programs whose truth is known.

    tests/accuracy/run.py [--lever build/lever] [--programs single_thread,lock] [--seconds 20] [--peer coz] [--disk memory]

Each case (a .c file here; work.h describes its form) is built and profiled with
`lever run --target ... --speedups 0,25,50,75,100`. Each predicted program speedup is printed beside the true
one: that of the case with this share of the target's work really taken away. A row for each point, then the mean
absolute error in percentage points, and how often the 95 % interval holds the truth.

A line ` * set = A B:50` in a case asks for a set, with B sped up half as much.

A measured truth has an interval of its own (of the median of its rounds, 95 %). Its rounds are spread between parts of
the profiling run, so that drift of the machine affects both. A prediction holds the truth if the two differ by no
more than the root of the sum of both intervals' squares.

--disk memory runs the programs on an ext4 file system in a file in memory, whose device is a kernel thread and has a
constant speed. With --disk slow each write to the device takes 3 ms (slow_disk/).

--peer coz compares coz, where it applies; --most POINTS exits 1 above this mean error; --json FILE keeps the rows.
--list prints what each program says of its truth, and profiles nothing.

Look at `uptime` first: nothing else may run.

--smoke POINTS is for tests on busy machines. It fails only if an interval misses the truth by more than that, twice,
and exits 77 without rights to profile, or if too much else runs.
"""
import argparse
import json
import math
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass

CUTS = [25, 50, 75, 100]
HERE = os.path.dirname(os.path.abspath(__file__))
FLAGS = ["-O2", "-g", "-fno-omit-frame-pointer", "-D_GNU_SOURCE"]
COZ_FLAGS = ["-DWORK_FOR_COZ", "-gdwarf-4", "-gstrict-dwarf", "-gno-variable-location-views"]
FORMULA = re.compile(r" \* (period|latency) = (.*)")
SKIPPED = 77
DISTURBED_SHARE = 0.05  # of a window's time; a run in which most windows lose that tells nothing
TRUTH_SECONDS, TRUTH_PARTS, TRUTH_ROUNDS = 0.3, 3, 3
STUDENT = 2.306  # 95 %, for the rounds of all parts less one
DISK_BYTES = 512 << 20
SLOW_DISK_US = 3000


@dataclass
class Target:
    letter: str  # of a set several, with what each is cut by at 100 %: "A B:50"
    options: list  # of lever run: --target with a function or FILE:LINE, --class
    line: str | None  # for coz

    def is_set(self):
        return " " in self.letter


@dataclass
class Row:
    program: str
    target: str
    cut: int
    truth: float
    truth_half: float  # of its interval; 0 where it is known by construction
    predicted: float | None = None
    low: float | None = None
    high: float | None = None
    experiments: int = 0

    def error(self):
        return abs(self.predicted - self.truth)

    def miss(self):
        """By how much the interval misses the truth; 0 if it holds it."""
        half = self.predicted - self.low if self.truth < self.predicted else self.high - self.predicted
        return max(0, self.error() - math.hypot(half, self.truth_half))

    def text(self):
        row = "%-22s %s %4d %%   truth %6.1f" % (self.program, self.target, self.cut, 100 * self.truth)
        if self.truth_half:
            row += " +-%.1f" % (100 * self.truth_half)
        if self.predicted is None:
            return row + "   predicted   none"
        row += "   predicted %6.1f   error %+6.1f" % (100 * self.predicted, 100 * (self.predicted - self.truth))
        if self.low is None:
            return row
        return row + "   interval [%.1f, %.1f]%s   of %d" % (
            100 * self.low, 100 * self.high, " misses" if self.miss() else "", self.experiments)


def target_of(line, place):
    """The target that a line of a case's source names, or None."""
    if match := re.search(r"(\w+)\(.*\) /\* function ([A-Z]) \*/", line):
        return Target(match.group(2), ["--target", match.group(1), "--granularity", "function"], None)
    match = re.search(r"/\* target ([A-Z])(?: is (\S+)( here)?)? \*/", line)
    if not match:
        return None
    letter, what, here = match.groups()
    if not what:
        return Target(letter, ["--target", place], place)
    if what.startswith("class:"):
        return Target(letter, ["--class", what[6:]] + (["--target", place] if here else []), None)
    return Target(letter, ["--target", what], None)


def set_of(letters, targets):
    """The set that a line "set = A B:50" of a case names."""
    words = []
    for part in letters.split():
        letter, _, percent = part.partition(":")
        options = next(target.options for target in targets if target.letter == letter)
        name = "class:" + options[1] if options[0] == "--class" else options[1]
        words += ["--with" if words else "--target", name + (":%s%%" % percent if percent else "")]
    return Target(letters, words, None)


def cuts_of(letters, cut):
    """By how much each member is cut: {letter: percent}"""
    parts = [part.partition(":") for part in letters.split()]
    return {letter: cut * float(percent or 100) / 100 for letter, _, percent in parts}


class Case:
    """One program: its source, what it says about itself, and its builds."""

    def __init__(self, name):
        self.name = name
        self.source = os.path.join(HERE, name + ".c")
        with open(self.source) as file:
            lines = file.read().splitlines()
        formula = next(filter(None, map(FORMULA.match, lines)))
        self.kind, self.formula = formula.groups()
        p99 = next(filter(None, map(re.compile(r" \* p99 = (.*)").match, lines)), None)
        words = next(filter(None, map(re.compile(r" \* options = (.*)").match, lines)), None)
        self.options = words.group(1).split() if words else []
        self.p99 = p99 and p99.group(1)  # of a latency
        chosen = next(filter(None, map(re.compile(r" \* cuts = (.*)").match, lines)), None)
        self.cuts = list(map(int, chosen.group(1).split())) if chosen else CUTS
        self.targets = [target for number, line in enumerate(lines, 1)
                        if (target := target_of(line, "%s.c:%d" % (name, number)))]
        self.targets += [set_of(match.group(1), self.targets) for match in map(re.compile(r" \* set = (.*)").match, lines) if match]

    def build(self, folder, flags=()):
        program = os.path.join(folder, self.name)
        include = os.path.join(HERE, "..", "..", "include")
        subprocess.run([os.environ.get("CC", "cc"), *FLAGS, "-I", include, *flags, self.source,
                        "-o", program, "-lpthread", "-ldl"], check=True)
        return program

    def constructed(self, letters, cut, formula=None):
        def answer(cut):
            kept = dict.fromkeys("ABCD", 1) | {letter: 1 - part / 100 for letter, part in cuts_of(letters, cut).items()}
            return eval(formula or self.formula, {"__builtins__": {}, "max": max, "min": min}, kept)
        return 1 - answer(cut) / answer(0)

    def truth(self, program, loops, letter):
        return Measured(self, program, loops, letter) if self.formula == "measured" else Constructed(self, letter)


def names_of_cases():
    """Of the programs here that tell their truth; shares.c is of shares.py."""
    return sorted(name[:-2] for name in os.listdir(HERE) if name.endswith(".c") and has_truth(name))


def has_truth(name):
    with open(os.path.join(HERE, name)) as file:
        return any(map(FORMULA.match, file))


def period(program, loops, seconds, letters="", cut=0):
    cutting = [word for letter, part in cuts_of(letters, cut).items() for word in ("-" + letter, str(part))]
    said = subprocess.run([program, "-t", str(seconds), "-l", str(loops), *cutting],
                          capture_output=True, text=True, check=True).stdout
    return float(re.search(r"period_ns=([\d.]+)", said).group(1))


class Constructed:
    """A truth that follows from how the program is made."""
    parts = 1

    def __init__(self, case, letter):
        self.case, self.letter = case, letter

    def measure(self):
        pass

    def value(self, cut):
        """The program speedup, and half of its interval."""
        return self.case.constructed(self.letter, cut), 0


class Measured:
    """A truth from runs of the program with less work and without. Only neighbouring runs compare, since machines drift."""
    parts = TRUTH_PARTS

    def __init__(self, case, program, loops, letter):
        self.program, self.loops, self.letter = program, loops, letter
        self.ratios = {cut: [] for cut in case.cuts}

    def measure(self):
        """Some more rounds."""
        for _ in range(TRUTH_ROUNDS):
            before = period(self.program, self.loops, TRUTH_SECONDS)
            for cut, ratios in self.ratios.items():
                with_cut = period(self.program, self.loops, TRUTH_SECONDS, self.letter, cut)
                after = period(self.program, self.loops, TRUTH_SECONDS)
                ratios.append(2 * with_cut / (before + after))
                before = after

    def value(self, cut):
        """The program speedup, and half of its interval: of a median, its scatter by the median deviation."""
        ratios = self.ratios[cut]
        middle = statistics.median(ratios)
        scatter = 1.4826 * statistics.median(abs(ratio - middle) for ratio in ratios)
        return 1 - middle, STUDENT * math.sqrt(math.pi / 2 / len(ratios)) * scatter


def loops_per_microsecond(folder):
    """A round of `single` is 1000 microseconds: how many loops make one, at the machine's best."""
    program = Case("single_thread").build(folder)
    return round(1e9 / min(period(program, 1000, 0.2) for _ in range(5)))


class Lever:
    suffix = "lever"
    flags = ()

    def __init__(self, options, work):
        self.lever, self.seconds, self.engine = options.lever, options.seconds, options.engine
        self.used = None  # the engine that auto chose
        self.profile = os.path.join(work, "profile.lever")

    def can_answer(self, case, target):
        return True

    def profile_part(self, case, program, target, loops, part, parts):
        seconds = self.seconds / parts
        command = [self.lever, "run", "--quiet", "-o", self.profile, "--engine", self.engine, *([] if part else ["--fresh"]),
                   *target.options, *case.options, "--speedups", ",".join(map(str, [0, *case.cuts])), "--seconds", str(seconds), "--",
                   program, "-t", str(seconds + 0.5), "-l", str(loops)]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode not in (0, 3):
            sys.exit("%s\nended with %d: %s" % (" ".join(command), done.returncode, done.stderr.strip()))

    def predict(self, case, program, target, loops, truth):
        """{cut: (program speedup, low, high, experiments)}"""
        for part in range(truth.parts):
            truth.measure()
            self.profile_part(case, program, target, loops, part, truth.parts)
        self.used = self.report()["engine"]
        kinds = ["latency"] if case.kind == "latency" else ["throughput", "sampled"]
        return {round(100 * point["speedup"]): (point["program_speedup"], point["low"], point["high"], point["experiments"])
                for found in self.asked(target) for effect in found["effects"] if effect["kind"] in kinds
                for point in effect["points"]}

    def predict_p99(self):
        """The same of the percentile, from the last run."""
        return {round(100 * point["speedup"]): (point["program_speedup"], point["low"], point["high"], point["experiments"])
                for found in self.report()["targets"] for effect in found["effects"] if effect.get("p99")
                for point in effect["p99"]["points"]}

    def asked(self, target):
        """The reported targets that answer: of a set not its members, which are measured, too."""
        return [found for found in self.report()["targets"] if (found["kind"] == "set") == target.is_set()]

    def report(self):
        return json.loads(subprocess.run([self.lever, "report", self.profile, "--format", "json"],
                                         capture_output=True, text=True, check=True).stdout)

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
        return target.line and case.kind == "period"

    def rate(self, program, target, loops, cut):
        if os.path.exists(self.profile):
            os.unlink(self.profile)
        subprocess.run(["coz", "run", "-o", self.profile, "--fixed-line", target.line, "--fixed-speedup", str(cut), "---",
                        program, "-t", str(self.seconds), "-l", str(loops)], capture_output=True)
        if not os.path.exists(self.profile):
            return None
        with open(self.profile) as file:
            text = file.read()
        time = sum(map(int, re.findall(r"^experiment\t.*duration=(\d+)", text, re.MULTILINE)))
        visits = sum(map(int, re.findall(r"^(?:throughput|progress)-point\t.*delta=(\d+)", text, re.MULTILINE)))
        return visits / time if time else None

    def predict(self, case, program, target, loops, truth):
        for _ in range(truth.parts):
            truth.measure()
        base = self.rate(program, target, loops, 0)
        rates = {cut: self.rate(program, target, loops, cut) for cut in CUTS}
        return {cut: (1 - base / rate, None, None, 0) for cut, rate in rates.items() if base and rate}


def rows_of(profiler, case, programs, target, loops):
    plain, program = programs
    truth = case.truth(plain, loops, target.letter)
    predicted = profiler.predict(case, program, target, loops, truth)
    rows = [Row(case.name, target.letter, cut, *truth.value(cut), *predicted.get(cut, ())) for cut in case.cuts]
    if case.p99:
        predicted = profiler.predict_p99()
        rows += [Row(case.name + " p99", target.letter, cut, case.constructed(target.letter, cut, case.p99), 0,
                     *predicted.get(cut, ())) for cut in case.cuts]
    return rows


def missing(rows, points):
    """Rows that speak against the profiler even on a machine that is not calm."""
    return [row for row in rows if row.predicted is None or (row.low is not None and 100 * row.miss() > points)]


class Disturbed(Exception):
    pass


def ask(profiler, case, programs, target, loops, options):
    rows = rows_of(profiler, case, programs, target, loops)
    if options.smoke is None:
        return rows
    if missing(rows, options.smoke) and not profiler.was_disturbed():
        print("%s %s misses the truth; once more" % (case.name, target.letter), flush=True)
        rows = rows_of(profiler, case, programs, target, loops)
    if missing(rows, options.smoke) and profiler.was_disturbed():
        raise Disturbed
    return rows


def measure(profiler, cases, options, work):
    plain, marked = os.path.join(work, "plain"), os.path.join(work, profiler.suffix)
    os.mkdir(plain)
    os.mkdir(marked)
    loops, rows = loops_per_microsecond(plain), []
    for case in cases:
        asked = [target for target in case.targets if profiler.can_answer(case, target) and target.is_set() >= options.sets]
        if not asked and options.sets:
            continue
        if not asked:
            print("%-22s left out: coz knows lines and throughput only" % case.name)
            continue
        programs = case.build(plain, ["-DLEVER_DISABLE"]), case.build(marked, profiler.flags)
        for target in asked:
            found = ask(profiler, case, programs, target, loops, options)
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


@contextmanager
def image_in_memory():
    """A file in memory that holds a file system."""
    with tempfile.NamedTemporaryFile(dir="/dev/shm") as image:
        image.truncate(DISK_BYTES)
        subprocess.run(["mkfs.ext4", "-q", "-F", image.name], check=True)
        yield image.name


@contextmanager
def mounted(options, image):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["mount", "-o", options, image, folder], check=True)
        try:
            yield folder
        finally:
            os.chdir(HERE)
            subprocess.run(["umount", folder], check=True)


@contextmanager
def disk_in_memory():
    """A folder that is a file system of its own, whose device is a file in memory."""
    with image_in_memory() as image, mounted("loop", image) as folder:
        yield folder


@contextmanager
def slowed(image):
    """Another file that is `image`, but takes its time."""
    with tempfile.TemporaryDirectory() as work, tempfile.TemporaryDirectory() as shown:
        program = os.path.join(work, "slow_disk")
        source = os.path.join(HERE, "slow_disk", "slow_disk.c")
        subprocess.run([os.environ.get("CC", "cc"), *FLAGS, source, "-o", program], check=True)
        with subprocess.Popen([program, image, shown, str(SLOW_DISK_US)]) as server:
            while server.poll() is None and not os.path.exists(os.path.join(shown, "disk")):
                time.sleep(0.01)
            try:
                yield os.path.join(shown, "disk")
            finally:
                subprocess.run(["umount", "--lazy", shown], check=True)  # that ends the server


@contextmanager
def slow_disk():
    """A folder that is a file system of its own, on a device that is slow to write."""
    with image_in_memory() as image, slowed(image) as file:
        device = subprocess.run(["losetup", "--direct-io=on", "--find", "--show", file],
                                capture_output=True, text=True, check=True).stdout.strip()
        try:
            with mounted("noatime", device) as folder:
                yield folder
        finally:
            subprocess.run(["losetup", "--detach", device], check=True)


DISKS = {"memory": disk_in_memory, "slow": slow_disk}


def read_options():
    known = names_of_cases()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--programs", default=",".join(known), help="with commas between; all")
    parser.add_argument("--seconds", type=float, default=20, help="the length of a profiling run, one for each target")
    parser.add_argument("--engine", default="auto", choices=["auto", "kernel", "runtime"])
    parser.add_argument("--sets", action="store_true", help="only the sets of the programs")
    parser.add_argument("--peer", choices=["coz"], help="compare this profiler instead")
    parser.add_argument("--most", type=float, help="exit 1 above this mean absolute error, in percentage points")
    parser.add_argument("--smoke", type=float, help="exit 1 only for intervals that miss by more than so many points")
    parser.add_argument("--disk", choices=DISKS, help="run the programs on a file system in memory, or on a slow device; needs root")
    parser.add_argument("--list", action="store_true", help="print the truths that follow from how the programs are made")
    parser.add_argument("--json", help="keep the rows in this file")
    options = parser.parse_args()
    options.programs = options.programs.split(",")
    for name in options.programs:
        if name not in known:
            parser.error("there is no program '%s'; there are: %s" % (name, ", ".join(known)))
    options.lever = os.path.abspath(options.lever)
    options.json = options.json and os.path.abspath(options.json)
    return options


def list_truths(cases):
    for case in cases:
        print(case.name, "measured" if case.formula == "measured" else "")
        for target in case.targets if case.formula != "measured" else ():
            print("   ", target.letter, *("%d: %.1f" % (cut, 100 * case.constructed(target.letter, cut)) for cut in case.cuts))


def main():
    options = read_options()
    if options.list:
        return list_truths([Case(name) for name in options.programs])
    if options.smoke is not None and os.geteuid() != 0 and options.engine != "runtime":
        print("profiling needs root")
        return SKIPPED
    disk = DISKS[options.disk]() if options.disk else nullcontext(os.getcwd())
    with tempfile.TemporaryDirectory() as work, disk as folder:
        os.chdir(folder)
        profiler = Coz(options, work) if options.peer else Lever(options, work)
        try:
            rows = measure(profiler, [Case(name) for name in options.programs], options, work)
        except Disturbed:
            print("too much else runs on this machine to judge predictions")
            return SKIPPED
    if options.json:
        with open(options.json, "w") as file:
            json.dump([asdict(row) for row in rows], file, indent=1)
    if not options.peer:
        print("engine %s; " % profiler.used, end="")
    error = summary(rows)
    if options.smoke is not None:
        return 1 if missing(rows, options.smoke) else 0
    return 1 if options.most is not None and error > options.most else 0


if __name__ == "__main__":
    sys.exit(main())
