#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""import - samples of perf: the text of perf script in its forms, and a file that perf recorded here.

Usage: import.py PATH-OF-LEVER
"""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

from check import LEVER, Skip, check, equal, lever, main, test

FOLDER = tempfile.TemporaryDirectory()
CLOCK = """# hostname : builder
# cmdline : /usr/bin/perf record -g ./archive
   archive  10/11 [001]  5.000000:    2000000 cpu-clock:ppp:
\t    55d0 zip::Coder<int, (char)40>::put(char const*)+0x13 (/usr/bin/arc (hive))
\t    55c0 main+0x20 (/usr/bin/arc (hive))

   archive  10/11 [001]  5.002000:    2000000 cpu-clock:ppp:
\tffffffff81 copy_from_user+0x3 ([kernel.kallsyms])
\t    55d8 [unknown] ([unknown])
\t    55c0 main+0x20 (/usr/bin/arc (hive))

my thread  10/12 [000]  5.003000:    6000000 offcpu-time:
\t    55e0 wait_for_work+0x1 (/usr/bin/arc (hive))

"""


def near(actual, expected, tolerance, explanation):
    check(abs(actual - expected) <= tolerance, f"{actual} is not {expected} within {tolerance}: {explanation}")


def path(name, text=None):
    full = os.path.join(FOLDER.name, name)
    if text is not None:
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)
    return full


def imported(text, name="imported"):
    """The report of a text's import, and what was told."""
    result = lever("import", "--fresh", "-o", path(name + ".lever"), path(name + ".txt", text))
    equal(result.returncode, 0, result.stderr)
    report = lever("report", "--format", "json", path(name + ".lever"))
    return json.loads(report.stdout), result.stderr


@test("clocks and waits weigh their periods; chains, threads and names are kept")
def _():
    report, told = imported(CLOCK)
    check("3 samples added" in told, told)
    equal(report["recorded_ns"], 10000000)
    equal(report["host"]["name"], "builder")
    shares = {(one["class"], one["in_kernel"]): one["weight_ns"] for one in report["classes"]}
    equal(shares, {("B", True): 6000000, ("cpu", False): 2000000, ("cpu", True): 2000000})
    stacks = {tuple(frame["function"] for frame in one["stack"]): one for one in report["entries"]}
    equal(set(stacks), {("zip::Coder<int, (char)40>::put(char const*)", "main"), ("wait_for_work",),
                        ("copy_from_user", None, "main")})
    equal(stacks[("wait_for_work",)]["thread"], {"pid": 10, "tid": 12, "command": "my thread"})
    equal(stacks[("wait_for_work",)]["stack"][0]["object"], "/usr/bin/arc (hive)")


@test("cycles share the time of all samples; one line a sample, and no pid")
def _():
    lines = [f"a b  7 [000] {1 + i / 100:.6f}: {1000 * (1 + i % 2)} cycles:P: 55d0 {'even' if i % 2 else 'odd'}"
             " (/bin/x)\n\n" for i in range(60)]
    report, _ = imported("".join(lines), "cycles")
    near(report["recorded_ns"], 600e6, 1e6, "60 samples, 10 ms between two")
    weights = {one["function"]: one["weight_ns"] for one in report["entries"]}
    near(weights["even"] / weights["odd"], 2, 0.01, "twice the cycles")


FIELDS = """arch ive 10/11 [001]  5.000000:  1000000 cpu-clock:u: 0
	    55d0 zip::put(char const*)+0x13 (inlined)
  zip.h:7
	    55d0 zip::Coder<int, (char)40>::run+0x3 (/usr/bin/x (deleted))
  coder.cc:21 (discriminator 3)
|21       run();
	    55c0 main+0x20 (/usr/bin/x (deleted))
  x[55c0]

arch ive 10/11 [001]  5.001000:  2000000 cycles:P:
	    55d0 zip::put(char const*) (inlined)

arch ive 10/11 [001]  5.002000: PERF_RECORD_LOST lost 12
arch ive 10/11 [001]  5.003000:  1000000 cpu-clock:u:  0 ffffffffc0123456 ext4_read+0x3 (/lib/modules/6.1/ext4.ko)
"""


@test("source lines, inlined frames, addresses of data, records and a second clock are told apart")
def _():
    report, told = imported(FIELDS, "fields")
    check("2 samples added" in told and "1 of other events, the first cycles:P" in told, told)
    equal(report["recorded_ns"], 2000000)
    equal(report["sampling"]["lost"], 12)
    stacks = [one["stack"] for one in sorted(report["entries"], key=lambda one: -len(one["stack"]))]
    equal([[(frame["function"], frame["object"], frame["file"], frame["line"]) for frame in stack] for stack in stacks],
          [[("zip::put(char const*)", "/usr/bin/x (deleted)", "zip.h", 7),
            ("zip::Coder<int, (char)40>::run", "/usr/bin/x (deleted)", "coder.cc", 21),
            ("main", "/usr/bin/x (deleted)", None, None)],
           [("ext4_read", "/lib/modules/6.1/ext4.ko", None, None)]])
    equal({one["in_kernel"] for one in report["classes"]}, {False, True})


@test("samples without time are counted, left out and told")
def _():
    _, told = imported(CLOCK + "swapper     0 [000]  6.0: sched:sched_switch: prev_comm=x ==> next_comm=y\n\n", "mixed")
    check("left out, as they have no time of their own: 1 of other events, the first sched:sched_switch" in told, told)


