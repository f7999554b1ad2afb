#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""runtime - the overhead of the runtime engine: sampling, start-up and visits, compared with coz.

    bench/runtime.py [--lever build/lever] [--rounds 5] [--case sampling|start|visits|all]

  sampling   the slowdown of two CPU-bound threads (spin.c) under `lever run --engine runtime
             --speedups 0`, bare and profiled in turns (paired_run.py);
  start      from the call of the profiler to the program's main, less the same without a profiler,
             for a binary with 40,000 functions of debug information;
  visits     the time of a visit of a progress point in unmodified code (a breakpoint): a loop that times itself,
             with and without the point.

Figures are medians over the rounds with their range. Needs no rights; check `uptime` first.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import tempfile
import time

import paired_run

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = os.path.join(HERE, "..", "include")
COZ_FLAGS = ["-gdwarf-4", "-gstrict-dwarf", "-gno-variable-location-views"]  # all that coz 0.2.2 reads
FUNCTIONS, FILES = 40000, 80


def said(what, values, unit, scale):
    print("%-34s median %.2f %s (%.2f to %.2f) of %d rounds" % (
        what, scale * statistics.median(values), unit, scale * min(values), scale * max(values), len(values)), flush=True)


def measure_sampling(lever, rounds, work):
    program, profile = os.path.join(work, "spin"), os.path.join(work, "profile.lever")
    subprocess.run(["gcc", "-O2", "-g", "-I", INCLUDE, os.path.join(HERE, "spin.c"), "-o", program, "-lpthread"], check=True)
    command, costs = [program, "2", "2000"], []
    for _ in range(rounds):
        bare, profiled = paired_run.run_pair(command, [lever, "run", "--quiet", "--fresh", "-o", profile, "--engine", "runtime",
                                             "--speedups", "0", "--", *command])
        costs.append(profiled / bare - 1)
    said("sampling, runtime engine", costs, "%", 100)


def big_program(work):
    """Says on standard output when its main began."""
    objects = []
    for number in range(FILES):
        source = os.path.join(work, "part%d.c" % number)
        with open(source, "w") as out:
            for function in range(FUNCTIONS // FILES):
                out.write("int part%d_%d(int a, int b) {\n\tint sum = a;\n\tfor (int i = 0; i < b; i++)\n"
                          "\t\tsum += i * %d;\n\treturn sum;\n}\n" % (number, function, function))
        objects.append(source[:-2] + ".o")
        subprocess.run(["gcc", "-O1", "-g", *COZ_FLAGS, "-c", source, "-o", objects[-1]], check=True)
    source, program = os.path.join(work, "main.c"), os.path.join(work, "big")
    with open(source, "w") as out:
        out.write("#include <stdio.h>\n#include <time.h>\nint main(void) {\n\tstruct timespec t;\n"
                  "\tclock_gettime(CLOCK_MONOTONIC, &t);\n\tprintf(\"%ld.%09ld\\n\", (long)t.tv_sec, t.tv_nsec);\n}\n")
    subprocess.run(["gcc", "-O1", "-g", *COZ_FLAGS, source, *objects, "-o", program, "-lpthread"], check=True)
    return program


def seconds_to_main(command, work):
    begin = time.clock_gettime(time.CLOCK_MONOTONIC)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=work, check=False)
    return float(done.stdout.split()[-1]) - begin


def measure_start(lever, rounds, work):
    program = big_program(work)
    ways = {"runtime engine": [lever, "run", "--quiet", "--fresh", "-o", os.path.join(work, "p.lever"), "--engine",
                               "runtime", "--", program]}
    if shutil.which("coz"):
        ways["coz"] = ["coz", "run", "---", program]
    found = {name: [] for name in ways}
    for _ in range(rounds):
        bare = seconds_to_main([program], work)
        for name, command in ways.items():
            found[name].append(seconds_to_main(command, work) - bare)
    print("binary of %.1f MB" % (os.path.getsize(program) / 1e6))
    for name, values in found.items():
        said("start, " + name, values, "ms", 1000)


VISITS = """
#include <stdio.h>
#include <time.h>
static volatile long sink;
__attribute__((noinline)) void visit(void) { sink++; }
int main(void) {
	struct timespec begin, end;
	long visits = 0, ns = 0;
	while (ns < 2000000000) {
		clock_gettime(CLOCK_MONOTONIC, &begin);
		for (int i = 0; i < 100; i++) { for (int j = 0; j < 10000; j++) sink += j; visit(); }
		clock_gettime(CLOCK_MONOTONIC, &end);
		ns += (end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec - begin.tv_nsec;
		visits += 100;
	}
	printf("%.0f\\n", (double)ns / visits);
}
"""


def measure_visits(lever, rounds, work):
    source, program = os.path.join(work, "visits.c"), os.path.join(work, "visits")
    with open(source, "w") as out:
        out.write(VISITS)
    subprocess.run(["gcc", "-O1", "-g", source, "-o", program], check=True)
    profiled = [lever, "run", "--quiet", "--fresh", "-o", os.path.join(work, "v.lever"), "--engine", "runtime",
                "--speedups", "0", "--progress"]
    costs = []
    for _ in range(rounds):
        each = [float(subprocess.run([*profiled, point, "--", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                     text=True, check=False).stdout) for point in ("sampled:visits.c:5", "visit")]
        costs.append(each[1] - each[0])
    said("visit, runtime engine", costs, "us", 0.001)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--case", default="all", choices=["sampling", "start", "visits", "all"])
    options = parser.parse_args()
    options.lever = os.path.abspath(options.lever)
    print("uptime:", open("/proc/loadavg").read().strip())
    with tempfile.TemporaryDirectory() as work:
        for case, measure in ("sampling", measure_sampling), ("start", measure_start), ("visits", measure_visits):
            if options.case in (case, "all"):
                measure(options.lever, options.rounds, work)


main()
