#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""interruption - the profile and the program after Ctrl-C, kill -9, a full disk and other early ends."""
import contextlib
import ctypes
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time

from kernel import (LEVER, RAN, Skip, check, equal, folder, lever, main, program, report, run,
                    test, visits)

LONG = "100000000"  # units: hours
PATIENCE = 60


def start(place, *words, **options):
    """lever in a session and foreground group of its own; its profile is PLACE/run.lever."""
    output = os.path.join(place, "run.lever")
    return subprocess.Popen([LEVER, "run", "--window", "50ms", "-o", output, *words],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.PIPE, start_new_session=True, **options)


def rows(path, table="experiment"):
    """The number of rows in the file of an unfinished run."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            return database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    except sqlite3.Error:
        return 0


def wait_until(what, question):
    deadline = time.monotonic() + PATIENCE
    while not question():
        check(time.monotonic() < deadline, f"waited in vain until {what}")
        time.sleep(0.05)


def wait_for_experiments(process, place):
    wait_until("experiments are in the profile",
               lambda: rows(os.path.join(place, "run.lever")) >= 3 or process.poll() is not None)
    check(process.poll() is None, "lever ended early")


def name_of(pid):
    with open(f"/proc/{pid}/comm", encoding="utf-8") as file:
        return file.read().strip()


def child_of(process):
    """The program's process id."""
    path = f"/proc/{process.pid}/task/{process.pid}/children"
    with open(path, encoding="utf-8") as file:
        children = file.read().split()
    programs = [pid for pid in children if name_of(pid) != "lever-parser"]
    equal(len(programs), 1, "programs that lever started")
    return int(programs[0])


def parser_of(process):
    """The process that reads binaries for lever."""
    with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="utf-8") as file:
        return [pid for pid in file.read().split() if name_of(pid) == "lever-parser"]


def bpf_objects(pid):
    """{(kind, id)} of what this process holds in the kernel."""
    found = set()
    for name in os.listdir(f"/proc/{pid}/fdinfo"):
        try:
            with open(f"/proc/{pid}/fdinfo/{name}", encoding="utf-8") as file:
                found.update(re.findall(r"^(prog_id|map_id|link_id):\s*(\d+)", file.read(), re.M))
        except OSError:
            pass
    return found


