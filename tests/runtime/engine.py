# SPDX-License-Identifier: BSD-2-Clause
"""engine - `lever run --engine runtime`: the same program, the same output, as an ordinary user.

As root, the tests start lever as the user nobody, since this engine is for users without rights.
LEVER_STRESS_SECONDS is the length of the stress test; .ci/run sets 30, at night 600.
"""
import glob
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "command"))
from check import LEVER, Skip, check, equal, main, test  # noqa: E402

PROGRAMS = os.path.abspath(sys.argv[2])
LIBRARY = os.path.abspath(sys.argv[3])
STRESS = os.path.join(PROGRAMS, "stress")
SECONDS = float(os.environ.get("LEVER_STRESS_SECONDS", "8"))
TRIES = 4  # of what a busy host can make unsteady for a while; what is wrong is so each time


def become_nobody():
    if os.getuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)


def run(*command, timeout=120, **options):
    """Runs a command as an ordinary user."""
    if os.getuid() == 0 and subprocess.run(["true"], preexec_fn=become_nobody, cwd="/", check=False).returncode:
        raise Skip("no user nobody")
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=timeout, preexec_fn=become_nobody, check=False, **options)


class Folder(tempfile.TemporaryDirectory):
    """A folder that the user nobody may write to."""

    def __enter__(self):
        name = super().__enter__()
        os.chmod(name, 0o777)
        return name


def profile(folder, *words, **options):
    """Runs lever run --engine runtime; returns the process and the report as JSON."""
    output = os.path.join(folder, "out.lever")
    said = run(LEVER, "run", "--quiet", "--fresh", "-o", output, "--engine", "runtime", *words, **options)
    if not os.path.exists(output):
        return said, None
    told = run(LEVER, "report", output, "--format", "json")
    return said, json.loads(told.stdout) if told.stdout else None


@test("the stress program prints the same with and without Lever")
def _():
    plain = run(STRESS, "1", "100", timeout=60)
    equal((plain.returncode, plain.stderr), (0, ""), plain.stdout)
    with Folder() as folder:
        said, report = profile(folder, "--", STRESS, str(SECONDS), "100", timeout=SECONDS + 120)
        check(said.returncode in (0, 3), f"{said.returncode}: {said.stderr}")
        equal(said.stdout, plain.stdout)
        equal(report["engine"], "runtime")
        check(report["sampling"]["samples"] > 100, report["sampling"])
        check(report["progress"][0]["visits"] >= 100 * 20, report["progress"])


@test("a thousand threads at once are created and joined, and print the same")
def _():
    plain = run(STRESS, "0", "1000", timeout=60)
    with Folder() as folder:
        said, _ = profile(folder, "--", STRESS, "0", "1000")
        check(said.returncode in (0, 3), f"{said.returncode}: {said.stderr}")
        equal(said.stdout, plain.stdout)


@test("where perf_event_open is refused, timers sample instead, and the report says so")
def _():
    refuse = os.path.join(PROGRAMS, "refuse_perf")
    if run(refuse, "true").returncode:
        raise Skip("no seccomp filters here")
    with Folder() as folder:
        output = os.path.join(folder, "out.lever")
        said = run(refuse, LEVER, "run", "-q", "--fresh", "-o", output, "--engine", "runtime", "--", STRESS, "3", "50")
        check(said.returncode in (0, 3), f"{said.returncode}: {said.stderr}")
        check("exact: yes" in said.stdout, said.stdout)
        report = run(LEVER, "report", output)
        check("perf_event_open is refused" in report.stdout, report.stdout)
        samples = json.loads(run(LEVER, "report", output, "--format", "json").stdout)["sampling"]["samples"]
        check(samples > 20, samples)


def children_of(pid):
    """The names of a process's children."""
    names = []
    for path in glob.glob("/proc/[0-9]*/status"):
        try:
            with open(path, encoding="utf-8") as file:
                fields = dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
        except OSError:  # has ended
            continue
        if fields.get("PPid") == str(pid):
            names.append(fields["Name"])
    return names


def await_true(condition, otherwise, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < deadline, otherwise)
        time.sleep(0.05)


