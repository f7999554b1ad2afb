#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""storms - very many short or living tasks, and a container that vanishes, are profiled to their end."""
import os
import shutil
import subprocess
import time

from kernel import LEVER, RAN, Skip, check, folder, main, program, report, run, test

STORMS = {  # and how many there are at least
    "forks 2": 2000,
    "execs 2": 500,
    "bomb 2": 1000,
    "threads 10000": 10000,
}

for storm_name, at_least in STORMS.items():
    @test(f"storm {storm_name}: more than {at_least - 1} tasks are profiled to their end, in each verb and engine")
    def _(storm=storm_name, least=at_least):
        for verb in (["record"], ["run", "-e", "kernel"], ["run", "-e", "runtime"], ["trace"]):
            with folder() as place:
                output = os.path.join(place, "x.lever")
                said = run(LEVER, *verb, "-q", "-o", output, "--", program("storm"), *storm.split())
                check(said.returncode in RAN, f"{verb}: {said.returncode} {said.stderr}")
                count = int(said.stdout or 0)
                print(f"# {' '.join(verb)}: {count}")
                check(count >= least, f"{verb}: {count}")
                report(output)


@test("a container that vanishes is profiled to its end")
def _():
    with folder() as place:
        output = os.path.join(place, "x.lever")
        inside = f"{program('exits')} plain 100000000 & {program('exits')} plain 100000000 & sleep 1; kill -9 $$"
        for verb in (["record"], ["run"], ["trace"]):
            with subprocess.Popen(["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "--net", "sh", "-c", inside],
                                  stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as outer:
                time.sleep(0.2)
                said = run(LEVER, *verb, "-q", "--fresh", "-o", output, "--seconds", "3", "--pid", str(outer.pid))
                check(said.returncode in RAN, f"{verb}: {said.returncode} {said.stderr}")
                report(output)


SEARCH_SECONDS, SEARCH_LATE = 20, 5


def check_end_of_search(*words):
    with folder() as place:
        begin = time.monotonic()
        said = run(LEVER, "run", "-p", "unit_is_done", "--seconds", str(SEARCH_SECONDS), "--then-stop",
                   "-o", os.path.join(place, "x.lever"), "--", *words)
        took = time.monotonic() - begin
        print(f"# {took:.1f} s")
        check(said.returncode in RAN, f"{said.returncode} {said.stderr}")
        check(took < SEARCH_SECONDS + SEARCH_LATE, f"it took {took:.1f} s: {said.stderr}")
        check("samples were lost" not in said.stderr, said.stderr)


@test("a search for sets in a program with units of 0.2 s ends in time")
def _():
    check_end_of_search(program("long_search"))


@test("a search for sets among the threads of C++ futures ends in time, and loses no samples")
def _():
    source = os.path.join(os.path.dirname(__file__), "programs", "many_futures.cpp")
    if not shutil.which("g++"):
        raise Skip("there is no g++")
    with folder() as place:
        built = os.path.join(place, "many_futures")
        check(run("g++", "-O3", "-flto", "-g", "-std=c++17", "-pthread", source, "-o", built).returncode == 0, "g++")
        check_end_of_search(built)


main()
