#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""scale - compares predictions of `lever scale` with real programs on one and on two cores.

    bench/scale.py [--lever build/lever] [--programs NAME ...|all] [--results FILE] [--rounds 2] [--table]

In each round the program runs bare on one core and on two, by `lever scale --on 1`, bare on two and on one, by
`lever scale --on 2`, bare on one and on two; each lever scale makes its default number of runs. So slow changes of
the machine affect all alike. A run on one core is bound to it by affinity, to the first and the second in turn, and
the program is told that it has two. Rounds in which other programs used more than 3 % of the cores during a bare run
(/proc/stat, less the program's own time) or a counted one are repeated, two at most; the calmest ones count.

Prints Markdown. Real seconds are medians of the bare runs; predictions are medians over the rounds. Their error
against the real seconds is printed for 1→2 and 2→1 by each model, and by the model that each report recommends
(best). The interval of that model is for one further run: it holds if a bare run of the same round is in it. Programs
are steady if CPU times of bare runs on as many cores differ by at most a quarter; no prediction fits others.
Overhead is the ratio of counted runs to bare ones on as many cores (medians), and lever's own measure of its work, as
a part of the program's core time. A second table describes the machine: the CPU time of the bare runs, which is
constant on a steady machine, and the steal.

--results keeps the measurements in a file, one line for each program, and adds to it; --table only prints it. So
programs can be measured one by one. --profiles keeps the profiles, too; --table then makes their reports anew, with
the current models.

`switches` is a synthetic case: two threads that wake each other as fast as they can. It prints the
number of counted wake-ups and the true one. Needs root; check `uptime` first.
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


def mpi(work):
    if not shutil.which("mpicc"):
        return ["mpicc"]
    program = compiled(work, "mpi", MPI, compiler="mpicc")
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", "2", program]


def compiled(work, name, text, *words, compiler="gcc"):
    source, program = os.path.join(work, name + ".c"), os.path.join(work, name)
    with open(source, "w", encoding="ascii") as out:
        out.write(text)
    subprocess.run([compiler, "-O2", source, "-o", program, *words], check=True)
    return program


OPENMP = """
#include <stdio.h>
int main(void)
{
	long sum = 0;
	for (int pass = 0; pass < 9; pass++) {
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

MPI = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	double sum = 0, all = 0;
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int round = 0; round < 60; round++) {
		for (int i = 1; i < 2500000 + rank * 500000; i++)
			sum += 1.0 / i;
		MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	printf("%f\\n", all);
	MPI_Finalize();
	return 0;
}
"""

JAVA = """
import java.util.*;
public class Work {
	static long work(int seed) {
		long sum = 0;
		for (int round = 0; round < 150; round++) {
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
    "pbzip2": lambda work: ["pbzip2", "-p2", "-b5", "-k", "-c", data(work, 14)],
    "pigz": lambda work: ["pigz", "-p2", "-c", data(work, 50)],
    "zstd": lambda work: ["zstd", "-T2", "-13", "-B2MiB", "-q", "-c", data(work, 9)],
    "xz": lambda work: ["xz", "-T2", "-1", "--block-size=512KiB", "-c", data(work, 12)],
    "x264": lambda work: ["x264", "--threads", "2", "--quiet", "-o", "/dev/null", video(work, 55)],
    "sysbench-cpu": lambda work: ["sysbench", "cpu", "--threads=2", "--events=5000", "--time=0", "--cpu-max-prime=10000", "run"],
    "openmp": lambda work: [compiled(work, "openmp", OPENMP, "-fopenmp")],
    "java": java,
    "sort": lambda work: ["sort", "--parallel=2", "-S", "200M", "-o", "/dev/null", lines(work, 1500000)],
    "make": make,
    "mpi": mpi,
    "pipe": lambda work: ["sh", "-c", f"cat {data(work, 25)} | gzip -1 | gzip -d | md5sum"],
    "sysbench-threads": lambda work: ["sysbench", "threads", "--threads=4", "--events=1500", "--time=0", "--thread-locks=2", "--thread-yields=100", "run"],
}


def ticks():
    """Busy seconds of all cores so far, and seconds of steal."""
    with open("/proc/stat", encoding="ascii") as file:
        fields = [int(word) / os.sysconf("SC_CLK_TCK") for word in file.readline().split()[1:9]]
    return sum(fields) - fields[3] - fields[4], fields[7]


def bare(command, cores, library, turn):
    """Wall seconds on so many cores, shown to the program as two, and the share of them that others used."""
    environment = dict(os.environ)
    allowed = sorted(os.sched_getaffinity(0))
    own = {allowed[turn % len(allowed)]} if cores == 1 else set(allowed)
    if cores < len(allowed):
        environment |= {"LD_PRELOAD": library, "LEVER_CORES": f"{sum(1 << cpu for cpu in allowed):016x}"}
    used, (busy, stolen) = os.times(), ticks()
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment, preexec_fn=lambda: os.sched_setaffinity(0, own))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    seconds = time.monotonic() - begin
    now, (busy_now, stolen_now) = os.times(), ticks()
    stolen = stolen_now - stolen
    foreign = busy_now - busy - stolen - sum(now[:4]) + sum(used[:4])
    return {"cores": cores, "seconds": seconds, "cpu": usage.ru_utime + usage.ru_stime, "stolen": stolen, "foreign": max(0, foreign) / seconds / len(allowed)}


def read_report(options, profile):
    report = json.loads(subprocess.run([options.lever, "report", "--format", "json", profile], capture_output=True, check=True).stdout)
    for unused in ("course", "phases", "limits", "parallelism", "spans"):
        report.pop(unused)
    return report


def profiled(options, command, cores, work):
    """The report on `lever scale` on so many cores, compared with the others."""
    profile = os.path.join(work, "x.lever")
    if options.profiles:
        os.makedirs(options.profiles, exist_ok=True)
        profile = os.path.join(options.profiles, f"{os.path.basename(command[0])}-{time.time_ns()}.lever")
    words = [options.lever, "scale", "-q", "--fresh", "-o", profile, "--on", str(cores), "--compare", str(3 - cores), "--cores", "1,2", "--"]
    said = subprocess.run(words + command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if said.returncode:
        sys.exit(said.stderr)
    return {"on": cores, "report": read_report(options, profile), "profile": profile if options.profiles else None}


def displaced(step):
    """The share of a report's cores that other programs used while the program wanted them."""
    report = step["report"]
    wall_ns = next(row["wall_ns"] for row in report["measured"] if row["cores"] == step["on"])
    return report["taken"]["displaced_ns"] / (wall_ns * step["on"])


def measure_round(options, command, work):
    """Bare runs and reports in their order, and the greatest share that others used of one."""
    library = os.path.join(os.path.dirname(os.path.abspath(options.lever)), "src", "runtime", "liblever-cores.so")
    steps = [bare(command, 1, library, 0), bare(command, 2, library, 0), profiled(options, command, 1, work),
             bare(command, 2, library, 0), bare(command, 1, library, 1), profiled(options, command, 2, work),
             bare(command, 1, library, 0), bare(command, 2, library, 0), bare(command, 1, library, 1)]
    return {"steps": steps, "foreign": max(step["foreign"] if "foreign" in step else displaced(step) for step in steps)}


def measure(options, name, work):
    command = CASES[name](work)
    if not shutil.which(command[0]):
        print(f"{name}: {command[0]} is not installed", file=sys.stderr)
        return None
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)  # caches
    rounds = []
    while len([one for one in rounds if one["foreign"] <= 0.03]) < options.rounds and len(rounds) < options.rounds + 2:
        rounds.append(measure_round(options, command, work))
    rounds = sorted(rounds, key=lambda one: one["foreign"])[:options.rounds]
    return {"name": name, "rounds": rounds}


