#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""safety - tests that the machine stays usable under `lever run --system`, and after lever is killed.

    bench/safety.py [--lever build/lever] [--kills 50] [--seconds 20]

Two processes keep every core busy. A shell is started again and again, without lever and under
`lever run --system` with speedups of 100 % (half of the time is pauses); its response times are
printed. Then lever is killed by -9 at random times, --kills times; after each, its BPF programs must
be gone, and the busy processes must be as fast as before. At the end, warnings in the kernel's log are
printed. Exits 1 if the shell ever took longer than --most milliseconds, if something was left behind,
or if the kernel's log has warnings. Needs root and /usr/bin/chrt.
"""
import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "kernel"))
import engine_probe  # noqa: E402

BUSY = "import time\nwhile True: pass"


def answers(seconds):
    """Milliseconds that a shell takes, again and again."""
    found, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        began = time.monotonic()
        subprocess.run(["/bin/sh", "-c", "echo $((6 * 7))"], stdout=subprocess.DEVNULL, check=True)
        found.append(1000 * (time.monotonic() - began))
        time.sleep(0.02)
    return found


def told(name, found):
    found.sort()
    print("%-28s %4d shells: median %5.1f ms, 99 %% within %5.1f ms, worst %5.1f ms" % (
        name, len(found), statistics.median(found), found[int(0.99 * (len(found) - 1))], found[-1]), flush=True)
    return found[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default=os.path.join(HERE, "..", "build", "lever"))
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--most", type=float, default=200, help="milliseconds")
    options = parser.parse_args()
    before, left, failed = len(engine_probe.complaints()), 0, False
    busy = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(os.cpu_count())]
    try:
        with tempfile.TemporaryDirectory() as place:
            command = [options.lever, "run", "-q", "--fresh", "-o", os.path.join(place, "safety.lever"), "--system",
                       "--speedups", "0,100", "--progress", "tracepoint:sched:sched_process_fork"]
            told("without lever", answers(options.seconds / 2))
            with subprocess.Popen(command, stderr=subprocess.DEVNULL) as run:
                time.sleep(1)
                failed |= told("lever run --system, at 100 %", answers(options.seconds)) > options.most
                run.terminate()
            for _ in range(options.kills):
                programs = engine_probe.kill_at(command, random.uniform(0.05, 2))
                left += bool(engine_probe.still_loaded(programs))
            told("after the kills", answers(options.seconds / 2))
    finally:
        for process in busy:
            process.kill()
    complaints = engine_probe.complaints()[before:]
    print("%d kills by -9, %d of them left BPF programs behind; the kernel complained %d times" % (
        options.kills, left, len(complaints)))
    print("\n".join(complaints))
    return 1 if failed or left or complaints else 0


if __name__ == "__main__":
    sys.exit(main())
