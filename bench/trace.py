#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""trace - the overhead of `lever trace`: of an annotation, of the scheduler's log, in memory, and of programs.

    bench/trace.py [--lever build/lever] [--rounds 3] [--case marks|flood|switches|pbzip2|programs|long|all]

marks: ns of CPU time that an annotation adds (a begin and an end count as two), with and without a recorder, compared
with reading the processor's counter alone, LTTng-UST, trace_marker and a write to /dev/null, by one thread and by two.
flood: annotations a second from two threads that do nothing else, and how many were dropped. switches: two threads on
one core that wake each other by futex, compared with perf sched record. pbzip2: -p2 on 30 MB. programs: three example
programs with and without; for orders, which works for a given time, the time of an order. long: 50 million
annotations, the engine's memory and the file's size. Needs root; check `uptime` first.
"""
import argparse
import contextlib
import glob
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import paired_run

HERE = os.path.dirname(os.path.abspath(__file__))
MARKER = "/sys/kernel/tracing/trace_marker"


def compiled(work, name, folder=HERE, words=()):
    program = os.path.join(work, name + "-".join(words))
    subprocess.run(["gcc", "-O2", "-g", "-D_GNU_SOURCE", "-I", os.path.join(HERE, "..", "include"), "-I", folder,
                    os.path.join(folder, name + ".c"), "-o", program, *words, "-lpthread"], check=True)
    return program


def trace(lever, work, *words):
    return [lever, "trace", "--quiet", "--fresh", "-o", os.path.join(work, "out.lever"), *words, "--"]


def said(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def told(lever, work):
    return json.loads(said(lever, "report", os.path.join(work, "out.lever"), "--format", "json"))


def check_drops(events):
    """A dropped annotation costs less than one that is recorded."""
    whole = events["annotations"] + events["annotations_dropped"]
    if events["annotations_dropped"] > whole / 50:
        print("(%.0f %% of the annotations of the next figure were dropped)" % (100 * events["annotations_dropped"] / whole))


PACE = 1500  # steps of work between annotations, some 0.5 us: the engine, which reads beside, keeps up


@contextlib.contextmanager
def lttng(work):
    """A program with a recorded tracepoint of LTTng-UST; None where LTTng is not installed."""
    header = glob.glob("/usr/include/lttng/tracepoint.h") + glob.glob("/usr/include/*/lttng/tracepoint.h")
    if not shutil.which("lttng") or not header:
        yield None
        return
    program = compiled(work, "marks", words=("-DHAS_LTTNG", "-llttng-ust", "-ldl"))
    daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(2)
        for words in (("create", "bench", "--output", os.path.join(work, "lttng")),
                      ("enable-channel", "--userspace", "--num-subbuf", "8", "--subbuf-size", "4M", "main"),
                      ("enable-event", "--userspace", "--channel", "main", "lever_bench:*"), ("start", "bench")):
            said("lttng", "--no-sessiond", *words)
        yield program
        said("lttng", "--no-sessiond", "destroy", "bench")
    finally:
        daemon.terminate()
        daemon.wait()


def case_marks(lever, work, rounds):
    marks = compiled(work, "marks")
    rows = [
        ("reading the counter, alone", [], marks, "counter", 1000000),
        ("no recorder: instant", [], marks, "instant", 20000000),
        ("no recorder: begin, end", [], marks, "span", 20000000),
        ("recorded: instant", trace(lever, work), marks, "instant", 1000000),
        ("recorded: begin, end", trace(lever, work), marks, "span", 1000000),
        ("recorded: instant with a value", trace(lever, work), marks, "value", 1000000),
        ("write to /dev/null", [], marks, "null", 1000000),
    ]
    if os.path.exists(MARKER):
        rows.append(("trace_marker", [], marks, "marker", 400000))
    else:
        print("there is no %s (mount -t tracefs tracefs /sys/kernel/tracing)" % MARKER)
    with lttng(work) as with_lttng:
        if with_lttng:
            rows.append(("LTTng-UST, with a value", [], with_lttng, "lttng", 1000000))
        else:
            print("LTTng-UST is not installed (apt-get install liblttng-ust-dev lttng-tools)")
        for name, prefix, program, way, count in rows:
            figures = []
            pace = str(0 if way in ("instant", "span") and not prefix else PACE)
            for threads in ("1", "2"):
                times = [float(said(*prefix, program, way, threads, str(count), pace)) for _ in range(rounds)]
                if prefix:
                    check_drops(told(lever, work)["events"])
                figures.append("%.2f ns (%.2f to %.2f)" % (statistics.median(times), min(times), max(times)))
            print("%-32s 1 thread %s, 2 threads %s" % (name, *figures), flush=True)


def case_flood(lever, work, _):
    marks = compiled(work, "marks")
    for count in (20000000,):
        start = time.monotonic()
        subprocess.run([*trace(lever, work, "--buffer", "16M"), marks, "instant", "2", str(count)], check=True, capture_output=True)
        seconds = time.monotonic() - start
        events = told(lever, work)["events"]
        whole = events["annotations"] + events["annotations_dropped"]
        print("flood: %.1f M annotations/s offered, %.1f %% dropped; recorded + dropped = %d of %d" % (
            whole / seconds / 1e6, 100 * events["annotations_dropped"] / whole, whole, 2 * count), flush=True)


def rate(command):
    """Switches a second, as the program says."""
    return float(re.search(r"[0-9.]+", said(*command)).group())


def case_switches(lever, work, rounds):
    command = [compiled(work, "switches"), "600000"]
    perf = ["perf", "sched", "record", "-q", "-o", os.path.join(work, "perf.data"), "--"]
    for name, prefix in (("lever trace", trace(lever, work)), ("perf sched record", perf)):
        if not shutil.which(prefix[0]):
            continue
        costs = []
        for _ in range(rounds):  # in turn: perf sched record slows the whole machine
            bare, traced = rate(command), rate([*prefix, *command])
            costs.append(bare / traced - 1)
        print("switches  %-18s %+.1f %% (%+.1f to %+.1f)" % (name, 100 * statistics.median(costs), 100 * min(costs), 100 * max(costs)), flush=True)


def compare(name, command, lever, work, rounds, counted=None):
    costs = []
    for _ in range(rounds):
        bare, traced = paired_run.run_pair(command, [*trace(lever, work), *command], counted=counted)
        costs.append(traced / bare)
    print("%-10s with tracing %.3f times (%.3f to %.3f) the time without" % (name, statistics.median(costs), min(costs), max(costs)), flush=True)


def case_pbzip2(lever, work, rounds):
    if not shutil.which("pbzip2"):
        print("pbzip2 is not installed")
        return
    data = os.path.join(work, "data")
    with open(data, "wb") as file:
        file.write(b"".join(b"%d %d\n" % (i, i * i) for i in range(1500000)))
    compare("pbzip2", ["pbzip2", "-p2", "-k", "-f", "-c", data], lever, work, rounds)


def case_programs(lever, work, rounds):
    examples = os.path.join(HERE, "..", "examples")
    compare("balance", [compiled(work, "balance", examples), "2", "400"], lever, work, rounds)
    compare("orders", [compiled(work, "orders", examples), "8"], lever, work, rounds, counted=r"(\d+) orders")
    compare("spin", [compiled(work, "spin"), "2", "1500"], lever, work, rounds)


def peak_mb(command):
    """Runs the command; returns its peak memory and exit status."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit("%s ended with %d" % (command[:2], process.returncode))
    return used.ru_maxrss / 1024


