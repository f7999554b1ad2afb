#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""counting - the slowdown of a program while `lever scale` counts its threads.

    bench/counting.py [--lever build/lever] [--programs NAME ...|all] [--blocks 8] [--empty] [--results FILE]

A block is four runs of a program of bench/scale.py on as many cores, the first one or two: bare, counted, counted,
bare; its overhead is the sum of the two counted over that of the two bare ones, so a linear drift cancels. All times
are taken by a small parent of the program (run_time.c), before the fork and after the end; it is counted, too.
Overhead is the median over the blocks on one core and on two; ± is 1.96 times the standard error of a median by the
blocks' spread (1.25 of the mean's). A few blocks in which other programs used more than 3 % of the cores are repeated.

--empty also runs the program with empty BPF programs on the two tracepoints that counting needs (sched_switch,
sched_waking) instead of lever: a lower bound of the overhead of counting in the kernel. Needs clang, libbpf and root.

--beside also runs it bare while a process on the last core wakes every 20 ms and sleeps again: the effect of a
wake-up on programs on other cores.
"""
import argparse
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

from scale import CASES, HERE, compiled, ticks

EMPTY = """
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
char LICENSE[] SEC("license") = "Dual BSD/GPL";
SEC("tp_btf/sched_switch") int on_switch(void *context) { return 0; }
SEC("tp_btf/sched_waking") int on_waking(void *context) { return 0; }
"""
BUSY = 0.03


class Empty:
    """BPF programs that do nothing, attached while it lasts."""

    def __init__(self, work):
        self.object = os.path.join(work, "empty.o")
        self.holder = None
        with open(os.path.join(HERE, "attach_bpf.c"), encoding="ascii") as file:
            self.attached = compiled(work, "attach_bpf", file.read(), "-lbpf")
        source = os.path.join(work, "empty.bpf.c")
        with open(source, "w", encoding="ascii") as out:
            out.write(EMPTY)
        triplet = subprocess.run(["gcc", "-print-multiarch"], capture_output=True, text=True, check=True).stdout.strip()
        subprocess.run(["clang", "-g", "-O2", "-target", "bpf", "-idirafter", f"/usr/include/{triplet}", "-c", source, "-o", self.object], check=True)

    def __enter__(self):
        self.holder = subprocess.Popen([self.attached, self.object], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if not self.holder.stdout.readline():
            sys.exit("the empty programs cannot be attached")

    def __exit__(self, *_):
        self.holder.communicate()


class Beside:
    """Runs a process on the last core that wakes every 20 ms."""

    def __init__(self):
        self.sleeper = None

    def __enter__(self):
        core = max(os.sched_getaffinity(0))
        self.sleeper = subprocess.Popen([sys.executable, "-c", "import time\nwhile True: time.sleep(0.02)"], preexec_fn=lambda: os.sched_setaffinity(0, {core}))

    def __exit__(self, *_):
        self.sleeper.kill()
        self.sleeper.wait()


def environment_of(options, cores, allowed):
    """The environment that lever scale gives a program on fewer cores than the machine has."""
    if cores == len(allowed):
        return dict(os.environ)
    library = os.path.join(os.path.dirname(options.lever), "src", "runtime", "liblever-cores.so")
    return os.environ | {"LD_PRELOAD": library, "LEVER_CORES": f"{sum(1 << cpu for cpu in allowed):016x}"}


def seconds(options, command, cores, kind, work):
    """Seconds of one run, by its parent's clock."""
    allowed = sorted(os.sched_getaffinity(0))
    told = os.path.join(work, "told")
    words = [os.path.join(work, "run_time"), told, *command]
    if kind == "counted":
        words = [options.lever, "scale", "-q", "--fresh", "-o", os.path.join(work, "x.lever"), "--on", str(cores), "--runs", "1",
                 "--compare", "0", "--no-replay", "--", *words]
        subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    else:
        subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
                       env=environment_of(options, cores, allowed), preexec_fn=lambda: os.sched_setaffinity(0, allowed[:cores]))
    with open(told, encoding="ascii") as file:
        return int(file.read()) / 1e9


