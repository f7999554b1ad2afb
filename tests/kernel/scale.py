#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""lever scale on programs whose parallelism is known. Times are never compared with clocks of the test."""
import os
import signal
import subprocess
import time

from kernel import LEVER, Skip, check, equal, folder, lever, main, program, report, run, test
from some_run import in_some_run


ONCE = ("--runs", "1", "--compare", "0", "--no-replay")


def scaled(*words, options=ONCE):
    """Lever's messages, and the report of the program `threads` with these arguments."""
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
    for options in (("--on", "1", *ONCE), ONCE):
        said, told = scaled("pong", str(rounds), options=options)
        waits = int(said.stdout)
        equal(walls(told), told["program"]["wall_ns"])
        check(abs(told["threads"]["wakes"] - waits) <= 20, (told["threads"], waits))
        check(told["threads"]["switches"] >= waits, (told["threads"], waits))
    check(waits > rounds / 10, waits)


@test("three busy threads on one core: three active, one running")
def _():
    _, told = scaled("spin", "3", "200", options=("--on", "1", *ONCE))
    equal(told["cores"], 1)
    equal(told["threads"]["made"], 4)
    check(level(told, 3)["wall_ns"] > 0, told["parallelism"])
    check(told["mean_running"] <= 1.0, told["mean_running"])
    cpu = sum(one["running_ns"] for one in told["parallelism"])
    check(cpu >= 500e6, cpu)
    one, many = (predicted(told, cores, "formula") for cores in (1, 64))
    check(many["wall_ns"] < one["wall_ns"], (one, many))
    check(one["low_ns"] <= one["wall_ns"] <= one["high_ns"], one)

    def attempt():
        # Of the CPU time at least 600 ms were by three threads that could have run at once.
        _, told = scaled("spin", "3", "200", options=("--on", "1", *ONCE))
        check(level(told, 3)["wall_ns"] > 0.5 * walls(told), told["parallelism"])
        one, many = (predicted(told, cores, "formula")["wall_ns"] for cores in (1, 64))
        check(many < 0.67 * one, (one, many))
    in_some_run(attempt)


@test("sleep, locks and children: no thread is active, and the reason of the wait is reported")
def _():
    # A thread that is held up on its way to sleep sleeps less, and others later.
    def wait_for(*reasons):
        blocked = level(told, 0)
        other = max(blocked[name] for name in ("lock_ns", "io_ns", "timer_ns", "condition_ns", "other_ns") if name not in reasons)
        for reason in reasons:
            check(blocked[reason] > max(100e6, 2 * other), (reason, told["parallelism"]))

    _, told = scaled("asleep", "300")
    wait_for("timer_ns")
    _, told = scaled("lock", "600")
    wait_for("timer_ns", "lock_ns")
    _, told = scaled("fork", "3", "200")
    equal((told["threads"]["processes"], told["threads"]["most"]), (4, 2))
    wait_for("timer_ns", "other_ns")


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
        said, _ = scaled("cores", options=("--on", "1", *ONCE, *options))
        equal(int(said.stdout), seen)


@test("while it polls, lever stays on the program's cores: no other core wakes for that")
def _():
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip("one core")
    with folder() as place:
        said = lever("scale", "-q", "-o", os.path.join(place, "x.lever"), "--on", "1", "--show-cores", *ONCE, "--",
                     "sh", "-c", "grep -h Cpus_allowed_list: /proc/$PPID/status /proc/self/status")
        equal(said.returncode, 0, said.stderr)
        own, programs = said.stdout.splitlines()
        equal(own, programs)


@test("runs add up: as many as asked for, and one on other cores")
def _():
    said, told = scaled("spin", "2", "50", options=("--runs", "2", "--on", "1", "--cores", "1,2", "--no-replay"))
    equal(told["runs"], 2)
    if len(os.sched_getaffinity(0)) > 1:
        equal([one["runs"] for one in told["measured"]], [2, 1])
        check(told["growth"] is not None)
    check("Parallelism of" in said.stderr, said.stderr)
    equal(sorted({p["cores"] for p in told["predictions"]}), [1, 2])


