#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""soak - profiles a mixed load for long, and watches what lever itself takes: memory, descriptors, file.

    bench/soak.py [--lever build/lever] [--minutes 30] [--command "record --system"]

The load: children that end at once, a process that executes itself again and again, four threads that work, a
compressor of a text, in turn with sleeps, and a new program all the time, compiled, run and removed. A row each 30 s: resident memory and descriptors of the engine and its
parser, and the size of the profile; of a recording, what a million samples add. Exits 1 if the last third of the time has
a quarter more memory or a tenth more descriptors than all before, or adds more than its share and a half to the file, or
if lever fails.
"""
import argparse
import glob
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LOAD = """\
while :; do
    %(storm)s forks 1 > /dev/null; %(storm)s execs 1 > /dev/null; xz -k -c %(text)s > /dev/null; sleep 0.3
done & %(exits)s threads 100000000 & %(builds)s & sleep %(seconds)d; kill $(jobs -p)
"""
# A program that no one has seen before, compiled with debug information, run and removed, again and again.
BUILDS = r"""
for ((n = 0; ; n++)); do
    awk -v n=$n 'BEGIN {
        for (i = 0; i < 100; i++)
            printf "static __attribute__((noinline)) long f%%d_%%d(long a)\n{\nfor (int j = 0; j < 20000; j++)\na = a * 31 + j;\nreturn a;\n}\n", n, i
        print "int main(void)\n{\nlong a = 1;"
        for (i = 0; i < 100; i++) printf "a += f%%d_%%d(a);\n", n, i
        print "return a == 7;\n}" }' > %(place)s/new$n.c
    cc -g -O1 -o %(place)s/new$n %(place)s/new$n.c && %(place)s/new$n; rm -f %(place)s/new$n*
done"""


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
    """Sentences on what grew though it should not: the last third against all before."""
    third = len(rows) // 3
    before, late = rows[:-third], rows[-third:]
    wrong = []
    for name, memory, descriptors in (("engine", 1, 2), ("parser", 3, 4)):
        for what, column, times in (("memory", memory, 1.25), ("descriptors", descriptors, 1.1)):
            early, last = max(row[column] for row in before), max(row[column] for row in late)
            if last > times * early:
                wrong.append(f"the {name}'s {what} grew from {early:.0f} to {last:.0f}")
    if late[-1][5] - before[-1][5] > 0.5 * late[-1][5] + 1:
        wrong.append(f"the last third added {late[-1][5] - before[-1][5]:.1f} MB to {late[-1][5]:.1f} MB")
    return wrong


def slope(rows, column):
    """By least squares, per second."""
    count, seconds, values = len(rows), [row[0] for row in rows], [row[column] for row in rows]
    middle, mean = sum(seconds) / count, sum(values) / count
    return sum((x - middle) * (y - mean) for x, y in zip(seconds, values)) / sum((x - middle) ** 2 for x in seconds)


def tell_growth(rows, output):
    """What a million samples add, after the first third of the time."""
    with sqlite3.connect(f"file:{output}?mode=ro", uri=True) as file:
        events, = file.execute("SELECT sum(samples) FROM moment").fetchone()
    millions = events / 1e6 / rows[-1][0]
    columns = (("engine", 1, "MB"), ("its descriptors", 2, ""), ("parser", 3, "MB"), ("profile", 5, "MB"))
    print(f"{events} samples; a million adds", ", ".join(
        f"{slope(rows[len(rows) // 3:], column) / millions:+.1f} {unit} {name}".replace("  ", " ") for name, column, unit in columns))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default=os.path.join(HERE, "..", "build", "lever"))
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--command", default="record --system", help="the verb and its options")
    options = parser.parse_args()
    programs = os.path.join(os.path.dirname(os.path.abspath(options.lever)), "tests", "kernel", "programs")
    seconds = 60 * options.minutes
    with tempfile.TemporaryDirectory() as place:
        load = ["bash", "-c", LOAD % {
            "storm": os.path.join(programs, "storm"), "exits": os.path.join(programs, "exits"), "seconds": seconds,
            "text": os.path.join(HERE, "../docs/decisions.md"), "builds": BUILDS % {"place": place}}]
        output = os.path.join(place, "soak.lever")
        command = [options.lever, *shlex.split(options.command), "--quiet", "--output", output]
        if "--system" in command:
            beside = subprocess.Popen(load, stdout=subprocess.DEVNULL, start_new_session=True)  # pylint: disable=consider-using-with
            command += ["--seconds", str(seconds)]
        else:
            beside, command = None, [*command, "--", *load]
        try:
            engine = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)  # pylint: disable=consider-using-with
            rows = watch(engine, output, seconds)
            wrong = grown(rows)
            code = engine.wait(120)
        finally:
            if beside:
                os.killpg(beside.pid, signal.SIGKILL)
        said = subprocess.run([options.lever, "report", output], capture_output=True, text=True, check=False).stdout
        print("\n".join(line for line in said.splitlines() if line.startswith(("run ", "samples", "events", "warning"))))
        if options.command.startswith("record"):
            tell_growth(rows, output)
    print("\n".join(wrong))
    return 1 if wrong or code not in (0, 3) else 0


if __name__ == "__main__":
    sys.exit(main())