MODELS = ("paper", "formula", "growth", "replay")
STEADY = 1.25  # from the least to the most CPU time of bare runs on as many cores
COLUMNS = (*MODELS, "best")  # the one that each report says to believe


def runs_of(result, cores):
    return [step for one in result["rounds"] for step in one["steps"] if step.get("cores") == cores]


def evaluate(result):
    """By (model, from) the error; how many intervals held, by model; overhead; switches a second."""
    real = {cores: statistics.median(step["seconds"] for step in runs_of(result, cores)) for cores in (1, 2)}
    predicted, holds, counted, shares, switches, refused, stolen = {}, {}, {1: [], 2: []}, [], [], 0, []
    for one in result["rounds"]:
        for step in one["steps"]:
            if "report" not in step:
                continue
            on, report = step["on"], step["report"]
            refused += report["replay"] is None or report["replay"]["refusal"] is not None
            stolen.append(report["taken"]["stolen_ns"] / 1e9)
            shares.append(report["overhead"]["kernel_share"] + report["overhead"]["engine_share"])
            for row in report["measured"]:
                counted[row["cores"]].append(row["wall_ns"] / 1e9)
            for found in report["predictions"]:
                if found["cores"] == on:
                    continue
                hits = [found["low_ns"] / 1e9 <= run["seconds"] <= found["high_ns"] / 1e9 for run in one["steps"] if run.get("cores") == 3 - on]
                for model in [found["model"]] + ["best"] * found["best"]:
                    predicted.setdefault((model, on), []).append(found["wall_ns"] / 1e9)
                    holds.setdefault(model, []).extend(hits)
            if on == 2:
                switches.append(report["threads"]["switches"] / report["runs"] / real[2])
    spread = max(max(times) / min(times) for times in ([step["cpu"] for step in runs_of(result, cores)] for cores in (1, 2)))
    return {"real": real, "spread": spread, "holds": holds, "refused": refused, "reports": len(shares),
            "error": {(model, on): statistics.median(times) / real[3 - on] - 1 for (model, on), times in predicted.items()},
            "overhead": statistics.mean(statistics.median(times) / real[cores] - 1 for cores, times in counted.items()),
            "share": statistics.mean(shares), "switches": statistics.median(switches), "stolen": statistics.mean(stolen)}