@test("what is no text of perf leaves the profile as it was")
def _():
    imported(CLOCK, "kept")
    before = lever("report", "--format", "json", path("kept.lever")).stdout
    for text, reason in (("nonsense\n", "bad.txt: line 1 is not what perf script prints; give perf.data"),
                         (CLOCK + "nonsense\n", "line 15 is not what perf script prints"),
                         ("x  10/11 [001]     1000 cpu-clock:u: \n\t 55d0 main (/x)\n", "line 1 has no time; record with perf record -T"),
                         ("x  10/11 [001]  5.0: 1 sched:sched_switch: a\n", "cycles in it, but of sched:sched_switch; record with"),
                         ("", "no sample of a clock or of cycles in it; record with")):
        for fresh in ([], ["--fresh"]):
            result = lever("import", *fresh, "-o", path("kept.lever"), path("bad.txt", text))
            equal((result.returncode, result.stdout), (1, ""))
            check(reason in result.stderr, result.stderr)
            equal(lever("report", "--format", "json", path("kept.lever")).stdout, before)
    broken, profile = path("broken", "PERFILE2" + "x" * 4000), path("kept.lever")
    for name, reason in ((path("missing"), "usually perf.data"), (FOLDER.name, "is a folder; give the file"),
                         (broken, "broken"), (profile, "a profile of Lever already; show it by lever report " + profile)):
        result = lever("import", "-o", path("none.lever"), name)
        equal((result.returncode, result.stdout), (1, ""))
        check(name in result.stderr and reason in result.stderr, result.stderr)
    check(not os.path.exists(path("none.lever")) and not os.path.exists(path("none.lever.part")), "left files")


@test("text from a pipe that has a name; ended while it reads or waits, lever import leaves no file")
def _():
    pipe = path("pipe")
    os.mkfifo(pipe)
    for begin, names in (("", set()), (CLOCK, {"piped.lever.part"})):
        before = set(os.listdir(FOLDER.name))
        with subprocess.Popen([LEVER, "import", "-o", path("piped.lever"), pipe], stderr=subprocess.DEVNULL) as child:
            with open(pipe, "w", encoding="utf-8") if begin else contextlib.nullcontext() as file:
                if begin:
                    file.write(begin)
                    file.flush()
                end = time.monotonic() + 30
                while not names <= set(os.listdir(FOLDER.name)) and time.monotonic() < end:
                    time.sleep(0.01)
                time.sleep(0.2)
                child.terminate()
                equal(child.wait(30), -signal.SIGTERM)
        equal(set(os.listdir(FOLDER.name)), before)
    with subprocess.Popen(["sh", "-c", 'trap "" HUP; exec "$@"', "sh", LEVER, "import", "-o", path("ignoring.lever"), pipe], stderr=subprocess.DEVNULL) as child:
        with open(pipe, "w", encoding="utf-8") as file:
            file.write(CLOCK)
            file.flush()
            while child.poll() is None and not os.path.exists(path("ignoring.lever.part")):
                time.sleep(0.01)
            child.send_signal(signal.SIGHUP)
        equal(child.wait(30), 0)  # as nohup has it
    with subprocess.Popen(["sh", "-c", 'cat "$0" > "$1"', path("text.txt", CLOCK), pipe]):
        result = lever("import", "-o", path("piped.lever"), pipe)
    equal(result.returncode, 0, result.stderr)
    check("3 samples added" in result.stderr, result.stderr)


@test("a perf.data file: the shares that perf itself reports")
def _():
    for program, package in (("perf", "linux-perf"), ("xz", "xz-utils")):
        if not shutil.which(program):
            raise Skip(f"{program} is not installed (Debian: {package})")
    data = path("perf.data")
    made = subprocess.run(["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-g", "-o", data, "xz", "-k", "-c",
                           shutil.which("perf")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if made.returncode:
        raise Skip("perf cannot record here: " + made.stderr.decode(errors="replace").strip())
    equal(lever("import", "-o", path("real.lever"), data).returncode, 0)
    report = json.loads(lever("report", "--format", "json", path("real.lever")).stdout)
    equal(report["lost"] if "lost" in report else 0, 0)
    theirs = subprocess.run(["perf", "report", "-i", data, "--no-children", "--stdio", "-s", "dso", "-g", "none"],
                            capture_output=True, text=True).stdout
    share = next(float(line.split("%")[0]) for line in theirs.splitlines() if "liblzma" in line)
    ours = sum(one["weight_ns"] for one in report["entries"] if "liblzma" in (one["stack"][0]["object"] or ""))
    near(ours / report["recorded_ns"] * 100, share, 0.1, "time in liblzma")


@test("perf.data through a pipe, as a file and as perf record -o - writes it")
def _():
    if not os.path.exists(path("real.lever")):
        raise Skip("perf did not record in the test before")
    live = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-g", "-o", "-", "sh", "-c", "xz -k -c /bin/sh > /dev/null"]
    told = []
    for words in (["cat", path("perf.data")], live):
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            result = lever("import", "--fresh", "-o", path("pipe.lever"), "-", stdin=process.stdout)
        equal(result.returncode, 0, result.stderr)
        told.append(json.loads(lever("report", "--format", "json", path("pipe.lever")).stdout))
    equal(told[0]["recorded_ns"], json.loads(lever("report", "--format", "json", path("real.lever")).stdout)["recorded_ns"])
    check(any("liblzma" in (one["stack"][0]["object"] or "") for one in told[1]["entries"]), "no sample of xz")


main()
