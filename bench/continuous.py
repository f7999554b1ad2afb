#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""continuous.py - what `lever record --continuous --system` takes of a core, and its memory.

    bench/continuous.py [--lever build/lever] [--seconds 70] [--rotate 10min] [--options "--period 50ms"]

Three loops that compress a text and sleep 0.2 s run beside it. Prints the recorder's own CPU time and resident memory
each ten seconds; the first 20 s hold its start and the names of what runs already. What its clocks take on the cores
is not in it. Needs root.
"""
import argparse
import os
import shlex
import signal
import subprocess
import tempfile
import time

EVERY = 10
LOOP = "while :; do xz -k -c %s > /dev/null; sleep 0.2; done"


def used(pid):
    """CPU seconds and resident bytes."""
    with open("/proc/%d/stat" % pid, encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return seconds, int(fields[21]) * os.sysconf("SC_PAGE_SIZE")


def watch(recorder, seconds):
    last = 0.0
    print("after s   % of a core   resident MB")
    for turn in range(1, seconds // EVERY + 1):
        time.sleep(EVERY)
        total, memory = used(recorder.pid)
        print("%7d   %11.2f   %11.0f" % (turn * EVERY, 100 * (total - last) / EVERY, memory / 1e6), flush=True)
        last = total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--seconds", type=int, default=70)
    parser.add_argument("--rotate", default="10min")
    parser.add_argument("--options", default="", help="further ones of lever record")
    options = parser.parse_args()
    text = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../docs/decisions.md")
    loops = [subprocess.Popen(["sh", "-c", LOOP % shlex.quote(text)], start_new_session=True) for _ in range(3)]
    try:
        with tempfile.TemporaryDirectory() as folder:
            recorder = subprocess.Popen([options.lever, "record", "--system", "--continuous", "--quiet", "--output", folder,
                                         "--rotate", options.rotate, *shlex.split(options.options)])
            try:
                watch(recorder, options.seconds)
            finally:
                recorder.send_signal(signal.SIGINT)
                recorder.wait()
    finally:
        for loop in loops:
            os.killpg(loop.pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