def percent(value):
    return "–" if value is None else f"{100 * value:+.1f}"


def mean_percent(values):
    return f"{100 * statistics.mean(values):.1f} %" if values else "–"


def errors_table(found):
    print("| program | 1 core | 2 cores | " + " | ".join(f"{model} 1→2, 2→1" for model in COLUMNS) + " | intervals that hold | overhead: clock, own | switches/s |")
    print("| --- |" + " --- |" * (len(COLUMNS) + 5))
    for name, one in found.items():
        cells = [", ".join(percent(one["error"].get((model, on))) for on in (1, 2)) for model in COLUMNS]
        print(f"| {name} | {one['real'][1]:.2f} s | {one['real'][2]:.2f} s | " + " | ".join(cells)
              + f" | {sum(one['holds']['best'])} of {len(one['holds']['best'])} | {percent(one['overhead'])} %, {100 * one['share']:.1f} % | {one['switches']:,.0f} |")
    steady = [name for name in CPU_BOUND if name in found and found[name]["spread"] <= STEADY]
    for what, names in (("mean error, CPU-bound", CPU_BOUND), ("of them, steady", steady), ("mean error, all", CASES)):
        errors = {model: [abs(error) for name, one in found.items() if name in names for (which, _), error in one["error"].items() if which == model] for model in COLUMNS}
        print(f"| {what} | | | " + " | ".join(mean_percent(errors[model]) for model in COLUMNS) + " | | | |")
    held = {model: [hit for one in found.values() for hit in one["holds"].get(model, [])] for model in COLUMNS}
    overheads, shares = [one["overhead"] for one in found.values()], [one["share"] for one in found.values()]
    print("| all | | | " + " | ".join(f"{sum(held[model])} of {len(held[model])}" for model in COLUMNS) + f" | {sum(held['best'])} of {len(held['best'])}, {mean_percent(held['best'])}"
          + f" | mean {percent(statistics.mean(overheads))} %, {mean_percent(shares)}; worst {percent(max(overheads))} %, {mean_percent([max(shares)])} | |")
    refused, reports = sum(one["refused"] for one in found.values()), sum(one["reports"] for one in found.values())
    print(f"\nThe replay was refused in {refused} of {reports} reports, of " + (", ".join(name for name, one in found.items() if one["refused"]) or "no program") + ".")


