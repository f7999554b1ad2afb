#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""languages - predictions for functions of Python, Java and Node.js, against programs that really do less there.

Usage: languages.py [--seconds N] [BUILD]

Each unit of a program runs first() and second(), one after the other; the environment variable STAGES_FIRST_PERCENT
tells how much of its work first() does. Its gain at a speedup of 50 % is predicted by `lever run`, and measured by
the program with half of the work, in turn with the whole. On a calm machine; not part of `make test`.
"""
import argparse
import glob
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = os.path.join(ROOT, "tests", "kernel", "programs")
MANY = "100000000"


def python(_):
    return "stages.first", ["/usr/bin/python3", os.path.join(PROGRAMS, "stages.py"), "alternate"], (300, 1500)


def java(place):
    compiler = sorted(glob.glob("/usr/lib/jvm/*/bin/javac"))[0]
    subprocess.run([compiler, "-d", place, os.path.join(PROGRAMS, "java", "Stages.java")], check=True)
    agent = os.path.join(options.build, "src", "runtime", "liblever-java.so")
    return "Stages.first", [os.path.join(os.path.dirname(compiler), "java"), f"-agentpath:{agent}", "-cp", place, "Stages"], (2000, 6000)


def node(_):
    words = [shutil.which("node"), "--perf-prof", "--no-enable-lazy-source-positions", "--no-turbo-inlining"]
    return "firstStage", [*words, os.path.join(PROGRAMS, "stages.js")], (3000, 9000)


def seconds(command, units, percent, place):
    begun = time.monotonic()
    subprocess.run([*command, str(units)], env={**os.environ, "STAGES_FIRST_PERCENT": str(percent)}, cwd=place, check=True,
                   stdout=subprocess.DEVNULL)
    return time.monotonic() - begun


def unit_time(command, counts, percent, place):
    """Without the start: the difference of two runs."""
    few, many = counts
    return (seconds(command, many, percent, place) - seconds(command, few, percent, place)) / (many - few)


def measured(command, counts, place):
    pairs = [(unit_time(command, counts, 100, place), unit_time(command, counts, 50, place)) for _ in range(3)]
    return 100 * (1 - statistics.median(half / whole for whole, half in pairs))


def predicted(name, command, place):
    output = os.path.join(place, "languages.lever")
    lever = os.path.join(options.build, "lever")
    subprocess.run([lever, "run", "-o", output, "--seconds", str(options.seconds), "--then-stop", "-g", "function", "-t", name,
                    "--speedups", "0,50", "--progress", "tracepoint:syscalls:sys_exit_write", "--", *command, MANY],
                   cwd=place, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    said = subprocess.run([lever, "report", output, "--format", "json"], capture_output=True, text=True, check=True)
    for target in json.loads(said.stdout)["targets"]:
        for effect in target["effects"] if target["name"] == name else ():
            for point in effect["points"]:
                if point["speedup"] == 0.5 and point["program_speedup"] is not None:
                    return [100 * point[key] for key in ("program_speedup", "low", "high")]
    return [float("nan")] * 3


parser = argparse.ArgumentParser()
parser.add_argument("--seconds", type=int, default=10)
parser.add_argument("build", nargs="?", default=os.path.join(ROOT, "build"))
options = parser.parse_args()
options.build = os.path.abspath(options.build)
for language in (python, java, node):
    before = set(glob.glob("/tmp/jit-*.dump"))
    with tempfile.TemporaryDirectory() as folder:
        function, program, numbers = language(folder)
        (gain, low, high), truth = predicted(function, program, folder), measured(program, numbers, folder)
        print(f"{language.__name__:8} {function:14} real {truth:5.1f} %, predicted {gain:5.1f} % ({low:.1f} to {high:.1f})", flush=True)
    for path in set(glob.glob("/tmp/jit-*.dump")) - before:
        os.remove(path)
sys.exit(0)