def block(options, command, cores, company, work):
    """The two runs of each kind, and the share of the cores that other programs used."""
    order = ["bare", "counted", *company]
    times = {kind: [] for kind in order}
    used, (busy, stolen) = os.times(), ticks()
    for kind in order + order[::-1]:
        if kind in company:
            with company[kind]:
                times[kind].append(seconds(options, command, cores, kind, work))
        else:
            times[kind].append(seconds(options, command, cores, kind, work))
    now, (busy_now, stolen_now) = os.times(), ticks()
    foreign = busy_now - busy - (stolen_now - stolen) - sum(now[:4]) + sum(used[:4])
    taken = (foreign + stolen_now - stolen) / sum(map(sum, times.values())) / cores
    return {"cores": cores, "taken": taken, "times": times}


def measure(options, name, work):
    command = CASES[name](work)
    if not shutil.which(command[0]):
        print(f"{name}: {command[0]} is not installed", file=sys.stderr)
        return None
    company = {"empty": Empty(work)} if options.empty else {}
    if options.beside:
        company["beside"] = Beside()
    seconds(options, command, 2, "bare", work)  # caches
    blocks = []
    for cores in (1, 2) * options.blocks:
        tries = [block(options, command, cores, company, work)]
        while tries[-1]["taken"] > BUSY and len(tries) < 3:
            tries.append(block(options, command, cores, company, work))
        blocks.append(min(tries, key=lambda one: one["taken"]))
    return {"name": name, "blocks": blocks}


def overhead(blocks, kind):
    """Median and half of its 95 % interval; None if nothing of that kind was run."""
    ratios = [sum(one["times"][kind]) / sum(one["times"]["bare"]) - 1 for one in blocks if kind in one["times"]]
    if not ratios:
        return None
    error = 1.25 * statistics.stdev(ratios) / math.sqrt(len(ratios)) if len(ratios) > 1 else math.inf
    return statistics.median(ratios), 1.96 * error


def cell(found):
    return "–" if found is None else f"{100 * found[0]:+.1f} % ±{100 * found[1]:.1f}"


def table(results):
    print("| program | bare, 1 core | 2 cores | counted, 1 core | 2 cores | both | empty programs, 1 core | 2 cores | beside a sleeper, 1 core | others had, at worst |\n| --- |" + " --- |" * 9)
    whole = []
    for result in results:
        by_cores = {cores: [one for one in result["blocks"] if one["cores"] == cores] for cores in (1, 2)}
        bare = [statistics.median(sum((one["times"]["bare"] for one in by_cores[cores]), [])) for cores in (1, 2)]
        counted = [overhead(by_cores[cores], "counted") for cores in (1, 2)]
        both = statistics.mean(found[0] for found in counted), math.hypot(*(found[1] for found in counted)) / 2
        whole.append(both[0])
        cells = [*map(cell, counted), cell(both), *(cell(overhead(by_cores[cores], "empty")) for cores in (1, 2)), cell(overhead(by_cores[1], "beside"))]
        print(f"| {result['name']} | {bare[0]:.2f} s | {bare[1]:.2f} s | " + " | ".join(cells) + f" | {100 * max(one['taken'] for one in result['blocks']):.1f} % |")
    print(f"| mean, worst | | | | | {100 * statistics.mean(whole):+.1f} %, {100 * max(whole):+.1f} % | | | | |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--programs", choices=[*CASES, "all"], nargs="+", default=["all"])
    parser.add_argument("--blocks", type=int, default=8)
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--beside", action="store_true")
    parser.add_argument("--results", help="keeps what was measured; programs measured later are added")
    options = parser.parse_args()
    options.lever = os.path.abspath(options.lever)
    results = {}
    if options.results and os.path.exists(options.results):
        with open(options.results, encoding="utf-8") as file:
            results = {result["name"]: result for result in map(json.loads, file)}
    with tempfile.TemporaryDirectory(prefix="lever-bench-") as work:
        with open(os.path.join(HERE, "run_time.c"), encoding="ascii") as file:
            compiled(work, "run_time", file.read())
        for name in [name for name in CASES if name in options.programs or "all" in options.programs]:
            result = measure(options, name, work)
            if result:
                results[name] = result
            if options.results:
                with open(options.results, "w", encoding="utf-8") as file:
                    file.writelines(json.dumps(one) + "\n" for one in results.values())
    table([results[name] for name in CASES if name in results])


if __name__ == "__main__":
    main()
