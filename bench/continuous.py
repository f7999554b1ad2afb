#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""continuous.py - what `lever record --continuous --system` takes of a core, and its memory.

    bench/continuous.py [--lever build/lever] [--seconds 70] [--rotate 10min] [--options "--period 50ms"]

Three loops that compress a text and sleep 0.2 s run beside it. Prints the CPU time and resident memory of the recorder
and of its parser each ten seconds; the first 20 s hold its start and the names of what runs already. What its clocks
take on the cores is not in it. Needs root.
"""
import argparse
import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
import time

EVERY = 10
LOOP = "while :; do xz -k -c %s > /dev/null; sleep 0.2; done"


def one(pid):
    """CPU seconds, those of ended children, and resident bytes."""
    with open("/proc/%d/stat" % pid, encoding="ascii") as file:
        fields = file.read().rpartition(")")[2].split()
    ticks = os.sysconf("SC_CLK_TCK")
    return ((int(fields[11]) + int(fields[12])) / ticks, (int(fields[13]) + int(fields[14])) / ticks,
            int(fields[21]) * os.sysconf("SC_PAGE_SIZE"))


def used(pid):
    """CPU seconds of the recorder and of its parsers, one for each file; resident bytes of both."""
    own, parsers, memory = one(pid)
    parser_memory = 0
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as file:
        for child in file.read().split():
            with contextlib.suppress(FileNotFoundError):
                seconds, _, resident = one(int(child))
                parsers += seconds
                parser_memory += resident
    return own, parsers, memory, parser_memory


def watch(recorder, seconds):
    last = (0.0, 0.0)
    print("after s   % of a core   its parser %   resident MB   its parser MB")
    for turn in range(1, seconds // EVERY + 1):
        time.sleep(EVERY)
        own, parsers, memory, parser_memory = used(recorder.pid)
        print("%7d   %11.2f   %12.2f   %11.0f   %13.0f" %
              (turn * EVERY, 100 * (own - last[0]) / EVERY, 100 * (parsers - last[1]) / EVERY, memory / 1e6,
               parser_memory / 1e6), flush=True)
        last = (own, parsers)
    print("in %d s: %.2f %% of a core, its parser %.2f %%" % (seconds, 100 * last[0] / seconds, 100 * last[1] / seconds))


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
