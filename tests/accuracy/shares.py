#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""shares - are the shares of `lever record` right? Against a program that times itself (shares.c).

    tests/accuracy/shares.py [--lever build/lever] [--seconds 10] [--folder /tmp] [--runs 1]

The program's main thread computes, competes for its CPU, reads (O_DIRECT), syncs, waits for a mutex
and a pipe, and sleeps. Of each it measures wall time, CPU time and time runnable without a CPU. Shares
of classes and of lines are compared, all as parts of what those lines took together. FOLDER must lie
on a disk that knows O_DIRECT. Ends with 1 if a share is off by more than a percentage point. Needs
root.

The kernel's own count of CPU time begins at the interrupt that wakes a thread, lever's at the switch,
some microseconds later on a virtual machine: many short waits look a little longer to lever by that.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CLASS = {"read": "I", "sync": "I", "lock": "L", "pipe": "B", "sleep": "B"}
MOST = 0.01


def build(folder):
    program = os.path.join(folder, "shares")
    subprocess.run(["gcc", "-O2", "-g", "-D_GNU_SOURCE", os.path.join(HERE, "shares.c"), "-o", program, "-lpthread"], check=True)
    return program


def truth_of(printed):
    """tid, {name: (line, {class: ns})}"""
    head, *rows = printed.strip().splitlines()
    kinds = {}
    for row in rows:
        name, *numbers = row.split()
        line, wall, cpu, runnable = map(int, numbers)
        times = {"cpu": cpu, "S": runnable}
        blocked = max(0, wall - cpu - runnable)
        if name in CLASS:
            times[CLASS[name]] = blocked
        else:  # interrupts, and a hypervisor that runs somebody else: the thread never left its CPU
            times["cpu"] += blocked
        kinds[name] = (line, times)
    return int(head.split()[1]), kinds


def measured(lever, profile, tid, lines):
    """{line: {class: ns}} of the thread; the line is the program's own, wherever it waited"""
    told = json.loads(subprocess.run([lever, "report", profile, "--format", "json", "--thread", str(tid)], check=True, capture_output=True, text=True).stdout)
    found = {line: {} for line in lines}
    for entry in told["entries"]:
        own = [frame["line"] for frame in entry["stack"] if (frame["file"] or "").endswith("shares.c") and frame["line"] in found]
        if own:
            times = found[own[0]]
            times[entry["class"]] = times.get(entry["class"], 0) + entry["weight_ns"]
    return found, told


def compare(kinds, found):
    """Rows (what, truth, measured) as fractions."""
    true_sum = sum(sum(times.values()) for _, times in kinds.values())
    found_sum = sum(sum(times.values()) for times in found.values())
    for name in ("cpu", "I", "L", "S", "B"):
        yield ("class " + name, sum(times.get(name, 0) for _, times in kinds.values()) / true_sum,
               sum(times.get(name, 0) for times in found.values()) / found_sum)
    for name, (line, times) in kinds.items():
        yield "line " + name, sum(times.values()) / true_sum, sum(found[line].values()) / found_sum
        yield " off CPU", sum(times.values()) / true_sum - times["cpu"] / true_sum, (sum(found[line].values()) - found[line].get("cpu", 0)) / found_sum


def one_run(lever, program, folder, seconds):
    profile = os.path.join(folder, "shares.lever")
    done = subprocess.run([lever, "record", "--quiet", "--fresh", "-o", profile, "--", program, str(seconds), os.path.join(folder, "data")], check=True, capture_output=True, text=True)
    tid, kinds = truth_of(done.stdout)
    found, told = measured(lever, profile, tid, [line for line, _ in kinds.values()])
    worst = 0
    for what, true, got in compare(kinds, found):
        worst = max(worst, abs(true - got))
        print("%-14s truth %5.1f %%  measured %5.1f %%  off by %+.2f points" % (what, 100 * true, 100 * got, 100 * (got - true)))
    print("worst %.2f points; %d samples, %d lost, %d chains truncated" % (100 * worst, told["sampling"]["samples"], told["sampling"]["lost"], told["sampling"]["truncated"]), flush=True)
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--folder", default="/tmp")
    parser.add_argument("--runs", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        program = build(folder)
        worst = max(one_run(os.path.abspath(options.lever), program, folder, options.seconds) for _ in range(options.runs))
    sys.exit(worst > MOST)


main()
