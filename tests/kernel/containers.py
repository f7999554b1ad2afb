#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""containers - lever in the process namespace of the program, as in its container.

Usage: containers.py PATH-OF-LEVER PATH-OF-PROGRAMS
"""
import json
import os
import subprocess
import tempfile

from kernel import Skip, check, equal, lever, main, program, test
from check import LEVER

FOLDER = tempfile.TemporaryDirectory()
# Ids here and outside must differ, or nothing is shown; one process that is no child of lever.
NAMESPACE = ["unshare", "--pid", "--mount", "--fork", "--mount-proc", "--kill-child", "sh", "-euc"]


def inside(script, *words):
    result = subprocess.run([*NAMESPACE, script, "sh", LEVER, *words], cwd=FOLDER.name, capture_output=True, text=True, timeout=100)
    if "unshare failed" in result.stderr:
        raise Skip(result.stderr.strip())
    equal(result.returncode, 0, result.stderr + result.stdout)
    return result


def report(name):
    result = lever("report", "--format", "json", os.path.join(FOLDER.name, name))
    equal(result.returncode, 0, result.stderr)
    return json.loads(result.stdout)


@test("lever run and record find the code of a process that runs there")
def _():
    inside("""for word in a b c d e f; do /bin/true; done; "$2" spin 1 20000 & "$1" run --quiet --pid $! --seconds 8 -g function -o run.lever
           "$1" record --quiet --pid $! --seconds 1 -o record.lever""", program("threads"))
    targets = report("run.lever")["targets"]
    check(any("busy" in target["name"] for target in targets), targets)
    entries = report("record.lever")["entries"]
    check(any("busy" in str(entry) for entry in entries), entries)


@test("record, trace and scale see the threads of a program that they start there")
def _():
    inside("""for verb in record trace scale; do "$1" $verb --quiet -o $verb.lever -- "$2" spin 2 500; done""", program("threads"))
    check(report("record.lever")["sampling"]["samples"] > 500)
    check(len(report("trace.lever")["threads"]) == 3, report("trace.lever")["threads"])
    equal(report("scale.lever")["threads"]["made"], 3)


main()
