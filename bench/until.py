#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""until - the time of a run until its answer, and experiments per minute, compared with coz.

    bench/until.py [--lever build/lever] [--rounds 5] [--points 2] [--programs single_thread,lock,shared_memory_ring]

Each program is one of tests/accuracy/, with its best target given. A round runs, in random order,

  lever   `lever run --target ... --until 2pp`: seconds from the command's start until it prints that
          measuring is over, and valid experiments per minute;
  coz     `coz run --fixed-line ...` for --seconds: experiments per minute that coz wrote.

The number includes experiments at a speedup of 0, the controls; the number above 0 is printed, too.

Medians over the rounds are printed. --speedups is passed to lever; by default it measures a point at
each 5 %, and the run ends when all are known. Needs root and coz-profiler; check `uptime` first.
"""
import argparse
import os
import random
import re
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "accuracy"))
from run import COZ_FLAGS, Case, loops_per_microsecond  # noqa: E402

BEST = {"single_thread": "A", "lock": "B", "shared_memory_ring": "A"}
IS_OVER = "measuring is over"


class Program:
    def __init__(self, name, work, loops):
        self.name, self.loops = name, loops
        case = Case(name)
        self.target = next(target.name for target in case.targets if target.letter == BEST[name])
        self.builds = {}
        for kind, flags in (("lever", ()), ("coz", COZ_FLAGS)):
            folder = os.path.join(work, kind)
            os.makedirs(folder, exist_ok=True)
            self.builds[kind] = case.build(folder, flags)

    def command(self, kind, seconds):
        return [self.builds[kind], "-t", str(seconds), "-l", str(self.loops)]


def until_over(process):
    """Seconds until lever prints that it is done; None if the program ended first. Reads to the end."""
    start, seconds, said = time.monotonic(), None, []
    for line in process.stderr:
        said.append(line)
        if IS_OVER in line and seconds is None:
            seconds = time.monotonic() - start
            os.killpg(process.pid, signal.SIGTERM)  # the program's other processes, too; lever closes its profile
    if process.wait() not in (0, 3):
        sys.exit("lever ended with %d: %s" % (process.returncode, "".join(said)))
    return seconds


def run_lever(program, options, work):
    """(seconds until the answer or None, experiments per minute, those above a speedup of 0)"""
    profile = os.path.join(work, "profile.lever")
    speedups = ["--speedups", options.speedups] if options.speedups else []
    command = [options.lever, "run", "--fresh", "-o", profile, "--target", program.target, *speedups,
               "--until", "%gpp" % options.points, "--", *program.command("lever", options.longest)]
    seconds = until_over(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True))
    with closing(sqlite3.connect(profile)) as opened:
        speedups = [speedup for (speedup,) in opened.execute("SELECT speedup FROM experiment WHERE verdict = 'counted'")]
    minutes = (seconds or options.longest) / 60
    return seconds, len(speedups) / minutes, sum(speedup > 0 for speedup in speedups) / minutes


def run_coz(program, options, work):
    """(experiments per minute, those above a speedup of 0)"""
    profile = os.path.join(work, "profile.coz")
    if os.path.exists(profile):
        os.unlink(profile)
    subprocess.run(["coz", "run", "-o", profile, "--fixed-line", program.target, "---",
                    *program.command("coz", options.seconds)], capture_output=True)
    text = ""
    if os.path.exists(profile):
        with open(profile) as file:
            text = file.read()
    speedups = [float(speedup) for speedup in re.findall(r"^experiment\t.*speedup=([\d.]+)", text, re.MULTILINE)]
    minutes = options.seconds / 60
    return len(speedups) / minutes, sum(speedup > 0 for speedup in speedups) / minutes


def tell(program, rounds, lever, coz, options):
    found = [seconds for seconds, *_ in lever if seconds is not None]
    # A run without an answer counts as longer than all others.
    seconds = statistics.median_high([s if s is not None else float("inf") for s, *_ in lever])
    _, rate, above = (statistics.median(column) for column in zip(*[(0, *rest) for _, *rest in lever]))
    print("%-7s median of %d rounds: ±%g points after %s s (answered %d of %d), %.0f experiments per minute (%.0f of them above 0)" % (
        program.name, rounds, options.points, "%.1f" % seconds if seconds != float("inf") else "more than %g" % options.longest,
        len(found), rounds, rate, above), end="")
    if coz:
        whole, coz_above = (statistics.median(column) for column in zip(*coz))
        print("; coz %.0f (%.0f of them above 0)%s" % (whole, coz_above, ": %.1f and %.1f times coz's" % (rate / whole, above / max(coz_above, 1)) if whole else ""), end="")
    print(flush=True)


def measure(program, options, work):
    lever, coz = [], []
    kinds = ["lever", "coz"] if shutil.which("coz") else ["lever"]
    for _ in range(options.rounds):
        for kind in random.sample(kinds, len(kinds)):
            if kind == "lever":
                lever.append(run_lever(program, options, work))
            else:
                coz.append(run_coz(program, options, work))
    tell(program, options.rounds, lever, coz, options)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--points", type=float, default=2, help="half the interval that is wanted, in percentage points")
    parser.add_argument("--programs", default=",".join(BEST))
    parser.add_argument("--speedups", help="as for lever run, like 0,25,50,75,100")
    parser.add_argument("--longest", type=float, default=120, help="give up a run of lever after so many seconds")
    parser.add_argument("--seconds", type=float, default=20, help="length of a run of coz")
    options = parser.parse_args()
    options.lever = os.path.abspath(options.lever)
    print("uptime:", open("/proc/loadavg").read().strip())
    if not shutil.which("coz"):
        print("coz is not installed (apt-get install coz-profiler)")
    with tempfile.TemporaryDirectory() as work:
        loops = loops_per_microsecond(work)
        for name in options.programs.split(","):
            measure(Program(name, work, loops), options, work)


if __name__ == "__main__":
    main()
