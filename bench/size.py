#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""size - how `lever report` grows with a profile: seconds by the clock and of CPU time, memory, by format.

    bench/size.py BUILD [--kinds causal,samples] [--times 1,10,50] [--formats text,json,html]

The profiles are those of tests/golden with 200 targets and 12,200 experiments (causal), and with 100,000 moments on 1.6 M
stacks (samples), each so many times over under new names. Times are the least of --rounds runs, and memory the most that was resident.
The last column compares the CPU time with that of the row before: 1 is linear growth.
"""
import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time

RECORDINGS = {"causal": "wide", "samples": "deep"}
# What is multiplied: columns that number rows, by the table whose rows they number.
NUMBERS = {
    "causal": {
        "target": {"id": "target"},
        "sample": {"target_id": "target"},
        "experiment": {"id": "experiment", "target_id": "target"},
        "visit": {"experiment_id": "experiment"},
        "length": {"experiment_id": "experiment"},
    },
    "samples": {
        "frame": {"id": "frame"},
        "stack": {"id": "stack", "caller_id": "stack", "frame_id": "frame"},
        "moment": {"id": "moment", "stack_id": "stack"},
    },
}
NAMES = {"target": ("name", "function"), "frame": ("function",)}
UNITS = {"causal": ("target", "targets"), "samples": ("moment", "moments")}


def expression(table, column, numbers, most):
    """Of a column in a further copy of its table: numbers move, names get an ending."""
    if column in numbers:
        moved = f"{column} + ?1 * {most[numbers[column]]}"
        return f"CASE {column} WHEN 0 THEN 0 ELSE {moved} END"
    if column == "start_ns":  # experiments of a copy come after those of the last one
        return "start_ns + ?1 * 3000000000000"
    return f"{column} || '_' || ?1" if column in NAMES.get(table, ()) else column


def multiply(path, kind, times):
    with sqlite3.connect(path) as file:
        file.execute("PRAGMA foreign_keys = OFF")
        tables = NUMBERS[kind]
        most = {table: file.execute(f"SELECT max(id) FROM {table}").fetchone()[0] for table in tables if "id" in tables[table]}
        first = {table: f"CREATE TEMP TABLE first_{table} AS SELECT * FROM {table}" for table in tables}
        for command in first.values():
            file.execute(command)
        for copy in range(1, times):
            for table, numbers in tables.items():
                columns = [row[1] for row in file.execute(f"PRAGMA table_info({table})")]
                values = ", ".join(expression(table, column, numbers, most) for column in columns)
                file.execute(f"INSERT INTO {table} SELECT {values} FROM temp.first_{table}", (copy,) if "?1" in values else ())
        return file.execute(f"SELECT count(*) FROM {UNITS[kind][0]}").fetchone()[0]


def measure(command):
    """CPU seconds, MB resident, and seconds by the clock."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"size: {' '.join(command)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000, time.monotonic() - began


def rows_of(kind, options, folder):
    last = {}
    for times in (int(text) for text in options.times.split(",")):
        profile = os.path.join(folder, f"{kind}.lever")
        if os.path.exists(profile):
            os.unlink(profile)
        subprocess.run([os.path.join(options.build, "tests/golden/test_recording"), RECORDINGS[kind], profile], check=True)
        count = multiply(profile, kind, times)
        size = os.path.getsize(profile) / 1e6
        for form in options.formats.split(","):
            command = [os.path.join(options.build, "lever"), "report", profile, "--format", form, "--output", os.path.join(folder, "out")]
            results = [measure(command) for _ in range(options.rounds)]
            cpu, memory, clock = min(one[0] for one in results), max(one[1] for one in results), min(one[2] for one in results)
            growth = f"{cpu / last[form][0] / (times / last[form][1]):.2f}" if form in last else ""
            last[form] = cpu, times
            print(f"| {count:,} {UNITS[kind][1]} | {size:.0f} MB | {form} | {clock:.2f} s | {cpu:.2f} s | {memory:.0f} MB | {growth} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--kinds", default="causal,samples")
    parser.add_argument("--times", default="1,10,50")
    parser.add_argument("--formats", default="text,json,html")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    print("| profile | file | format | clock | CPU | memory | growth |\n| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory(prefix="lever-bench-", dir="/var/tmp") as folder:
        for kind in options.kinds.split(","):
            rows_of(kind, options, folder)


if __name__ == "__main__":
    main()
