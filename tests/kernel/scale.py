#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""lever scale on programs whose parallelism is known. Times are never compared with clocks of the test."""
import os
import signal
import subprocess
import time

from kernel import LEVER, check, equal, folder, lever, main, program, report, run, test


def scaled(*words, options=("--runs", "1", "--compare", "0")):
    """What lever said, and the report of the program `threads` with these words."""
    with folder() as place:
        output = os.path.join(place, "test.lever")
        said = lever("scale", "--output", output, *options, "--", program("threads"), *words)
        equal(said.returncode, 0, said.stderr)
        return said, report(output)


def level(told, threads):
    for one in told["parallelism"]:
        if one["threads"] == threads:
            return one
    return dict.fromkeys(("wall_ns", "running_ns", "lock_ns", "io_ns", "timer_ns", "condition_ns", "other_ns"), 0)


def walls(told):
    return sum(one["wall_ns"] for one in told["parallelism"])


@test("every moment of a program that switches as fast as it can is counted, and every wake-up")
def _():
    rounds = 200000
    for options in (("--on", "1", "--runs", "1", "--compare", "0"), ("--runs", "1", "--compare", "0")):
        said, told = scaled("pong", str(rounds), options=options)
        waits = int(said.stdout)
        equal(walls(told), told["program"]["wall_ns"])
        check(abs(told["threads"]["wakes"] - waits) <= 20, (told["threads"], waits))
        check(told["threads"]["switches"] >= waits, (told["threads"], waits))
    check(waits > rounds / 10, waits)


@test("three busy threads on one core: three active, one running")
def _():
    _, told = scaled("spin", "3", "200", options=("--on", "1", "--runs", "1", "--compare", "0"))
    equal(told["cores"], 1)
    equal(told["threads"]["made"], 4)
    check(level(told, 3)["wall_ns"] > 0.5 * walls(told), told["parallelism"])
    check(told["mean_running"] <= 1.0, told["mean_running"])
    cpu = sum(one["running_ns"] for one in told["parallelism"])
    check(cpu >= 600e6, cpu)
    # Of the CPU time at least 600 ms were by three threads that could have run at once.
    one, many = (next(p for p in told["predictions"] if p["cores"] == cores and p["model"] == "formula") for cores in (1, 64))
    check(many["wall_ns"] < 0.67 * one["wall_ns"], (one, many))
    check(one["low_ns"] <= one["wall_ns"] <= one["high_ns"], one)


@test("sleep, locks and children: nobody is active, and it is said for what they wait")
def _():
    _, told = scaled("asleep", "300")
    check(level(told, 0)["timer_ns"] >= 300e6 - 1e6, told["parallelism"])
    _, told = scaled("lock", "300")
    check(level(told, 0)["lock_ns"] >= 200e6, told["parallelism"])
    check(level(told, 0)["timer_ns"] >= 200e6, told["parallelism"])
    _, told = scaled("fork", "3", "100")
    equal((told["threads"]["processes"], told["threads"]["most"]), (4, 2))
    check(level(told, 0)["timer_ns"] >= 290e6, told["parallelism"])
    check(level(told, 0)["other_ns"] >= 290e6, told["parallelism"])


@test("a program that is executed by a second thread goes on being counted")
def _():
    _, told = scaled("exec", program("threads"), "spin", "2", "150")
    cpu = sum(one["running_ns"] for one in told["parallelism"])
    check(cpu >= 200e6, told["parallelism"])
    equal(walls(told), told["program"]["wall_ns"])
    equal(told["threads"]["most"], 3)


@test("on fewer cores the program is told that it has all, unless it shall see it")
def _():
    cores = len(os.sched_getaffinity(0))
    for options, seen in (((), cores), (("--show-cores",), 1)):
        said, _ = scaled("cores", options=("--on", "1", "--runs", "1", "--compare", "0", *options))
        equal(int(said.stdout), seen)


@test("runs add up: as many as asked for, and one on other cores")
def _():
    said, told = scaled("spin", "2", "50", options=("--runs", "2", "--on", "1", "--cores", "1,2"))
    equal(told["runs"], 2)
    if len(os.sched_getaffinity(0)) > 1:
        equal([one["runs"] for one in told["measured"]], [2, 1])
        check(told["growth"] is not None)
    check("Parallelism of" in said.stderr, said.stderr)
    equal(sorted({p["cores"] for p in told["predictions"]}), [1, 2])


@test("a file on standard input is read by each run, a pipe by one")
def _():
    with folder() as place:
        output, data = os.path.join(place, "x.lever"), os.path.join(place, "data")
        with open(data, "w", encoding="utf-8") as file:
            file.write("abc\n")
        command = f"{LEVER} scale -q -o {output} --runs 2 --compare 0 -- cat"
        equal(run("sh", "-c", f"{command} <{data}").stdout, "abc\nabc\n")
        said = run("sh", "-c", f"cat {data} | {command}")
        equal(said.stdout, "abc\n")


@test("the program's exit code and signal are said; what cannot be executed ends with 127 or 126")
def _():
    with folder() as place:
        output = os.path.join(place, "x.lever")
        said = lever("scale", "-o", output, "--runs", "1", "--compare", "0", "--", "sh", "-c", "exit 5")
        equal(said.returncode, 0)
        check("exit code 5" in said.stderr, said.stderr)
        equal(report(output)["program"]["exit_status"], 5)
        equal(lever("scale", "-o", output, "--", "/no/such").returncode, 127)


@test("Ctrl-C ends the program and the runs; kill -9 of lever leaves the program alone and nothing behind")
def _():
    with folder() as place:
        output = os.path.join(place, "x.lever")
        for number in (signal.SIGINT, signal.SIGKILL):
            process = subprocess.Popen([LEVER, "scale", "-o", output, "--", "sleep", "3"], start_new_session=True, stderr=subprocess.PIPE)
            children = f"/proc/{process.pid}/task/{process.pid}/children"
            command, pid = "", 0
            for _ in range(1000):
                with open(children, encoding="utf-8") as file:
                    pids = file.read().split()
                if pids:
                    pid = int(pids[0])
                    with open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
                        command = file.read()
                if command.startswith("sleep"):
                    break
                time.sleep(0.01)
            check(command.startswith("sleep"), command)
            if number == signal.SIGINT:
                os.killpg(process.pid, number)
                equal(process.wait(30), 3)
            else:
                process.kill()
                process.wait(30)
                with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                    check(file.read().rsplit(")", 1)[1].split()[0] in "SR")
                os.kill(pid, signal.SIGKILL)
            process.stderr.close()


main()