@test("after kill -9 of lever, the program continues to its end, with the same output")
def _():
    with Folder() as folder:
        said = os.path.join(folder, "said")
        with open(said, "w", encoding="utf-8") as out:
            started = subprocess.Popen([LEVER, "run", "-q", "-o", os.path.join(folder, "out.lever"), "--engine", "runtime",
                                        "--progress", "visit_locks", "--", STRESS, "3", "50"], stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.DEVNULL, preexec_fn=become_nobody)
        await_true(lambda: "stress" in children_of(started.pid), "lever has not started the program")
        time.sleep(1)
        started.kill()
        started.wait()
        await_true(lambda: "exact" in open(said, encoding="utf-8").read(), "the program did not end")
        check("exact: yes" in open(said, encoding="utf-8").read(), "the program did not end in order")


@test("a statically linked program is refused with the name of the other engine, and not run")
def _():
    with Folder() as folder:
        said, _ = profile(folder, "--", os.path.join(PROGRAMS, "static"))
        equal((said.returncode, said.stdout), (1, ""), said.stderr)
        check("statically linked" in said.stderr and "--engine kernel" in said.stderr, said.stderr)


def exported():
    names = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {line.split()[2].split("@")[0] for line in names.splitlines()} - {"_coz_get_counter"}


@test("each function that is interposed gives the same answers with and without Lever")
def _():
    command = [os.path.join(PROGRAMS, "calls"), os.path.join(PROGRAMS, "threads_library.so")]
    plain = run(*command, timeout=60)
    equal((plain.returncode, plain.stderr), (0, ""), plain.stdout)
    equal([line for line in plain.stdout.splitlines() if not line.endswith(" right")], [], "without Lever")
    called = {re.split("[ ,]", line)[0] for line in plain.stdout.splitlines()}
    equal(exported() - called, set(), "interposed, but not called by the program calls")
    with Folder() as folder:
        for options in [], ["--progress", "say", "--target", "say", "--speedups", "0,100"]:
            said, _ = profile(folder, *options, "--", *command)
            check(said.returncode in (0, 3), f"{said.returncode}: {said.stderr}")
            equal(said.stdout.splitlines(), plain.stdout.splitlines())
        refuse = os.path.join(PROGRAMS, "refuse_perf")
        if not run(refuse, "true").returncode:
            said = run(refuse, LEVER, "run", "-q", "--fresh", "-o", os.path.join(folder, "timers.lever"), "--engine", "runtime",
                       "--", *command)
            equal(said.stdout.splitlines(), plain.stdout.splitlines(), "with timers instead of perf events")


