#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""process_lifecycle - programs live and end in many ways: each visit is counted, the exit code is kept."""
import os
import sqlite3
import time

from kernel import (RAN, check, equal, folder, lever, main, profile_of, program, report, shares,
                    test, visits)

UNITS = 2000  # a tenth of a second
OLD = {"LEVER_ASSUME_OLD_KERNEL": "1"}


def live(way, status=0, build="exits", environments=({}, OLD)):
    """Counts visits of `exits WAY` by lever.h and by a uprobe, on this kernel and as on an old one."""
    for environment in environments:
        _, told = profile_of("-p", "unit", "-p", "units", "--", program(build), way, str(UNITS),
                             env={**os.environ, **environment})
        equal(visits(told, "units"), UNITS, f"by lever.h, {way}, {environment}")
        equal(visits(told, "unit"), UNITS, f"by uprobe, {way}, {environment}")
        equal(told["program"]["exit_status"], status, way)
        check(shares(told, "function").get("unit", 0) > 0.5, f"{way}: {shares(told)}")


@test("a program that just ends is counted to the last visit")
def _():
    live("plain", environments=({},))


@test("a program's exit code is kept")
def _():
    live("seven", 7, environments=({},))


@test("a program that crashes is counted to its last visit, and the signal is reported")
def _():
    live("crash", 128 + 11)
    said, _ = profile_of("--", program("exits"), "crash", "1000")
    check("signal 11" in said.stderr, said.stderr)


@test("a program that is killed by -9 is counted to its last visit")
def _():
    live("killed", 128 + 9)


@test("a program whose first thread ends long before the others is profiled to its end")
def _():
    live("mainless", 5)


@test("a program that becomes a daemon is profiled to the daemon's end")
def _():
    live("daemon")
    with folder() as place:
        done, output = os.path.join(place, "done"), os.path.join(place, "daemon.lever")
        said = lever("run", "-q", "-o", output, "--", program("exits"), "daemon", str(UNITS), done)
        check(said.returncode in RAN, said.stderr)
        check(os.path.exists(done), "lever ended before the daemon did")


@test("a program that executes itself anew goes on being counted")
def _():
    live("exec")


@test("two hundred short children are all counted")
def _():
    live("children")


@test("children of vfork are counted")
def _():
    live("vfork")


@test("children of posix_spawn are counted")
def _():
    live("spawn")


@test("two thousand threads that come and go are all counted")
def _():
    live("threads")


@test("a static program is profiled like any other")
def _():
    live("plain", build="exits-static", environments=({},))


@test("a program that ends at once ends the run, with 3 and a sentence")
def _():
    for words in (("true",), (program("exits"), "seven", "0")):
        said, told = profile_of("--", *words, codes=(3,))
        check("No answer" in said.stderr, said.stderr)
        equal(told["program"]["exit_status"], 7 if len(words) > 1 else 0)


@test("a script is profiled in what it runs")
def _():
    with folder() as place:
        script, output = os.path.join(place, "script"), os.path.join(place, "script.lever")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{program('exits')} plain {UNITS}\n{program('exits')} seven {UNITS}\n")
        os.chmod(script, 0o755)
        said = lever("run", "-o", output, "--", script)
        check(said.returncode in RAN, said.stderr)
        told = report(output)
        equal(visits(told, "units"), 2 * UNITS)
        equal(told["program"]["exit_status"], 7)
        equal(told["program"]["command"], [script])
        check(shares(told, "function").get("unit", 0) > 0.5, shares(told))


@test("a 32-bit program is profiled, too; its points are functions and lines")
def _():
    _, told = profile_of("--progress", "unit", "--", program("exits-32"), "seven", str(UNITS))
    equal(visits(told, "unit"), UNITS)
    equal(told["program"]["exit_status"], 7)
    check(shares(told, "function").get("unit", 0) > 0.5, shares(told))


@test("--then-stop ends the program with SIGTERM when the experiments are over")
def _():
    with folder() as place:
        output = os.path.join(place, "stopped.lever")
        said = lever("run", "-o", output, "--seconds", "1", "--then-stop", "--", "sleep", "300")
        check(said.returncode in RAN, said.stderr)
        check("the program was ended by signal 15" in said.stderr, said.stderr)
        check("runs on" not in said.stderr, said.stderr)
    said = lever("run", "--then-stop", "--pid", str(os.getpid()))
    equal(said.returncode, 2, said.stderr)
    check("needs a PROGRAM" in said.stderr, said.stderr)


