#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""faults - kills lever by -9 at random moments in each verb, and prints a table of what it left.

    bench/faults.py [--lever build/lever] [--kills 1000] [--verbs run,record]

A row is a verb: kills, how many of these levers had BPF programs at that moment, and then how often there were
left: BPF programs, processes, files (pins, shared memory, temporary ones), pauses of more than a quarter of the
time from 100 ms after the kill on (runtime engine: 0.75 s), profiles that `lever report` cannot read. Time in which
other programs have the cores is no pause; kills after which this script was held up itself are not asked for pauses,
and counted. Exits 1 if anything was left. Needs root.
"""
import argparse
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "kernel"))
import engine_probe  # noqa: E402
import fault_injection  # noqa: E402


OWN = "LEVER_FAULTS_OWN_FOLDERS"
HIDDEN = ("/tmp/", "/dev/shm/")


def with_own_folders():
    """Runs this program again with /tmp and /dev/shm of its own: what is left there is left by its levers."""
    if OWN not in os.environ:
        if os.path.realpath(HERE).startswith(HIDDEN):
            sys.exit("faults: this checkout lies in %s, which is hidden while levers are killed; use one elsewhere" % HERE)
        mounts = 'for at in /tmp /dev/shm; do mount -t tmpfs tmpfs "$at"; done; exec "$@"'
        os.execvpe("unshare", ["unshare", "--mount", "--propagation", "private", "sh", "-euc", mounts, "sh", sys.executable, *sys.argv],
                   {**os.environ, OWN: "1"})


def main():
    with_own_folders()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default=os.path.join(HERE, "..", "build", "lever"))
    parser.add_argument("--kills", type=int, default=1000, help="in each verb")
    parser.add_argument("--verbs", default=",".join(fault_injection.VERBS))
    options = parser.parse_args()
    gaps = os.path.join(os.path.dirname(os.path.abspath(options.lever)), "tests", "kernel", "programs", "gaps")
    before, failed = len(engine_probe.complaints()), False
    print("%-14s %6s %8s %4s %10s %6s %7s %11s %10s" % (
        "verb", "kills", "working", "BPF", "processes", "files", "pauses", "unreadable", "not asked"), flush=True)
    for verb in options.verbs.split(","):
        with tempfile.TemporaryDirectory() as place:
            told = [fault_injection.kill_once(options.lever, verb, place, gaps) for _ in range(options.kills)]
        bad = [sum(bool(one.programs) for one in told), sum(bool(one.processes) for one in told),
               sum(bool(one.files) for one in told), sum((one.lost or 0) > 0.25 for one in told),
               sum(one.report not in fault_injection.READABLE for one in told)]
        failed |= any(bad)
        print("%-14s %6d %8d %4d %10d %6d %7d %11d %10d" % (
            verb, len(told), sum(one.was_working for one in told), *bad, sum(one.lost is None for one in told)), flush=True)
    complaints = engine_probe.complaints()[before:]
    print("complaints of the kernel: %d" % len(complaints))
    print("\n".join(complaints))
    return 1 if failed or complaints else 0


if __name__ == "__main__":
    sys.exit(main())
