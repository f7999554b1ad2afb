#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""languages - predictions for functions of Python, Java, Node.js, Go, Rust and Fortran, whose truth is known.

    tests/accuracy/languages.py [--languages python,java] [--cases stages,lock] [--seconds 15] [--lines] [--record] [--check] [--most POINTS]

The programs stand in languages/. A case says how its period follows from what is left of the work of A, its first
function, and of B, its second. One run of `lever run` for each case tries both functions; each point is a row as in
run.py. --check runs each program bare with the half of A, and of B, and shows what really happens. A language whose
tools are absent is left out. --keep FOLDER keeps the profiles. On a calm machine; not part of `make test`.
"""
import argparse
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import run  # noqa: E402

SOURCES = os.path.join(HERE, "languages")
PERCENTS = (25, 50, 75)
LOCK = "max(5 * B, (3 * A + 5 * B) / 2)"
STAGES = "2 * A + B"
NO_WAITS = "(3 * A + 5 * B) / 2"


@dataclass
class Language:
    """What is needed: a program; its command, made in a folder; formulas of periods, and functions A and B, by case."""
    tool: str
    command: object
    cases: dict
    source: str = ""  # with marked lines
    waits: dict = field(default_factory=dict)  # formulas of periods without waits for the lock, by case


def built(place, *words):
    subprocess.run(words, check=True, cwd=place, stdout=subprocess.DEVNULL)
    return [os.path.join(place, "parts")]


def source(name):
    return os.path.join(SOURCES, name)


def python(_):
    return ["/usr/bin/python3", source("parts.py")]


def java(place):
    built(place, "javac", "-d", place, source("Parts.java"))
    return ["java", f"-agentpath:{os.path.join(options.build, 'src', 'runtime', 'liblever-java.so')}", "-cp", place, "Parts"]


def node(_):
    return ["node", "--perf-prof", "--perf-basic-prof", "--no-enable-lazy-source-positions", source("parts.js")]


def go(place):
    return built(place, "go", "build", "-o", "parts", source("parts.go"))


def rust(place):
    return built(place, "rustc", "-O", "-g", "-o", "parts", source("parts.rs"))


def fortran(place):
    return built(place, "gfortran", "-O2", "-g", "-fno-inline", "-fopenmp", "-o", "parts", source("parts.f90"))


def both(first, second):
    return {"stages": (STAGES, first, second), "lock": (LOCK, first, second)}


LANGUAGES = {
    "python": Language("/usr/bin/python3", python, {
        "stages": (STAGES, "parts.first", "parts.second"),
        "lock": (LOCK, "parts.outside", "parts.critical"),
        "gil": (STAGES, "parts.first", "parts.second"),
        "pool": (STAGES, "parts.first", "parts.second"),
    }, waits={"gil": "max(2 * A, B)"}),
    "java": Language("javac", java, both("Parts.first", "Parts.second") | {"concurrent": (LOCK, "Parts.first", "Parts.second")},
                     waits={"lock": NO_WAITS, "concurrent": NO_WAITS}),
    "node": Language("node", node, both("firstPart", "secondPart"), source("parts.js")),
    "go": Language("go", go, both("main.first", "main.second")),
    "rust": Language("rustc", rust, both("parts::first", "parts::second")),
    "fortran": Language("gfortran", fortran, {
        "stages": ("max(5 * A, 4 * B)", "work::first", "work::second"),  # they meet
        "lock": (LOCK, "work::first", "work::second"),
    }),
}


def constructed(formula, letter, percent):
    kept = {"A": 1, "B": 1, letter: 1 - percent / 100}
    whole, cut = (eval(formula, {"__builtins__": {}, "max": max}, {"A": 1, "B": 1} | left) for left in ({}, kept))
    return 1 - cut / whole


def bare_period(command, case, kept_a, kept_b, place):
    said = subprocess.run([*command, case, "2", str(kept_a), str(kept_b)], cwd=place, capture_output=True, text=True, check=True)
    return float(re.search(r"period_ns=([\d.]+)", said.stdout).group(1))


def check(name, command, case, formula, place):
    rounds = [[bare_period(command, case, *kept, place) for kept in ((100, 100), (50, 100), (100, 50))] for _ in range(3)]
    for index, letter in ((1, "A"), (2, "B")):
        real = 1 - statistics.median(periods[index] / periods[0] for periods in rounds)
        print("%-22s %s   50 %%   truth %6.1f   really    %6.1f" % (
            f"{name} {case}", letter, 100 * constructed(formula, letter, 50), 100 * real), flush=True)


def marked_lines(path):
    with open(path, encoding="utf-8") as file:
        lines = {line.rstrip()[-1:]: number for number, line in enumerate(file, 1) if re.search(r"(//|#) [AB]$", line)}
    return [f"{os.path.basename(path)}:{lines[letter]}" for letter in "AB" if letter in lines]


def record(name, command, place):
    """What `lever record` costs a program, in turn with bare runs, and which locks it names."""
    lever, output = os.path.join(options.build, "lever"), os.path.join(place, "record.lever")
    recorded = [lever, "record", "--quiet", "--fresh", "-o", output, "--", *command]
    ratios = []
    for _ in range(5):
        bare = bare_period(command, "stages", 100, 100, place)
        ratios.append(bare_period(recorded, "stages", 100, 100, place) / bare - 1)
    bare_period(recorded, "lock", 100, 100, place)
    told = subprocess.run([lever, "report", output, "--by", "lock"], capture_output=True, text=True, check=True).stdout
    locks = [line.split("]", 1)[1].strip() for line in told.splitlines() if "[L]" in line and "waiting for" not in line]
    print(f"{name}: a recording costs {100 * statistics.median(ratios):.1f} % ({100 * min(ratios):.1f} to {100 * max(ratios):.1f}); "
          f"lock: {locks[0] if locks else 'none'}", flush=True)


def points_of(name, command, case, place, *targets):
    """What `lever run` tells: {(name of the target, percent): point}."""
    output = os.path.join(options.keep or place, f"{name}-{case}-{targets[-1].replace(':', '-')}.lever")
    lever = os.path.join(options.build, "lever")
    said = subprocess.run([lever, "run", "--quiet", "--fresh", "-o", output, "--seconds", str(options.seconds), "--then-stop", *targets,
                           "--progress", "tracepoint:syscalls:sys_exit_write", "--", *command, case, str(options.seconds + 20), "100", "100"],
                          cwd=place, check=False, capture_output=True, text=True)
    if said.returncode not in (0, 3):
        sys.exit(f"{name} {case}: {said.stderr.strip()}")
    told = subprocess.run([lever, "report", output, "--format", "json"], capture_output=True, text=True, check=True)
    return {(target["name"], round(100 * point["speedup"])): point for target in json.loads(told.stdout)["targets"]
            for effect in target["effects"] for point in effect["points"]}


def row_of(name, case, letter, percent, truth, point):
    return run.Row(f"{name} {case}", letter, percent, truth, 0, *(point.get(key) for key in ("program_speedup", "low", "high", "experiments")))


def rows_of(name, command, case, parts, place):
    formula, *functions = parts
    if options.lines:
        functions = marked_lines(LANGUAGES[name].source)
    points = points_of(name, command, case, place, "--speedups", ",".join(map(str, (0, *PERCENTS))), "-g", "line" if options.lines else "function",
                       "-t", functions[0], "-t", functions[1])
    rows = [row_of(name, case, letter, percent, constructed(formula, letter, percent), points.get((function, percent), {}))
            for letter, function in zip("AB", functions) for percent in PERCENTS]
    if case in LANGUAGES[name].waits:
        whole, without = (eval(one, {"__builtins__": {}, "max": max}, {"A": 1, "B": 1}) for one in (formula, LANGUAGES[name].waits[case]))
        points = points_of(name, command, case, place, "--speedups", "0,100", "--class", "L")
        rows.append(row_of(name, case, "L", 100, 1 - without / whole, points.get(("class:L", 100), {})))
    print("\n".join(row.text() for row in rows), flush=True)
    return rows


def jit_files():
    return set(glob.glob("/tmp/jit-*.dump")) | set(glob.glob("/tmp/perf-*.map"))


def rows_of_language(name):
    language, rows = LANGUAGES[name], []
    if options.lines and not language.source:
        return []
    if not shutil.which(language.tool):
        print(f"{name}: left out, there is no {language.tool}")
        return []
    before = jit_files()
    with tempfile.TemporaryDirectory() as place:
        command = language.command(place)
        if options.record:
            record(name, command, place)
            return []
        for case, parts in language.cases.items():
            if case in options.cases and options.check:
                check(name, command, case, parts[0], place)
            elif case in options.cases:
                rows += rows_of(name, command, case, parts, place)
    for path in jit_files() - before:
        os.remove(path)
    return rows


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--languages", type=lambda text: text.split(","), default=list(LANGUAGES))
parser.add_argument("--cases", type=lambda text: text.split(","), default=["stages", "lock", "concurrent", "gil", "pool"])
parser.add_argument("--seconds", type=float, default=15)
parser.add_argument("--lines", action="store_true", help="targets are the lines marked A and B, in sources that have such marks")
parser.add_argument("--record", action="store_true", help="what `lever record` costs, and the lock that it names")
parser.add_argument("--check", action="store_true")
parser.add_argument("--keep", type=os.path.abspath)
parser.add_argument("--most", type=float, help="exit 1 above this mean absolute error of a language, in percentage points")
parser.add_argument("--build", type=os.path.abspath, default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "build"))
options = parser.parse_args()
worst = 0.0
for language_name in options.languages:
    if told_rows := rows_of_language(language_name):
        print(f"{language_name}: ", end="")
        worst = max(worst, run.summary(told_rows))
sys.exit(1 if options.most is not None and worst > options.most else 0)
