#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""memory - is it the memory that makes a program's CPU time differ from run to run?

    bench/memory.py [--programs NAME ...] [--rounds 5]

In turn, on each core alone: how long a load takes from 256 KiB, 8 MiB and 64 MiB (memory_latency.c), and the CPU time of each
program of bench/scale.py. On a dedicated machine all are constant; on a virtual one, other guests use the shared
cache, too.
"""
import argparse
import os
import subprocess
import tempfile

from scale import CASES, HERE, compiled


def cpu_seconds(command, core):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=lambda: os.sched_setaffinity(0, {core}))
    usage = os.wait4(process.pid, 0)[2]
    return usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", choices=CASES, nargs="+", default=["zstd", "xz", "sysbench-cpu"])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print("| core | 256 KiB | 8 MiB | 64 MiB | " + " | ".join(options.programs) + " |\n| --- |" + " --- |" * (3 + len(options.programs)))
    with tempfile.TemporaryDirectory(prefix="lever-bench-") as work:
        with open(os.path.join(HERE, "memory_latency.c"), encoding="ascii") as file:
            latency = compiled(work, "memory_latency", file.read())
        commands = [CASES[name](work) for name in options.programs]
        for core in sorted(os.sched_getaffinity(0)) * options.rounds:
            loads = subprocess.run(["taskset", "-c", str(core), latency], capture_output=True, text=True, check=True).stdout.split()
            cells = [f"{load} ns" for load in loads] + [f"{cpu_seconds(command, core):.2f} s" for command in commands]
            print(f"| {core} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
