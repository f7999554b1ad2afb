#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""soak - profiles a mixed load for long, and watches what lever itself takes: memory, descriptors, file.

    bench/soak.py [--lever build/lever] [--minutes 30] [--command "record --system"]

The load: children that end at once, a process that executes itself again and again, four threads that work, and
a compressor of a text, in turn with sleeps. A row each 30 s: resident memory and descriptors of the engine and its
parser, and the size of the profile. Exits 1 if descriptors grow, if memory grows by more than a quarter from the first
third of the time to its end, if the last third adds more than its share and a half to the file, or if lever fails.
"""
import argparse
import glob
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LOAD = """\
while :; do
    %(storm)s forks 1 > /dev/null; %(storm)s execs 1 > /dev/null; xz -k -c %(text)s > /dev/null; sleep 0.3
done & %(exits)s threads 100000000 & sleep %(seconds)d; kill $(jobs -p)
"""


def used(pid):
    """Resident MB and descriptors; zeros when it has ended."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            pages = int(file.read().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6, len(os.listdir(f"/proc/{pid}/fd"))
    except OSError:
        return 0, 0


def parser_of(engine):
    """The engine's child that reads binaries."""
    with open(f"/proc/{engine}/task/{engine}/children", encoding="ascii") as file:
        for child in file.read().split():
            with open(f"/proc/{child}/comm", encoding="ascii") as name:
                if name.read().strip() == "lever-parser":
                    return int(child)
    return 0


def watch(engine, output, seconds):
    """Rows: seconds, engine's MB and descriptors, the parser's, MB of the file."""
    rows, began = [], time.monotonic()
    every = min(30, seconds / 10)
    print("seconds  engine MB  descriptors  parser MB  descriptors  profile MB")
    while time.monotonic() < began + seconds - every and engine.poll() is None:
        time.sleep(every)
        size = sum(os.path.getsize(path) for path in glob.glob(output + "*")) / 1e6
        rows.append((time.monotonic() - began, *used(engine.pid), *used(parser_of(engine.pid)), size))
        print("%7.0f  %9.1f  %11d  %9.1f  %11d  %10.2f" % rows[-1], flush=True)
    return rows


def grown(rows):
    """Sentences on what grew though it should not."""
    third = len(rows) // 3
    early, late = rows[third], rows[-1]
    wrong = []
    for name, memory, descriptors in (("engine", 1, 2), ("parser", 3, 4)):
        if late[memory] > 1.25 * max(row[memory] for row in rows[:third + 1]):
            wrong.append(f"the {name}'s memory grew from {early[memory]:.1f} to {late[memory]:.1f} MB")
        if late[descriptors] > max(row[descriptors] for row in rows[:third + 1]):
            wrong.append(f"the {name}'s descriptors grew from {early[descriptors]} to {late[descriptors]}")
    if late[5] - rows[-third - 1][5] > 0.5 * late[5] + 1:
        wrong.append(f"the last third added {late[5] - rows[-third - 1][5]:.1f} MB to {late[5]:.1f} MB")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default=os.path.join(HERE, "..", "build", "lever"))
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--command", default="record --system", help="the verb and its options")
    options = parser.parse_args()
    programs = os.path.join(os.path.dirname(os.path.abspath(options.lever)), "tests", "kernel", "programs")
    seconds = 60 * options.minutes
    load = ["bash", "-c", LOAD % {"storm": os.path.join(programs, "storm"), "exits": os.path.join(programs, "exits"),
                                  "text": os.path.join(HERE, "../docs/decisions.md"), "seconds": seconds}]
    with tempfile.TemporaryDirectory() as place:
        output = os.path.join(place, "soak.lever")
        command = [options.lever, *shlex.split(options.command), "--quiet", "--output", output]
        if "--system" in command:
            beside = subprocess.Popen(load, stdout=subprocess.DEVNULL, start_new_session=True)  # pylint: disable=consider-using-with
            command += ["--seconds", str(seconds)]
        else:
            beside, command = None, [*command, "--", *load]
        try:
            engine = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)  # pylint: disable=consider-using-with
            wrong = grown(watch(engine, output, seconds))
            code = engine.wait(120)
        finally:
            if beside:
                os.killpg(beside.pid, signal.SIGKILL)
        said = subprocess.run([options.lever, "report", output], capture_output=True, text=True, check=False).stdout
        print("\n".join(line for line in said.splitlines() if line.startswith(("run ", "samples", "events", "warning"))))
    print("\n".join(wrong))
    return 1 if wrong or code not in (0, 3) else 0


if __name__ == "__main__":
    sys.exit(main())