LONG_SPANS, LONG_SECONDS, LONG_TRY = 12500000, 60, 100  # of each of two threads


def pace_for(marks, seconds):
    """The steps of work before each span for which the program takes this time on this machine."""
    pace, start = 2500, time.monotonic()
    said(marks, "span", "2", str(LONG_SPANS // LONG_TRY), str(pace))
    return round(pace * seconds / LONG_TRY / (time.monotonic() - start))


def case_long(lever, work, _):
    """25 million spans in some 60 s, by two threads; then the summary and other reports."""
    file, marks = os.path.join(work, "out.lever"), compiled(work, "marks")
    pace = pace_for(marks, LONG_SECONDS)
    command = [lever, "trace", "--fresh", "-o", file, "--", marks, "span", "2", str(LONG_SPANS), str(pace)]
    start = time.monotonic()
    most = peak_mb(command)
    seconds = time.monotonic() - start
    count = said("sqlite3", file, "SELECT sum(events), sum(lost) FROM chunk WHERE kind = 'marks'") if shutil.which("sqlite3") else "?"
    print("long: %.0f s with the summary, events|lost %s, the engine's peak memory %.0f MB, the file %.0f MB" % (
        seconds, count.strip(), most, os.path.getsize(file) / 1e6), flush=True)
    start = time.monotonic()
    most = peak_mb([lever, "report", file, "--format", "json", "--output", os.path.join(work, "report")])
    print("long: report --format json: %.0f s, %.0f MB of memory" % (time.monotonic() - start, most), flush=True)


CASES = {"marks": case_marks, "flood": case_flood, "switches": case_switches, "pbzip2": case_pbzip2, "programs": case_programs, "long": case_long}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--case", default="all", choices=[*CASES, "all"])
    options = parser.parse_args()
    print("uptime:", open("/proc/loadavg").read().strip())
    for name, case in CASES.items():
        if options.case in (name, "all"):
            with tempfile.TemporaryDirectory(dir="/tmp") as work:
                case(os.path.abspath(options.lever), work, options.rounds)


if __name__ == "__main__":
    sys.exit(main())