def bpf_left(objects):
    """Those of them that still exist in the kernel."""
    if not shutil.which("bpftool", path=os.environ["PATH"] + ":/usr/sbin"):
        raise Skip("there is no bpftool to look for what is left")
    left = set()
    for kind in ("prog", "map", "link"):
        said = run("bpftool", "-j", kind, "show",
                   env={**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin"})
        ids = {str(item["id"]) for item in json.loads(said.stdout or "[]")}
        left |= {(name, number) for name, number in objects if name == kind + "_id" and number in ids}
    return left


def breakpoint_is_set(pid):
    """Whether the program's function unit begins with a breakpoint now."""
    path = program("exits")
    symbol = re.search(r"^([0-9a-f]+) T unit$", run("nm", path).stdout, re.M)
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        base = next(int(line.split("-")[0], 16) for line in maps if line.rstrip().endswith(path))
    with open(f"/proc/{pid}/mem", "rb") as memory:
        memory.seek(base + int(symbol.group(1), 16))
        return memory.read(1) == b"\xcc"


def kernel_complaints():
    said = run("dmesg")
    return [line for line in said.stdout.splitlines()
            if re.search(r"WARNING|BUG:|Call Trace|stall|lockup|Oops|scheduling while atomic", line)]


def interrupt(way, number, to_group, *expected_statuses):
    with folder() as place:
        process = start(place, "--", program("exits"), way, LONG)
        wait_for_experiments(process, place)
        held = bpf_objects(process.pid)
        check({kind for kind, _ in held} == {"prog_id", "map_id", "link_id"}, held)
        send = os.killpg if to_group else os.kill
        send(process.pid, number)
        _, said = process.communicate(timeout=PATIENCE)
        check(process.returncode in RAN, f"{process.returncode}: {said}")
        told = report(os.path.join(place, "run.lever"))
        check("Causal profile" in said, said)
        check(told["program"]["exit_status"] in expected_statuses, told["program"])
        check(rows(os.path.join(place, "run.lever")) >= 3, "experiments are lost")
        check(visits(told, "units") > 0)
        equal(sorted(os.listdir(place)), ["run.lever"], "files are left")
        wait_until("BPF programs, maps and links are gone", lambda: not bpf_left(held))


@test("Ctrl-C ends a program that does not catch it, and the experiments are reported")
def _():
    interrupt("plain", signal.SIGINT, True, 128 + signal.SIGINT)


@test("Ctrl-C leaves a program that catches it the time to end in its own way")
def _():
    interrupt("calm", signal.SIGINT, True, 9)


@test("SIGTERM to lever is handed on to the program, and the experiments are reported")
def _():
    interrupt("calm", signal.SIGTERM, False, 9)
    interrupt("plain", signal.SIGTERM, False, 128 + signal.SIGTERM)


@test("while lever and the program are stopped together no time passes for the gains, and that is told")
def _():
    with folder() as place:
        begin = time.monotonic()
        process = start(place, "--", program("exits"), "plain", LONG)
        wait_for_experiments(process, place)
        both = (process.pid, child_of(process))
        for number, seconds in ((signal.SIGSTOP, 5), (signal.SIGCONT, 2)):
            for pid in both:
                os.kill(pid, number)
            time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
        passed_ns = 1e9 * (time.monotonic() - begin)
        path = os.path.join(place, "run.lever")
        check(any("stood still for 5 s" in warning for warning in report(path)["warnings"]), said)
        with contextlib.closing(sqlite3.connect(path)) as database:
            wall_ns, baseline_ns = database.execute("SELECT wall_ns, calm_ns FROM run").fetchone()
        check(5e9 < passed_ns - wall_ns, f"{passed_ns} {wall_ns}")  # as if it had waited
        check(0 < baseline_ns <= wall_ns, f"{baseline_ns} {wall_ns}")


@test("a closed terminal (SIGHUP to the group) leaves a whole profile")
def _():
    # The program may get its own SIGHUP later than the SIGTERM by which lever ends it, or ignore it (nohup).
    interrupt("plain", signal.SIGHUP, True, 128 + signal.SIGHUP, 128 + signal.SIGTERM)


def adopt():
    """Orphans become children of this test."""
    pr_set_child_subreaper = 36
    equal(ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0), 0)


@test("after kill -9 of lever the program runs on to its own end, and nothing of lever is left")
def _():
    adopt()
    with folder() as place:
        process = start(place, "--progress", "unit", "--", program("exits"), "calm", LONG)
        wait_for_experiments(process, place)
        pid, held = child_of(process), bpf_objects(process.pid)
        parser, = parser_of(process)
        check(breakpoint_is_set(pid), "the test cannot see a breakpoint")
        process.kill()
        process.wait(PATIENCE)
        wait_until("BPF programs, maps and links are gone", lambda: not bpf_left(held))
        wait_until("the breakpoint is gone", lambda: not breakpoint_is_set(pid))
        wait_until("the process that reads binaries is gone", lambda: os.waitpid(int(parser), os.WNOHANG)[0])
        equal(os.waitpid(pid, os.WNOHANG), (0, 0), "the program did not go on")
        os.kill(pid, signal.SIGINT)
        equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 9)
        told = report(os.path.join(place, "run.lever"))
        check(visits(told, "unit") is not None, told["progress"])
        check(rows(os.path.join(place, "run.lever")) >= 3, "experiments are lost")


@test("when its terminal's reader goes away, lever still finishes the profile")
def _():
    with folder() as place:
        process = start(place, "--seconds", "1", "--", program("exits"), "plain", "40000")
        process.stderr.close()
        process.stdout.close()
        process.wait(PATIENCE)
        equal(visits(report(os.path.join(place, "run.lever")), "units"), 40000)


@test("a run that adds to a profile while another one writes to it loses neither")
def _():
    with folder() as place:
        words = ("--", program("exits"), "plain", "10000")
        first, second = start(place, *words), start(place, *words)
        for process in (first, second):
            _, said = process.communicate(timeout=PATIENCE)
            check(process.returncode in RAN, said)
        equal(visits(report(os.path.join(place, "run.lever")), "units"), 20000)


@test("the kernel's log has no warnings after these tests")
def _():
    equal(kernel_complaints(), COMPLAINTS_BEFORE)


COMPLAINTS_BEFORE = kernel_complaints()


def on_small_disk(kilobytes, words, place):
    """Runs lever with its profile on a disk of this size; the profile is then copied to PLACE."""
    script = ('mkdir -p "$1/disk" && mount -t tmpfs -o "size=$2" none "$1/disk" || exit 99; cd "$1";'
              'shift 2; "$@"; code=$?; cp disk/* .; exit $code')
    said = run("unshare", "--mount", "--propagation", "private", "sh", "-c", script, "sh", place,
               f"{kilobytes}k", *words)
    if said.returncode == 99 or "unshare" in said.stderr:
        raise Skip("no small disk can be made here: " + said.stderr)
    return said


@test("when the disk is full, lever says so with 1, and the program runs to its end")
def _():
    with folder() as place:
        ways = program("exits")
        words = (LEVER, "run", "-o", "disk/run.lever", "--window", "10ms", "--", ways, "plain",
                 "120000", "done")
        said = on_small_disk(256, words, place)
        equal(said.returncode, 1, said.stderr)
        check("the disk is full" in said.stderr, said.stderr)
        check(os.path.exists(os.path.join(place, "done")), "the program did not run to its end")
        equal(report(os.path.join(place, "run.lever"))["program"]["command"], list(words[7:]))