@test("record and trace --then-stop end PROGRAM and what it left behind when the recording is over")
def _():
    for verb in ("record", "trace"):
        with folder() as place:
            output, pids = os.path.join(place, "stopped.lever"), os.path.join(place, "pids")
            script = f"(trap '' HUP; echo $BASHPID >>{pids}; while :; do sleep 0.05; done) & trap 'exit 7' TERM; while :; do :; done"
            said = lever(verb, "-o", output, "--seconds", "1", "--then-stop", "--", "bash", "-c", script)
            equal(said.returncode, 0, said.stderr)
            check("exit code 7" in said.stderr and "runs on" not in said.stderr, said.stderr)
            with open(pids, encoding="utf-8") as file:
                equal([pid for pid in file.read().split() if is_running(pid)], [])
        said = lever(verb, "--then-stop", "--pid", str(os.getpid()))
        equal(said.returncode, 2, said.stderr)
        check("needs a PROGRAM" in said.stderr, said.stderr)


def is_running(pid):
    """A process that nobody has waited for yet has ended, too."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@test("--then-stop ends all that PROGRAM has started, at last by SIGKILL, and keeps its exit code")
def _():
    with folder() as place:
        output, pids = os.path.join(place, "tree.lever"), os.path.join(place, "pids")
        script = (f"(trap '' TERM; echo $BASHPID >>{pids}; while :; do sleep 0.1; done) & "
                  f"setsid sh -c 'echo $$ >>{pids}; exec sleep 300' & "
                  f"{program('exits')} plain 100000000 & trap 'exit 7' TERM; wait; wait")
        began = time.monotonic()
        said = lever("run", "-o", output, "--seconds", "2", "--then-stop", "--", "bash", "-c", script)
        check(said.returncode in RAN, said.stderr)
        check(time.monotonic() - began < 15, "its end took too long")
        check("exit code 7" in said.stderr, said.stderr)
        check("they are killed" in said.stderr, said.stderr)
        with open(pids, encoding="utf-8") as file:
            left = [pid for pid in file.read().split() if is_running(pid)]
        equal(left, [])


@test("--after: no experiment begins while the program warms up, and --seconds counts from then")
def _():
    with folder() as place:
        output = os.path.join(place, "warm.lever")
        began = time.monotonic()
        said = lever("run", "-o", output, "--after", "2", "--seconds", "2", "--then-stop", "--progress", "unit",
                     "--", program("exits"), "plain", "100000000")
        check(said.returncode in RAN, said.stderr)
        check(time.monotonic() - began >= 4, said.stderr)
        with sqlite3.connect(output) as profile:
            first, = profile.execute("SELECT min(start_ns) FROM experiment").fetchone()
        check(first is not None and first / 1e9 - began >= 2, (first, began))
    said = lever("run", "--after", "2", "--end-to-end", "--", "true")
    equal(said.returncode, 2, said.stderr)
    check("--end-to-end excludes --after" in said.stderr, said.stderr)


@test("--after POINT: experiments and shares begin with its first visit, also in a library loaded late")
def _():
    words = ["--", program("loads"), program("libplugin.so"), "1000000000"]
    _, told = profile_of("--after", "plugin_work", "--seconds", "2", "--then-stop", "-g", "function", "--progress", "plugin_work",
                         "--scope", "func:*", *words)
    found = {target["name"]: target["share"] for target in told["targets"]}
    check(found.get("main", 0) < 0.2 < found.get("unit", 0) + found.get("plugin_work", 0), found)  # which ends in a jump to unit
    with folder() as place:
        said = lever("run", "-o", os.path.join(place, "never.lever"), "--after", "point:never", "--", program("exits"), "plain", "1000")
    equal(said.returncode, 3, said.stderr)
    check("--after point:never: it was not visited before the program ended" in said.stderr, said.stderr)
    said = lever("run", "--after", "requests", "--", "true")
    equal(said.returncode, 2, said.stderr)


main()
