#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""scale - do the predictions of `lever scale` come true? Real programs on one and on two cores.

    bench/scale.py [--lever build/lever] [--case NAME|all] [--results FILE] [--table]

Each program runs bare and profiled in turn, on one core and on two (held there by affinity, and told that
it has two): bare on 1 and 2; `lever scale --on 1 --runs 2 --compare 2`; bare; `lever scale --on 2 --runs 2
--compare 1`; bare. Real times are medians of the three bare runs on so many cores. A prediction is from
the runs on the other number of cores; `growth` also knows the CPU time of one run on the cores that it
predicts for, so there its error says how well the model fits, not how well it foretells.

Prints a table in Markdown: real seconds; relative errors of each model, 1→2 and 2→1; those of the formula in
wall time per CPU second, against the profiled runs on the other number of cores (both without what other
programs took): machines whose cores change their speed between two runs are the same for both then, and what
is left is how well the formula knows the parallelism, without growth of CPU time; whether the real time is in
the interval of the formula; how much longer the profiled runs took than
bare ones (medians over both numbers of cores; on a shared machine this is mostly noise: --race compares
alternately, as bench/race.py says); and switches a second. --results keeps what was measured in a file,
one line for each program, to which another run with another --case adds; --table only prints it.

The last case is not a program of anybody's: two threads that wake each other as fast as they can. It
prints how many wake-ups were counted of how many there were. Needs root; look at `uptime` first.
"""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import race

HERE = os.path.dirname(os.path.abspath(__file__))
CPU_BOUND = ("pbzip2", "pigz", "zstd", "xz", "x264", "sysbench-cpu", "openmp", "java", "sort")


def data(work, megabytes):
    """Half text-like, half noise; the same in each run."""
    path = os.path.join(work, f"data{megabytes}")
    if os.path.exists(path):
        return path
    generator = random.Random(1)
    words = [bytes(generator.randrange(97, 123) for _ in range(generator.randrange(2, 10))) for _ in range(4000)]
    stretch = b"".join(b" ".join(generator.choices(words, k=20000)) + b"\n" + generator.randbytes(60000) for _ in range(16))
    with open(path, "wb") as out:
        for left in range(megabytes << 20, 0, -len(stretch)):
            out.write(stretch[:left])
    return path


def lines(work, count):
    path = os.path.join(work, f"lines{count}")
    generator = random.Random(2)
    with open(path, "w", encoding="ascii") as out:
        for _ in range(count):
            out.write(f"{generator.getrandbits(64):x} {generator.getrandbits(32):x}\n")
    return path


def video(work, frames):
    """A picture that moves over noise."""
    path = os.path.join(work, "video.y4m")
    width, height = 352, 288
    generator = random.Random(3)
    picture = generator.randbytes(width * height * 2)
    with open(path, "wb") as out:
        out.write(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C420jpeg\n".encode())
        for frame in range(frames):
            luma = picture[frame * 37:frame * 37 + width * height // 4] * 4
            out.write(b"FRAME\n" + luma[:width * height] + bytes([128]) * (width * height // 2))
    return path


def compiled(work, name, text, *words):
    source, program = os.path.join(work, name + ".c"), os.path.join(work, name)
    with open(source, "w", encoding="ascii") as out:
        out.write(text)
    subprocess.run(["gcc", "-O2", source, "-o", program, *words], check=True)
    return program


OPENMP = """
#include <stdio.h>
int main(void)
{
	long sum = 0;
	for (int pass = 0; pass < 4; pass++) {
		#pragma omp parallel for schedule(dynamic, 8) reduction(+ : sum)
		for (int y = 0; y < 900; y++)
			for (int x = 0; x < 900; x++) {
				double re = x / 450.0 - 1.5, im = y / 450.0 - 1, a = 0, b = 0;
				int i = 0;
				for (; i < 150 && a * a + b * b < 4; i++) {
					double t = a * a - b * b + re;
					b = 2 * a * b + im;
					a = t;
				}
				sum += i;
			}
		/* What is not parallel. */
		for (volatile int i = 0; i < 12000000; i++)
			;
	}
	printf("%ld\\n", sum);
	return 0;
}
"""

JAVA = """
import java.util.*;
public class Work {
	static long work(int seed) {
		long sum = 0;
		for (int round = 0; round < 40; round++) {
			Map<Integer, String> map = new HashMap<>();
			for (int i = 0; i < 20000; i++)
				map.put(i * 31 + seed, Integer.toString(i ^ round));
			for (String value : map.values())
				sum += value.hashCode();
		}
		return sum;
	}
	public static void main(String[] words) throws Exception {
		Thread[] threads = new Thread[2];
		for (int i = 0; i < 2; i++) {
			int seed = i;
			threads[i] = new Thread(() -> work(seed));
			threads[i].start();
		}
		for (Thread thread : threads)
			thread.join();
	}
}
"""


def java(work):
    with open(os.path.join(work, "Work.java"), "w", encoding="ascii") as out:
        out.write(JAVA)
    subprocess.run(["javac", "-d", work, os.path.join(work, "Work.java")], check=True)
    return ["java", "-XX:+UseParallelGC", "-Xmx256m", "-cp", work, "Work"]


def make(work):
    source = os.path.join(HERE, "..", "src")
    files = [os.path.join(source, "stats", name) for name in ("parallel.c", "effect.c", "distribution.c", "noise.c", "summary.c", "ratio.c")]
    rules = "\n".join(f"t{i}:\n\tgcc -O2 -I{source} -c {name} -o {work}/o{i}" for i, name in enumerate(files * 2))
    path = os.path.join(work, "makefile")
    with open(path, "w", encoding="utf-8") as out:
        targets = " ".join(f"t{i}" for i in range(2 * len(files)))
        out.write(f".PHONY: all {targets}\nall: {targets}\n{rules}\n")
    return ["make", "-s", "-j2", "-f", path]


CASES = {
    "pbzip2": lambda work: ["pbzip2", "-p2", "-k", "-c", data(work, 15)],
    "pigz": lambda work: ["pigz", "-p2", "-c", data(work, 50)],
    "zstd": lambda work: ["zstd", "-T2", "-13", "-B4MiB", "-q", "-c", data(work, 20)],
    "xz": lambda work: ["xz", "-T2", "-1", "--block-size=2MiB", "-c", data(work, 20)],
    "x264": lambda work: ["x264", "--threads", "2", "--quiet", "-o", "/dev/null", video(work, 150)],
    "sysbench-cpu": lambda work: ["sysbench", "cpu", "--threads=2", "--events=3000", "--time=0", "--cpu-max-prime=10000", "run"],
    "openmp": lambda work: [compiled(work, "openmp", OPENMP, "-fopenmp")],
    "java": java,
    "sort": lambda work: ["sort", "--parallel=2", "-S", "200M", "-o", "/dev/null", lines(work, 1000000)],
    "make": make,
    "pipe": lambda work: ["sh", "-c", f"cat {data(work, 60)} | gzip -1 | gzip -d | md5sum"],
    "sysbench-threads": lambda work: ["sysbench", "threads", "--threads=4", "--events=4000", "--time=0", "--thread-locks=2", "--thread-yields=100", "run"],
}


def bare(command, cores, library):
    """Wall seconds on so many cores, which the program takes for two."""
    environment = dict(os.environ)
    allowed = sorted(os.sched_getaffinity(0))
    if cores < len(allowed):
        environment |= {"LD_PRELOAD": library, "LEVER_CORES": f"{sum(1 << cpu for cpu in allowed):016x}"}
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
                               preexec_fn=lambda: os.sched_setaffinity(0, allowed[:cores]))
    if process.wait():
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return time.monotonic() - begin


def profiled(options, command, cores, work):
    """The report on `lever scale` on so many cores, compared with the others."""
    profile = os.path.join(work, "x.lever")
    words = [options.lever, "scale", "-q", "--fresh", "-o", profile, "--on", str(cores), "--runs", "2", "--compare", str(3 - cores),
             "--cores", "1,2", "--"]
    said = subprocess.run(words + command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if said.returncode:
        sys.exit(said.stderr)
    return json.loads(subprocess.run([options.lever, "report", "--format", "json", profile], capture_output=True, check=True).stdout)


def prediction(report, cores, model):
    """The prediction of the model, or, without one, of the one to believe."""
    for one in report["predictions"]:
        if one["cores"] == cores and (one["model"] == model or (model is None and one["best"])):
            return one
    return None


def measure(options, name, work):
    command = CASES[name](work)
    if not shutil.which(command[0]):
        print(f"{name}: {command[0]} is not installed", file=sys.stderr)
        return None
    library = os.path.join(os.path.dirname(os.path.abspath(options.lever)), "src", "runtime", "liblever-cores.so")
    real, reports = {1: [], 2: []}, {}
    bare(command, 2, library)  # caches
    for step in (1, 2, "on 1", 2, 1, "on 2", 1, 2):
        if step in (1, 2):
            real[step].append(bare(command, step, library))
        else:
            cores = int(step[-1])
            reports[cores] = profiled(options, command, cores, work)
    result = {"name": name, "real": real, "reports": {}}
    for cores, report in reports.items():
        report.pop("course")
        result["reports"][cores] = report
    if options.race:
        both = [race.race(command, [options.lever, "scale", "-q", "--runs", "1", "--compare", "0", "--fresh", "-o", os.path.join(work, "r.lever"), "--"] + command) for _ in range(3)]
        result["race"] = statistics.median(profiled_seconds / bare_seconds - 1 for bare_seconds, profiled_seconds in both)
    return result


def undisturbed(reports, cores):
    """Wall and CPU seconds of all profiled runs on so many cores, without what others took."""
    rows = [one for report in reports.values() for one in report["measured"] if one["cores"] == cores]
    runs = sum(one["runs"] for one in rows)
    return tuple(sum(one["runs"] * one[field] for one in rows) / runs / 1e9 for field in ("undisturbed_ns", "cpu_ns"))


def steady_error(reports, cores):
    """Of the formula from `cores` to the others, in wall time per CPU second."""
    other = 3 - cores
    wall, cpu = undisturbed(reports, other)
    own = next(one["cpu_ns"] / 1e9 for one in reports[cores]["measured"] if one["cores"] == cores)
    return prediction(reports[cores], other, "formula")["wall_ns"] / 1e9 / own / (wall / cpu) - 1


def evaluate(result):
    """Errors by (model, from, to), whether the intervals hold, and overhead."""
    real = {int(cores): statistics.median(times) for cores, times in result["real"].items()}
    reports = {int(cores): report for cores, report in result["reports"].items()}
    errors, holds, took = {}, {}, {1: [], 2: []}
    for cores, report in reports.items():
        other = 3 - cores
        for model in ("paper", "formula", "growth"):
            one = prediction(report, other, model)
            if one:
                errors[model, cores] = one["wall_ns"] / 1e9 / real[other] - 1
                holds[model, cores] = one["low_ns"] / 1e9 <= real[other] <= one["high_ns"] / 1e9
        for one in report["measured"]:
            took[one["cores"]] += [one["wall_ns"] / 1e9] * one["runs"]
    overhead = statistics.mean(statistics.median(took[cores]) / real[cores] - 1 for cores in (1, 2))
    if "race" in result:
        overhead = result["race"]
    switches = reports[2]["threads"]["switches"] / reports[2]["runs"] / real[2]
    steady = [steady_error(reports, cores) for cores in (1, 2)]
    return real, errors, holds, overhead, switches, steady


MODELS = ("paper", "formula", "growth")


def percent(value):
    return "–" if value is None else f"{100 * value:+.1f}"


def table(results):
    print("| program | real, 1 core | 2 cores | " + " | ".join(f"{model} 1→2, 2→1" for model in MODELS) + " | formula, per CPU second | interval holds | overhead | switches/s |")
    print("| --- |" + " --- |" * (len(MODELS) + 6))
    all_errors, all_holds, overheads = {model: [] for model in MODELS}, {model: [] for model in MODELS}, []
    bound = {model: [] for model in MODELS}
    all_steady, bound_steady = [], []
    for result in results:
        real, errors, holds, overhead, switches, steady = evaluate(result)
        all_steady += [abs(error) for error in steady]
        if result["name"] in CPU_BOUND:
            bound_steady += [abs(error) for error in steady]
        cells = []
        for model in MODELS:
            pair = [errors.get((model, cores)) for cores in (1, 2)]
            all_errors[model] += [abs(error) for error in pair if error is not None]
            all_holds[model] += [holds[model, cores] for cores in (1, 2) if (model, cores) in holds]
            if result["name"] in CPU_BOUND:
                bound[model] += [abs(error) for error in pair if error is not None]
            cells.append(", ".join(percent(error) for error in pair))
        overheads.append(overhead)
        kept = [holds.get(("formula", cores)) for cores in (1, 2)]
        said = ", ".join("–" if one is None else "yes" if one else "no" for one in kept)
        print(f"| {result['name']} | {real[1]:.2f} s | {real[2]:.2f} s | " + " | ".join(cells) + f" | {percent(steady[0])}, {percent(steady[1])} | {said} | {percent(overhead)} % | {switches:,.0f} |")
    for what, errors, steadies in (("mean error, CPU-bound", bound, bound_steady), ("mean error, all", all_errors, all_steady)):
        print(f"| {what} | | | " + " | ".join(f"{100 * statistics.mean(errors[model]):.1f} %" if errors[model] else "–" for model in MODELS) + f" | {100 * statistics.mean(steadies):.1f} % | | | |")
    print("| intervals that hold | | | " + " | ".join(f"{sum(all_holds[model])} of {len(all_holds[model])}" if all_holds[model] else "–" for model in MODELS) + f" | | | mean {percent(statistics.mean(overheads))} %, worst {percent(max(overheads))} % | |")


def count_wakes(options, work):
    """At the highest rate of switches that there is: what was counted, and what it cost."""
    program = os.path.join(work, "switches")
    subprocess.run(["gcc", "-O2", "-D_GNU_SOURCE", os.path.join(HERE, "switches.c"), "-o", program, "-lpthread"], check=True)
    profile = os.path.join(work, "s.lever")
    rounds = 1000000
    plain = subprocess.run([program, str(rounds)], capture_output=True, text=True, check=True).stdout.split()
    said = subprocess.run([options.lever, "scale", "-q", "--fresh", "-o", profile, "--runs", "1", "--compare", "0", "--", program, str(rounds)],
                          capture_output=True, text=True, check=True).stdout.split()
    report = json.loads(subprocess.run([options.lever, "report", "--format", "json", profile], capture_output=True, check=True).stdout)
    threads = report["threads"]
    exact = sum(level["wall_ns"] for level in report["parallelism"]) == report["program"]["wall_ns"]
    print(f"switches: {plain[0]} a second bare, {said[0]} counted; {2 * rounds} made by the program, {threads['switches']} counted, "
          f"{threads['wakes']} wake-ups; levels add up to the wall time: {exact}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--case", choices=[*CASES, "switches", "all"], default="all")
    parser.add_argument("--results")
    parser.add_argument("--race", action="store_true")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    options.lever = os.path.abspath(options.lever)
    results = {}
    if options.results and os.path.exists(options.results):
        with open(options.results, encoding="utf-8") as file:
            results = {result["name"]: result for result in map(json.loads, file)}
    with tempfile.TemporaryDirectory(prefix="lever-bench-") as work:
        for name in CASES if options.case == "all" else [options.case] if options.case in CASES else []:
            if options.table:
                break
            result = measure(options, name, work)
            if result:
                results[name] = json.loads(json.dumps(result))
        if options.case in ("switches", "all") and not options.table:
            count_wakes(options, work)
    if options.results and not options.table:
        with open(options.results, "w", encoding="utf-8") as file:
            for result in results.values():
                file.write(json.dumps(result) + "\n")
    if results and (options.table or options.case == "all"):
        table([results[name] for name in CASES if name in results])


main()