@test("a disk that is full from the start is reported before the program runs")
def _():
    with folder() as place:
        words = (LEVER, "run", "-o", "disk/run.lever", "--", program("exits"), "plain", "1", "done")
        said = on_small_disk(8, words, place)
        equal(said.returncode, 1, said.stderr)
        check("the disk is full" in said.stderr, said.stderr)
        check(not os.path.exists(os.path.join(place, "done")), "the program was run")


@test("a limit on file sizes is reported like a full disk, and stays in force for the program")
def _():
    with folder() as place:
        words = (f"ulimit -f 160; exec {LEVER} run -o run.lever --window 10ms -- "
                 f"{program('exits')} plain 120000 done")
        said = run("bash", "-c", words, cwd=place)
        equal(said.returncode, 1, said.stderr)
        check("ulimit -f" in said.stderr, said.stderr)
        check(os.path.exists(os.path.join(place, "done")), "the program did not run to its end")
        report(os.path.join(place, "run.lever"))


@test("a limit on file sizes that leaves no space to begin is reported before the program runs")
def _():
    with folder() as place:
        words = f"ulimit -f 20; exec {LEVER} run -o run.lever -- {program('exits')} plain 1 done"
        said = run("bash", "-c", words, cwd=place)
        equal(said.returncode, 1, said.stderr)
        check("ulimit -f" in said.stderr, said.stderr)
        check(not os.path.exists(os.path.join(place, "done")), "the program was run")


@test("a path where no profile can be written is an error, with 1, before the program runs")
def _():
    with folder() as place:
        done = os.path.join(place, "done")
        for output in (os.path.join(place, "none", "run.lever"), place, "/proc/run.lever"):
            said = lever("run", "-o", output, "--", program("exits"), "plain", "1", done)
            equal((said.returncode, said.stdout), (1, ""), output)
            check(output in said.stderr, said.stderr)
            check(not os.path.exists(done), "the program was run")


@test("a file that is no profile is neither added to nor replaced")
def _():
    with folder() as place:
        precious, done = os.path.join(place, "thesis.txt"), os.path.join(place, "done")
        for more in ((), ("--fresh",)):
            with open(precious, "w", encoding="utf-8") as file:
                file.write("years of work\n" * 1000)
            said = lever("run", *more, "-o", precious, "--", program("exits"), "plain", "1", done)
            equal((said.returncode, said.stdout), (1, ""), more)
            check(precious in said.stderr, said.stderr)
            equal(os.path.getsize(precious), 14000, "it was changed")
            check(not os.path.exists(done), "the program was run")


@test("a torn profile is refused with 1 and a sentence by report and run")
def _():
    with folder() as place:
        whole, torn = os.path.join(place, "whole.lever"), os.path.join(place, "torn.lever")
        lever("run", "-q", "-o", whole, "--", program("exits"), "plain", "4000")
        size = os.path.getsize(whole)
        for kept in (100, 4096, size // 2):
            with open(whole, "rb") as file, open(torn, "wb") as copy:
                copy.write(file.read(kept))
            for words in (("report", torn), ("run", "-o", torn, "--", "true")):
                said = lever(*words)
                equal((said.returncode, said.stdout), (1, ""), f"{kept} bytes, {words}")
                check(torn in said.stderr, said.stderr)
                check(said.stderr.startswith("lever: "), said.stderr)


@test("a second run adds to the profile, --fresh replaces it")
def _():
    with folder() as place:
        output = os.path.join(place, "run.lever")
        for more, expected in (((), 500), ((), 1000), (("--fresh",), 500)):
            said = lever("run", "-q", *more, "-o", output, "--", program("exits"), "plain", "500")
            check(said.returncode in RAN, said.stderr)
            equal(visits(report(output), "units"), expected)


@test("files made under sudo belong to the user behind it")
def _():
    with folder() as place:
        environment = {**os.environ, "SUDO_UID": "12345", "SUDO_GID": "12346"}
        process = start(place, "--", program("exits"), "plain", LONG, env=environment)
        wait_for_experiments(process, place)
        while_running = sorted(os.listdir(place))
        owners = {(os.stat(os.path.join(place, name)).st_uid, os.stat(os.path.join(place, name)).st_gid)
                  for name in while_running}
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        equal(owners, {(12345, 12346)}, while_running)
        status = os.stat(os.path.join(place, "run.lever"))
        equal((status.st_uid, status.st_gid), (12345, 12346))
        for name, words in (("told.json", ("-f", "json")), ("told.coz", ("-f", "coz"))):
            path = os.path.join(place, name)
            lever("report", os.path.join(place, "run.lever"), *words, "-o", path, env=environment)
            if os.path.exists(path):
                equal(os.stat(path).st_uid, 12345, name)


main()
