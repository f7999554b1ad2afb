#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""continuous.py - what `lever record --continuous --system` takes of a core, and its memory.

    bench/continuous.py [--lever build/lever] [--seconds 70] [--rotate 10min] [--loops 3] [--bpf] [--options "--period 50ms"]

Loops that compress a text and sleep 0.2 s run beside it. Prints each ten seconds the CPU time and resident memory of
the recorder and of its parser, with --bpf the time of its BPF programs on all cores (by kernel.bpf_stats_enabled, which
makes those of all programs slower, and is restored), and what the machine did: load, and processes started. The first 20 s hold the recorder's start and the names of what
runs already. At the end: shares of the whole time and of the ten seconds in which few processes were started, as each
new program is named. CPU time counts where others use the cores, too; time in which this script was stopped is left
out. The interrupts of its clocks, outside BPF, are not in it. Needs root.
"""
import argparse
import contextlib
import glob
import os
import shlex
import signal
import subprocess
import tempfile
import time

EVERY = 10
CALM_STARTS = 10  # processes a second: fewer are a calm machine
STATISTICS = "/proc/sys/kernel/bpf_stats_enabled"
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


def bpf_seconds(pid):
    """CPU seconds of the recorder's BPF programs, on all cores; a new file has new ones."""
    told = 0
    for path in glob.glob("/proc/%d/fdinfo/*" % pid):
        with contextlib.suppress(OSError), open(path, encoding="ascii") as file:
            told += sum(int(line.split()[1]) for line in file if line.startswith("run_time_ns:"))
    return told / 1e9


def machine():
    """Processes started since boot, and the load."""
    with open("/proc/stat", encoding="ascii") as file:
        started = next(int(line.split()[1]) for line in file if line.startswith("processes "))
    return started, os.getloadavg()[0]


def pass_time(seconds):
    """Sleeps, and gives the seconds in which this process was not stopped."""
    passed, last = 0.0, time.monotonic()
    while passed < seconds:
        time.sleep(0.1)
        now = time.monotonic()
        passed += min(now - last, 0.2)
        last = now
    return passed


def watch(recorder, seconds):
    """Prints a row each ten seconds; gives their (seconds, recorder's, parser's, BPF's seconds, starts a second)."""
    rows = []
    began, last, started = time.monotonic(), (0.0, 0.0, 0.0), machine()[0]
    print("after s   % of a core   its parser %   BPF %   resident MB   its parser MB   load   starts/s")
    while sum(row[0] for row in rows) < seconds and recorder.poll() is None:
        try:
            passed = pass_time(EVERY)
        except KeyboardInterrupt:
            break
        own, parsers, memory, parser_memory = used(recorder.pid)
        now, (starts, load) = (own, parsers, bpf_seconds(recorder.pid)), machine()
        rows.append((passed, *(b - a if b >= a else b for a, b in zip(last, now)), (starts - started) / passed))
        print("%7d   %11.2f   %12.2f   %5.2f   %11.0f   %13.0f   %4.1f   %8.1f" %
              (time.monotonic() - began, *(100 * part / passed for part in rows[-1][1:4]), memory / 1e6,
               parser_memory / 1e6, load, rows[-1][4]), flush=True)
        last, started = now, starts
    return rows


def tell(name, rows):
    seconds = sum(row[0] for row in rows)
    if seconds:
        print("%s, %.0f s: %.2f %% of a core, its parser %.2f %%, BPF %.2f %%" %
              (name, seconds, *(100 * sum(row[i] for row in rows) / seconds for i in (1, 2, 3))))


@contextlib.contextmanager
def statistics(wanted):
    """The kernel measures BPF programs."""
    if not wanted:
        yield
        return
    with open(STATISTICS, encoding="ascii") as file:
        before = file.read()
    with open(STATISTICS, "w", encoding="ascii") as file:
        file.write("1")
    try:
        yield
    finally:
        with open(STATISTICS, "w", encoding="ascii") as file:
            file.write(before)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--seconds", type=int, default=70)
    parser.add_argument("--rotate", default="10min")
    parser.add_argument("--loops", type=int, default=3)
    parser.add_argument("--bpf", action="store_true")
    parser.add_argument("--options", default="", help="further ones of lever record")
    options = parser.parse_args()
    text = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../docs/decisions.md")
    loops = [subprocess.Popen(["sh", "-c", LOOP % shlex.quote(text)], start_new_session=True) for _ in range(options.loops)]
    try:
        with tempfile.TemporaryDirectory() as folder, statistics(options.bpf):
            recorder = subprocess.Popen([options.lever, "record", "--system", "--continuous", "--quiet", "--output", folder,
                                         "--rotate", options.rotate, *shlex.split(options.options)])
            try:
                rows = watch(recorder, options.seconds)
            finally:
                recorder.send_signal(signal.SIGINT)
                recorder.wait()
            tell("all", rows)
            tell("after the first 20 s", rows[2:])
            tell("of them with less than %d starts a second" % CALM_STARTS, [row for row in rows[2:] if row[4] < CALM_STARTS])
    finally:
        for loop in loops:
            os.killpg(loop.pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