def machine_table(results, found):
    print("\n| program | rounds | bare runs: CPU time on 1 core, least to most | on 2 cores | stolen from bare runs | from profiled ones | others had, at worst |\n| --- |" + " --- |" * 6)
    for result in results:
        spans = []
        for cores in (1, 2):
            times = [step["cpu"] for step in runs_of(result, cores)]
            spans.append(f"{min(times):.2f} to {max(times):.2f} s")
        steps = runs_of(result, 1) + runs_of(result, 2)
        stolen = sum(step["stolen"] for step in steps) / sum(step["cpu"] + step["stolen"] for step in steps)
        own = found[result["name"]]["stolen"] / statistics.mean(step["cpu"] for step in steps)
        print(f"| {result['name']} | {len(result['rounds'])} | {spans[0]} | {spans[1]} | {100 * stolen:.1f} % | {100 * own:.1f} % | {100 * max(one['foreign'] for one in result['rounds']):.1f} % |")


def table(results):
    found = {result["name"]: evaluate(result) for result in results}
    errors_table(found)
    machine_table(results, found)


def count_wakes(options, work):
    """At the highest rate of switches that there is: what was counted, and what it cost."""
    program = os.path.join(work, "switches")
    subprocess.run(["gcc", "-O2", "-D_GNU_SOURCE", os.path.join(HERE, "switches.c"), "-o", program, "-lpthread"], check=True)
    profile = os.path.join(work, "s.lever")
    rounds = 1000000
    plain = subprocess.run([program, str(rounds)], capture_output=True, text=True, check=True).stdout.split()
    said = subprocess.run([options.lever, "scale", "-q", "--fresh", "-o", profile, "--runs", "1", "--compare", "0", "--no-replay", "--", program, str(rounds)],
                          capture_output=True, text=True, check=True).stdout.split()
    report = json.loads(subprocess.run([options.lever, "report", "--format", "json", profile], capture_output=True, check=True).stdout)
    threads = report["threads"]
    exact = sum(level["wall_ns"] for level in report["parallelism"]) == report["program"]["wall_ns"]
    print(f"switches: {plain[0]} a second bare, {said[0]} counted; {2 * rounds} made by the program, {threads['switches']} counted, "
          f"{threads['wakes']} wake-ups; levels add up to the wall time: {exact}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--programs", choices=[*CASES, "switches", "all"], nargs="+", default=["all"])
    parser.add_argument("--results")
    parser.add_argument("--profiles", metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    options.lever = os.path.abspath(options.lever)
    results = {}
    if options.results and os.path.exists(options.results):
        with open(options.results, encoding="utf-8") as file:
            results = {result["name"]: result for result in map(json.loads, file)}
    names = [name for name in CASES if name in options.programs or "all" in options.programs]
    with tempfile.TemporaryDirectory(prefix="lever-bench-") as work:
        for name in [] if options.table else names:
            result = measure(options, name, work)
            if result:
                results[name] = json.loads(json.dumps(result))
            if options.results:
                with open(options.results, "w", encoding="utf-8") as file:
                    file.writelines(json.dumps(one) + "\n" for one in results.values())
        if not options.table and ("switches" in options.programs or "all" in options.programs):
            count_wakes(options, work)
    for step in [step for result in results.values() for one in result["rounds"] for step in one["steps"]]:
        if options.table and step.get("profile") and os.path.exists(step["profile"]):
            step["report"] = read_report(options, step["profile"])
    if results:
        table([results[name] for name in CASES if name in results])


if __name__ == "__main__":
    main()
