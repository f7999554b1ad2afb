#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""jit - lines and functions of Java and Node.js programs, by jitdumps.

Usage: jit.py LEVER PROGRAMS. Skipped where there is no JDK, agent or Node.js.
"""
import contextlib
import glob
import os
import shutil

from kernel import LEVER, Skip, check, equal, folder, lever, main, profile_of, report, run, shares, test

SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs")
AGENT = os.path.join(os.path.dirname(LEVER), "src", "runtime", "liblever-java.so")


def marked(path, mark):
    """The number of the line with this mark."""
    with open(path, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if line.rstrip().endswith(f"// {mark}"))


class Java:
    """The second stage's work is a method that is inlined in it."""
    source = os.path.join(SOURCES, "java", "Stages.java")
    functions, marks = ("Stages.first", "Stages.step"), ("FIRST", "STEP")
    record_units, run_units = 3000, 6000

    def __init__(self, place):
        compilers = sorted(glob.glob("/usr/lib/jvm/*/bin/javac"))
        if not os.path.exists(AGENT) or not compilers:
            raise Skip("no JDK is installed, or Lever was built without one")
        equal(run(compilers[0], "-d", place, self.source).returncode, 0)
        self.words = [os.path.join(os.path.dirname(compilers[0]), "java"), f"-agentpath:{AGENT}", "-cp", place, "Stages"]


class Node:
    source = os.path.join(SOURCES, "stages.js")
    functions, marks = ("firstStage", "secondStage"), ("FIRST", "SECOND")
    record_units, run_units = 6000, 12000

    def __init__(self, _):
        node = shutil.which("node") or shutil.which("nodejs")
        if not node:
            raise Skip("Node.js is not installed")
        self.words = [node, "--perf-prof", "--perf-basic-prof", "--no-enable-lazy-source-positions", self.source]


@contextlib.contextmanager
def started(runtime_class):
    """The runtime and its folder; removes its dumps."""
    def dumps():
        return set(glob.glob("/tmp/jit-*.dump")) | set(glob.glob("/tmp/perf-*.map"))

    before = dumps()
    with folder() as place:
        yield runtime_class(place), place
    for path in dumps() - before:
        os.remove(path)


def check_record(runtime, place):
    """The first stage takes twice as long as the second, and nearly all in the marked lines' loops."""
    output = os.path.join(place, "record.lever")
    said = lever("record", "-o", output, "--", *runtime.words, str(runtime.record_units), cwd=place)
    equal(said.returncode, 0, said.stderr)
    times, lines = {}, {}
    for entry in report(output)["entries"]:
        if entry["class"] != "cpu" or not entry["stack"]:
            continue
        frame = entry["stack"][0]
        times[frame["function"]] = times.get(frame["function"], 0) + entry["weight_ns"]
        if frame["function"] in runtime.functions:
            check(os.path.basename(frame["file"] or runtime.source) == os.path.basename(runtime.source), frame)
            lines[frame["line"]] = lines.get(frame["line"], 0) + entry["weight_ns"]
    one, other = (times.get(name, 0) for name in runtime.functions)
    check(one + other > 0.6 * sum(times.values()), times)
    check(abs(one / (one + other) - 2 / 3) < 0.08, times)
    check(lines.get(None, 0) < 0.02 * sum(lines.values()), lines)
    # The loop's own line is the one before, or after where its end jumps back.
    near = {marked(runtime.source, mark) + step for mark in runtime.marks for step in (-1, 0, 1)}
    check(sum(weight for line, weight in lines.items() if line in near) > 0.9 * sum(lines.values()), lines)


def check_targets(runtime, place):
    """Functions and lines are targets, by themselves and by their names."""
    words = ("--progress", "tracepoint:syscalls:sys_exit_write", "--speedups", "0,50", "--", *runtime.words, str(runtime.run_units))
    _, told = profile_of("-g", "function", *words, cwd=place)
    one, other = (shares(told).get(name, 0) for name in runtime.functions)
    check(one + other > 0.5 and abs(one / (one + other) - 2 / 3) < 0.1, list(shares(told).items())[:12])
    _, told = profile_of("-g", "line", *words, cwd=place)
    name = os.path.basename(runtime.source)
    lines = {target: share for target, share in shares(told).items() if target.startswith(name + ":")}
    check(sum(lines.values()) > 0.5, list(shares(told).items())[:12])
    busiest = max(lines, key=lines.get)
    _, told = profile_of("-t", busiest, *words, cwd=place)
    check(shares(told).get(busiest, 0) > 0.2, (busiest, list(shares(told).items())[:12]))
    # Node.js itself has functions with names like this one's: it is awaited all the same.
    _, told = profile_of("-g", "function", "-t", runtime.functions[0], *words, cwd=place)
    check(shares(told).get(runtime.functions[0], 0) > 0.3, shares(told))


@test("Java: methods and lines share the time as they work, also inlined ones")
def _():
    with started(Java) as (java, place):
        check_record(java, place)


@test("Java: methods and lines are targets")
def _():
    with started(Java) as (java, place):
        check_targets(java, place)


@test("Java: waits for a monitor and for a ReentrantLock have the lock's class as their name, and are class L")
def _():
    for kind, name in (("monitor", "Locks$Store"), ("mutex", "java.util.concurrent.locks.ReentrantLock")):
        with started(Java) as (java, place):
            equal(run(os.path.join(os.path.dirname(java.words[0]), "javac"), "-d", place, os.path.join(SOURCES, "java", "Locks.java")).returncode, 0)
            words = [*java.words[:-1], "Locks", kind]
            output = os.path.join(place, "locks.lever")
            equal(lever("record", "-o", output, "--", *words, "300", cwd=place).returncode, 0)
            waited = sum(lock["weight_ns"] for lock in report(output)["locks"] if lock["name"] == name)
            check(waited > 0.2e9, (name, waited))
            _, told = profile_of("--class", "L", "--progress", "tracepoint:syscalls:sys_exit_write", "--speedups", "0,100", "--", *words, "600", cwd=place)
            # One of two threads waits; the third, without work, does not count.
            check(0.15 < shares(told).get("class:L", 0) < 0.6, (kind, shares(told)))


@test("Node.js: functions and lines share the time as they work")
def _():
    with started(Node) as (node, place):
        check_record(node, place)


@test("Node.js: functions and lines are targets")
def _():
    with started(Node) as (node, place):
        # In some runs V8 replaces the module's loop while it runs, with the stages inlined in it: then the time is the module's.
        node.words.insert(1, "--no-use-osr")
        check_targets(node, place)


@test("Node.js: functions that are made and compiled anew all the time stay one target each")
def _():
    with started(Node) as (node, place):
        node.words[-1] = os.path.join(SOURCES, "recompiled.js")
        for flags in (node.words, [node.words[0], "--perf-basic-prof", node.words[-1]]):
            _, told = profile_of("-g", "function", "--progress", "tracepoint:syscalls:sys_exit_write", "--speedups", "0,50", "--", *flags, "9000", cwd=place)
            one, other = (shares(told).get(name, 0) for name in ("firstPart", "secondPart"))
            check(one + other > 0.8 and abs(one / (one + other) - 2 / 3) < 0.08, list(shares(told).items())[:12])
            check(told["discarded"]["mischarged"] <= 0.2 * told["experiments"], told["discarded"])


main()
