#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""unwind - microseconds for the call chain of a sample, by its length and the method of unwinding.

    bench/unwind.py [--lever build/lever] [--seconds 4]

A program computes at the end of a call chain without frame pointers, and the kernel measures the run
time of a tick's BPF program (kernel.bpf_stats_enabled, which is restored). With --call-graph none this is
the time of all but the chain. The share of complete chains is printed, too. Needs root and bpftool.
"""
import argparse
import json
import os
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
STATISTICS = "/proc/sys/kernel/bpf_stats_enabled"


def tick_statistics():
    """(ns, runs) of the tick's program; None while it is not there"""
    shown = subprocess.run(["bpftool", "prog", "show", "--json"], check=True, capture_output=True, text=True)
    ticks = [program for program in json.loads(shown.stdout) if program.get("name") == "record_tick" and program.get("run_cnt")]
    return (ticks[0]["run_time_ns"], ticks[0]["run_cnt"]) if len(ticks) == 1 else None


def measure(lever, program, frames, way, seconds):
    """(microseconds a tick, share of chains that are whole)"""
    with tempfile.TemporaryDirectory() as folder:
        profile = os.path.join(folder, "profile")
        command = [lever, "record", "--quiet", "--period", "500us", "--call-graph", way, "-o", profile, "--", program, str(frames), str(seconds)]
        seen = []
        with subprocess.Popen(command) as running:
            while running.poll() is None:
                found = tick_statistics()
                seen += [found] if found else []
                time.sleep(0.2)
        told = json.loads(subprocess.run([lever, "report", profile, "--format", "json"], check=True, capture_output=True, text=True).stdout)
    deep = [entry for entry in told["entries"] if entry["class"] == "cpu"]
    whole = sum(entry["weight_ns"] for entry in deep if sum(frame["function"] == "descend" for frame in entry["stack"]) == frames + 1)
    inside = sum(entry["weight_ns"] for entry in deep if entry["stack"] and "descend" in [frame["function"] for frame in entry["stack"]])
    (first_ns, first), (last_ns, last) = seen[1], seen[-1]  # the first moments fill caches
    return (last_ns - first_ns) / (last - first) / 1000, whole / inside if inside else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--seconds", type=float, default=4)
    options = parser.parse_args()
    with open(STATISTICS, encoding="ascii") as file:
        before = file.read()
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "deep_stack")
        subprocess.run(["gcc", "-O2", "-g", "-fomit-frame-pointer", "-D_GNU_SOURCE", os.path.join(HERE, "deep_stack.c"), "-o", program], check=True)
        try:
            with open(STATISTICS, "w", encoding="ascii") as file:
                file.write("1")
            for frames in (5, 50):
                bare, _ = measure(os.path.abspath(options.lever), program, frames, "none", options.seconds)
                cost, whole = measure(os.path.abspath(options.lever), program, frames, "dwarf", options.seconds)
                length = frames + 5  # main and what calls it
                print("%3d frames: tick %.2f us, of which the chain %.2f us, %.2f us a frame; %.1f %% of the chains are whole" % (
                    length, cost, cost - bare, (cost - bare) / length, 100 * whole), flush=True)
        finally:
            with open(STATISTICS, "w", encoding="ascii") as file:
                file.write(before)


main()