@test("the dynamic linker finds each function of interposed.txt in the library")
def _():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "interposed.txt"), encoding="utf-8") as file:
        lines = [line for line in file.read().splitlines() if line and not line.startswith("#")]
    listed = {name for line in lines for name in line.rsplit(":", 1)[1].split()}
    own = {"_coz_get_counter"}  # of no other library, so nothing that calls asks for
    equal(listed ^ (exported() | own), set(), "listed and not exported, or the other way around")
    with Folder() as folder:
        said = os.path.join(folder, "bindings")
        done = subprocess.run([os.path.join(PROGRAMS, "calls"), os.path.join(PROGRAMS, "threads_library.so")],
                              env=os.environ | {"LD_DEBUG": "bindings", "LD_DEBUG_OUTPUT": said, "LD_BIND_NOW": "1",
                                                "LD_PRELOAD": LIBRARY},
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        equal(done.returncode, 0)
        found = set()
        for path in glob.glob(said + ".*"):
            with open(path, encoding="utf-8", errors="replace") as file:
                found |= set(re.findall(r"/calls \[\d+\] to \S*/liblever-runtime\.so \[\d+\]: normal symbol `(\w+)'", file.read()))
        equal(listed - own - found, set(), "not bound to the library")


def visits(report, name):
    return sum(point["visits"] for point in report["progress"] if point["name"] == name)


def place(word, name="unannotated.c"):
    """FILE:LINE of the line of a program here that says so."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8") as source:
        numbers = [number for number, line in enumerate(source, 1) if "/* " + word + " */" in line]
    return f"{name}:{numbers[0]}"


@test("visits of functions, lines and probes of unmodified code are counted one by one, in all threads and processes")
def _():
    program, line = os.path.join(PROGRAMS, "unannotated"), place("a line")
    with Folder() as folder:
        refused, _ = profile(folder, "--progress", "visit", "--", program, "1", "1")
        if "no breakpoints" in refused.stderr or "perf_event_open is refused" in refused.stderr:
            raise Skip(refused.stderr)
        said, report = profile(folder, "--progress", "visit", "--progress", line, "--", program, "2", "300")
        check(said.returncode in (0, 3), f"{said.returncode}: {said.stderr}")
        equal((visits(report, "visit"), visits(report, line)), (1200, 1200))
        said, report = profile(folder, "--progress", "usdt:unannotated:end",
                               "--latency", "usdt:unannotated:begin,usdt:unannotated:end", "--", program, "2", "300")
        if "no USDT probe" in said.stderr:
            raise Skip("built without sys/sdt.h")
        equal(visits(report, "usdt:unannotated:end"), 1200, said.stderr)


@test("without any point, functions that are called at a steady rate are the progress points")
def _():
    program = os.path.join(PROGRAMS, "unannotated")
    with Folder() as folder:
        said, _ = profile(folder, "--progress", "visit", "--", program, "1", "1")
        if "no breakpoints" in said.stderr or "perf_event_open is refused" in said.stderr:
            raise Skip(said.stderr)
        for _ in range(TRIES):
            said, report = profile(folder, "--", program, "2", "1", "12", timeout=180)
            names = {point["name"] for point in report["progress"]} & {"visit", "work"}
            if names:
                break
        check(said.returncode in (0, 3) and names, said.stderr)


@test("more points of unmodified code than the processor has breakpoints are refused, naming other ways")
def _():
    words = [word for name in ("visit", "work", "one", "two", "three") for word in ("--progress", name)]
    with Folder() as folder:
        said, _ = profile(folder, *words, "--", os.path.join(PROGRAMS, "unannotated"), "1", "1")
        check(said.returncode == 1 and "LEVER_PROGRESS" in said.stderr and "sampled:" in said.stderr, said.stderr)


@test("points that need rights are refused, naming the remedy: tracepoints, and code where perf_event_open is refused")
def _():
    with Folder() as folder:
        said, _ = profile(folder, "--progress", "tracepoint:syscalls:sys_enter_write", "--", STRESS, "0", "10")
        check(said.returncode == 1 and "LEVER_PROGRESS" in said.stderr, said.stderr)
        refuse = os.path.join(PROGRAMS, "refuse_perf")
        if run(refuse, "true").returncode:
            raise Skip("no seccomp filters here")
        said = run(refuse, LEVER, "run", "-q", "--fresh", "-o", os.path.join(folder, "no.lever"), "--engine", "runtime",
                   "--progress", "visit", "--", os.path.join(PROGRAMS, "unannotated"), "1", "1")
        check(said.returncode == 1 and "seccomp" in said.stderr and "LEVER_PROGRESS" in said.stderr, said.stderr)


@test("a program that was built with coz.h counts unchanged")
def _():
    program = os.path.join(PROGRAMS, "coz_points")
    if not os.path.exists(program):
        raise Skip("no coz.h here")
    with Folder() as folder:
        said, report = profile(folder, "--", program, "2", "200")
        check(said.returncode in (0, 3), f"{said.returncode}: {said.stderr}")
        equal(visits(report, "rows"), 2 * 2 * 200, report["progress"])
        check(any(point["kind"] == "latency" for point in report["progress"]), report["progress"])


@test("more than 256 processes at once are sampled, and the visits of all of them count")
def _():
    with Folder() as folder:
        said, report = profile(folder, "--", os.path.join(PROGRAMS, "many_children"), "300")
        check(said.returncode in (0, 3), f"{said.returncode}: {said.stderr}")
        equal(visits(report, "child"), 300, report["progress"])
        check("not sampled" not in run(LEVER, "report", os.path.join(folder, "out.lever")).stdout, "some were left out")


@test("a span's time is that of its thread, without spans within")
def _():
    with Folder() as folder:
        for _ in range(TRIES):
            said, told = profile(folder, "--granularity", "span", "--progress", "rounds", "--",
                                 os.path.join(PROGRAMS, "nested"), "6000")
            check(said.returncode in (0, 3), said.stderr)
            found = {target["name"]: target["share"] for target in told["targets"]}
            equal({target["kind"] for target in told["targets"]}, {"span"})
            # The last is open at most until the other thread ends it.
            are_right = (0.35 < found["span:outer"] < 0.65 and 0.08 < found["span:inner"] < 0.3 and
                         found.get("span:crossing", 0) < 0.05)
            if are_right:
                break
        check(are_right, found)


@test("a program that runs on after the measurement has the same gain")
def _():
    with Folder() as folder:
        said, told = profile(folder, "--target", "span:outer", "--progress", "rounds", "--speedups", "0,50", "--seconds", "2",
                             "--", os.path.join(PROGRAMS, "nested"), "20000")
        check(said.returncode in (0, 3), said.stderr)
        target, = [target for target in told["targets"] if target["name"] == "span:outer"]
        check(target["effects"] and target["effects"][0]["phase_factor"] > 0.9, target)


def class_shares(folder, *options):
    said, told = profile(folder, *options, "--speedups", "0,100", "--", os.path.join(PROGRAMS, "lock_and_sleep"), "4")
    check(said.returncode in (0, 3), said.stderr)
    return {target["name"]: target["share"] for target in told["targets"] if target["kind"] == "class"}


@test("waits are targets by their class: locks, sleeps, and those of one line only")
def _():
    sleep = place("a sleep", "lock_and_sleep.c")
    with Folder() as folder:
        for _ in range(TRIES):
            shares = class_shares(folder, "--class", "I,L,B")
            here = class_shares(folder, "--class", "L,B", "--target", sleep)
            are_right = (0.3 < shares.get("class:L", 0) < 0.7 and 0.3 < shares.get("class:B", 0) < 0.7 and
                         shares.get("class:I", 0) < 0.05 and here.get(f"{sleep} class:B", 0) > 0.3 and
                         here.get(f"{sleep} class:L", 0) < 0.05)
            if are_right:
                break
        check(are_right, (shares, here))


@test("class S is refused with the name of the kernel engine")
def _():
    with Folder() as folder:
        said, _ = profile(folder, "--class", "S", "--", STRESS, "0", "10")
        check(said.returncode == 2 and "class S" in said.stderr and "--engine kernel" in said.stderr, said.stderr)


@test("a setuid program is refused by name; one that the program starts runs without the library")
def _():
    setuid = shutil.which("su") or "/bin/su"
    if not os.path.exists(setuid) or not os.stat(setuid).st_mode & 0o4000:
        raise Skip("no setuid su here")
    with Folder() as folder:
        said, _ = profile(folder, "--", setuid, "--version")
        check(said.returncode == 1 and "setuid" in said.stderr and "--engine kernel" in said.stderr, said.stderr)
        said, _ = profile(folder, "--", "sh", "-c", f"{setuid} --version; true")
        equal(said.stdout, run(setuid, "--version").stdout)
        told = run(LEVER, "report", os.path.join(folder, "out.lever")).stdout
        check("setuid programs were started" in told, told)


@test("Go programs and Java machines are refused with the name of the other engine")
def _():
    places = os.path.join(PROGRAMS, "unannotated")
    with Folder() as folder:
        java, go = os.path.join(folder, "java"), os.path.join(folder, "go")
        shutil.copy(places, java)
        said, _ = profile(folder, "--", java, "1", "1")
        check(said.returncode == 1 and "Java" in said.stderr and "--engine kernel" in said.stderr, said.stderr)
        if not shutil.which("objcopy"):
            raise Skip("no objcopy here")
        subprocess.run(["objcopy", "--add-section", ".go.buildinfo=" + os.path.abspath(__file__), places, go], check=True)
        said, _ = profile(folder, "--", go, "1", "1")
        check(said.returncode == 1 and "Go program" in said.stderr and "--engine kernel" in said.stderr, said.stderr)


@test("--engine auto takes the runtime engine where the kernel engine is refused, and says so")
def _():
    with Folder() as folder:
        output = os.path.join(folder, "out.lever")
        said = run(LEVER, "run", "--fresh", "-o", output, "--", STRESS, "2", "50")
        check(said.returncode in (0, 3), said.stderr)
        told = run(LEVER, "report", output, "--format", "json")
        equal(json.loads(told.stdout)["engine"], "runtime")
        check("runtime engine" in said.stderr, said.stderr)


main()