def predicted(told, cores, model):
    return next((one for one in told["predictions"] if one["cores"] == cores and one["model"] == model), None)


@test("a logged run is simulated: it takes as long as it took, and the longer the fewer the cores")
def _():
    cores = len(os.sched_getaffinity(0))

    def attempt():
        said, told = scaled("spin", str(cores), "300", options=("--runs", "1", "--compare", "0", "--cores", f"1,{cores}"))
        equal(told["runs"], 1)
        check(told["replay"]["refusal"] is None, told["replay"])
        check(abs(told["replay"]["miss"]) <= 0.05, told["replay"])
        one, all_of_them = (predicted(told, number, "replay")["wall_ns"] for number in (1, cores))
        # Steal from one of the threads counts as its work.
        check(0.7 * cores < one / all_of_them < 1.05 * cores, (one, all_of_them))
        check("simulated on its own cores" in said.stderr, said.stderr)
    in_some_run(attempt)


@test("the replay keeps wake-ups: two threads that take turns are no faster on more cores")
def _():
    def attempt():
        _, told = scaled("turns", "20", "10", options=("--on", "1", "--runs", "1", "--compare", "0", "--cores", "1,8"))
        check(told["replay"]["refusal"] is None, told["replay"])
        one, eight = (predicted(told, cores, "replay")["wall_ns"] for cores in (1, 8))
        check(0.9 * one < eight < 1.3 * one, (one, eight))
    in_some_run(attempt)


@test("threads that wait by spinning are detected, and busy ones are not taken for them")
def _():
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip("one core")
    options = ("--runs", "1", "--compare", "0")
    _, told = scaled("wait", "400", options=options)
    check(any("user-level spinning" in one for one in told["warnings"]), told["warnings"])
    _, told = scaled("stages", "100", options=options)
    check(not any("user-level spinning" in one for one in told["warnings"]), told["warnings"])


@test("a program that makes a thread for each core is found out, and compared with as many threads all the same")
def _():
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip("one core")
    for options in (("--runs", "1"), ("--runs", "1", "--on", "1")):
        _, told = scaled("percore", "60", options=options)
        check(any("creates as many as it sees cores" in one for one in told["warnings"]), told["warnings"])
        equal(len({one["threads"] for one in told["measured"]}), 1)
    _, told = scaled("spin", "2", "60", options=("--runs", "1"))
    check(not any("as it sees cores" in one for one in told["warnings"]), told["warnings"])


@test("spans of the program are phases, with as many threads as were active in them")
def _():
    said, told = scaled("stages", "60", options=("--runs", "1", "--compare", "0", "--cores", "1,2"))
    spans = {one["name"]: one for one in told["spans"]}
    equal({name: one["times"] for name, one in spans.items()}, {"alone": 60, "together": 60})
    # A thread that was joined may still be on its way out of the kernel.
    check(spans["alone"]["active"] < spans["together"]["active"], spans)
    for one in spans.values():
        check(abs(sum(level["wall_ns"] for level in one["parallelism"]) - one["wall_ns"]) < 1000, one)
    check("  alone " in said.stderr, said.stderr)

    def attempt():
        _, told = scaled("stages", "60", options=("--runs", "1", "--compare", "0", "--cores", "1,2"))
        spans = {one["name"]: one for one in told["spans"]}
        check(spans["alone"]["serial_share"] > 0.9, spans["alone"])
        check(spans["together"]["active"] > 1.3, spans["together"])
    in_some_run(attempt)


@test("after a causal profile in the same file, the gain of its first target on other cores is reported")
def _():
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip("one core")
    with folder() as place:
        output = os.path.join(place, "test.lever")
        equal(lever("scale", "-q", "-o", output, "--profile", output, *ONCE[:4], "--", "true").returncode, 2)
        lever("run", "-q", "-o", output, "--granularity", "function", "--progress", "rounds", "--target", "work_alone",
              "--speedups", "0,25", "--", program("threads"), "stages", "1000")

        def attempt():
            said = lever("scale", "-o", output, *ONCE[:4], "--cores", "1,2", "--", program("threads"), "stages", "150")
            equal(said.returncode, 0, said.stderr)
            told = report(output)
            question = told["question"]
            if not question:
                raise Skip("the experiments found no sure effect: the machine is too busy")
            equal(question["target"], "work_alone")
            if told["replay"]["refusal"]:
                raise AssertionError(told["replay"])
            check(question["samples"] > 25, question)
            # A quarter of half the time on two cores, of a third on one.
            check(0.04 < question["simulated"] < 0.2, question)
            if question["refusal"] is None:
                one, two = (answer["program_speedup"] for answer in question["answers"])
                check(one < two, question)
                check("on     1 core:" in said.stderr, said.stderr)
        in_some_run(attempt)


@test("so is that of a set, which is the samples of all members, each with its level")
def _():
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip("one core")

    def attempt():
        with folder() as place:
            output = os.path.join(place, "test.lever")
            lever("run", "-q", "-o", output, "--granularity", "function", "--progress", "rounds", "--target", "work_alone",
                  "--with", "work_together:50%", "--speedups", "0,50", "--", program("threads"), "stages", "1000")
            equal(lever("scale", "-q", "-o", output, *ONCE[:4], "--cores", "1,2", "--", program("threads"), "stages",
                        "150").returncode, 0)
            told = report(output)
            question = told["question"]
            print(f"# {question}, {told['replay']}", flush=True)
            equal(question and question["target"], "work_alone + work_together:50%", "the experiments found no sure effect of the set")
            equal(told["replay"]["refusal"], None)
            # On two cores half of the time is in one member, half in both threads of the other, at half the speedup.
            equal(question["speedup"], 0.25)
            check(0.13 < question["simulated"] < 0.22, question)
    in_some_run(attempt)


@test("predictions are compared with measurements by an earlier session on other cores")
def _():
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip("one core")
    with folder() as place:
        output = os.path.join(place, "test.lever")
        words = ("scale", "-q", "--output", output, *ONCE, "--cores", "1,2", "--on")
        for cores in ("1", "2"):
            equal(lever(*words, cores, "--", program("threads"), "spin", "2", "100").returncode, 0)
        told = report(output)
        equal([(one["cores"], one["earlier"]) for one in told["measured"]], [(1, True), (2, False)])
        check(predicted(told, 1, "formula")["error"] is not None, told["predictions"])
        check("on 1 core paper" in lever("report", output).stdout)


@test("a file on standard input is read by each run, a pipe by one")
def _():
    with folder() as place:
        output, data = os.path.join(place, "x.lever"), os.path.join(place, "data")
        with open(data, "w", encoding="utf-8") as file:
            file.write("abc\n")
        command = f"{LEVER} scale -q -o {output} --runs 2 --compare 0 --no-replay -- cat"
        equal(run("sh", "-c", f"{command} <{data}").stdout, "abc\nabc\n")
        said = run("sh", "-c", f"cat {data} | {command}")
        equal(said.stdout, "abc\n")


@test("the program's exit code and signal are said; what cannot be executed ends with 127 or 126")
def _():
    with folder() as place:
        output = os.path.join(place, "x.lever")
        said = lever("scale", "-o", output, *ONCE, "--", "sh", "-c", "exit 5")
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


@test("the overhead of counting is measured, over long programs by windows")
def _():
    told = scaled("pong", "400000", options=("--on", "1", "--runs", "1", "--compare", "0"))[1]
    check(0 < told["overhead"]["kernel_share"] < 1, told["overhead"])
    check(0 < told["overhead"]["engine_share"] < 1, told["overhead"])


main()
