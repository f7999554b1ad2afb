#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""perf_fallback - `lever record` where BPF is refused: by perf events, as a user without rights."""
import json
import os
import shutil
import subprocess

from kernel import LEVER, Skip, check, equal, folder, lever, main, program, test

NOBODY = 65534


def recorded(*options, words=("sites", "1500"), user=NOBODY):
    """The JSON report of a program that a user without rights recorded."""
    with folder() as place:
        os.chmod(place, 0o777)
        for file in (LEVER, program(words[0])):  # the build may lie where only root can look
            shutil.copy(file, place)
        command = [os.path.join(place, "lever"), "record", "--output", os.path.join(place, "test.lever"), *options, "--", os.path.join(place, words[0]), *words[1:]]
        environment = os.environ | {"LEVER_ASSUME_NO_BPF": "1"} if user is None else os.environ
        said = subprocess.run(command, user=user, group=user, extra_groups=None if user is None else [], cwd=place, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60)
        if "perf_event_open refuses" in said.stderr:
            raise Skip(said.stderr.strip())
        equal(said.returncode, 0, said.stderr)
        told = lever("report", os.path.join(place, "test.lever"), "--format", "json")
        equal(told.returncode, 0, told.stderr)
        return json.loads(told.stdout)


def weight(entries):
    return sum(entry["weight_ns"] for entry in entries)


def functions(entry):
    return [frame["function"] for frame in entry["stack"] if frame["kind"] == "user"]


@test("a user without rights gets a recording that says what it cannot see")
def _():
    told = recorded()
    equal(told["engine"], "perf events")
    check(any("BPF is refused" in warning for warning in told["warnings"]), told["warnings"])


@test("computing is in the function that computes, with its callers, without frame pointers")
def _():
    # Some kernels (6.18) begin a new period with every wake-up, so the time before the first sample is lost: of 1 to
    # 2 ms of work after each wait, 0.3 is recorded at a period of 1 ms, 0.9 at 250 us. The bound allows for this loss.
    user = [entry for entry in recorded("--period", "250us")["entries"] if entry["class"] == "cpu" and not entry["in_kernel"]]
    computing = [entry for entry in user if functions(entry)[:1] == ["compute"]]
    clock = [entry for entry in user if "look_at_clock" in functions(entry)]
    check(clock)  # in the library that the kernel maps
    check(weight(computing) > 0.6 * (weight(user) - weight(clock)), (weight(computing), weight(user)))
    whole = [entry for entry in computing if functions(entry)[1] == "wait_in_all_ways" and "main" in functions(entry)]
    check(weight(whole) >= 0.99 * weight(computing), computing)


@test("time off CPU is known in sum, of children, too")
def _():
    told = recorded(words=("sites", "2000"))
    threads = {}
    for entry in told["entries"]:
        pid, tid = entry["thread"]["pid"], entry["thread"]["tid"]
        threads.setdefault((pid, tid), []).append(entry)
    helper = [entries for (pid, tid), entries in threads.items() if pid != tid]
    equal(len(helper), 1)  # it sleeps for as long as the program runs
    waited = weight(entry for entry in helper[0] if entry["class"] == "B")
    check(1.5e9 < waited < 1.1 * told["program"]["wall_ns"], (waited, told["program"]["wall_ns"]))
    check(len({pid for pid, _ in threads}) > 5, threads.keys())


@test("waits are in their calls, called from the lines that wait")
def _():
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "sites.c"), encoding="utf-8") as file:
        line = next(number for number, text in enumerate(file, 1) if "/* clock_nanosleep */" in text)
    told = recorded(words=("sites", "4000"))
    first = next(entry["thread"]["tid"] for entry in told["entries"] if entry["system_call"] == "wait4")
    waits = [entry for entry in told["entries"] if entry["thread"]["tid"] == first and entry["class"] in "ILB"]
    placed = [entry for entry in waits if entry["system_call"]]
    check(weight(placed) > 0.9 * weight(waits), (weight(placed), weight(waits)))
    check({"clock_nanosleep", "poll", "futex", "read", "wait4"} >= {entry["system_call"] for entry in placed}, placed)
    equal({entry["class"] for entry in placed if entry["system_call"] == "futex"}, {"L"})
    asleep = [entry for entry in placed if entry["system_call"] == "clock_nanosleep"]
    right = [entry for entry in asleep if line in [frame["line"] for frame in entry["stack"] if (frame["file"] or "").endswith("sites.c")]]
    check(asleep and weight(right) >= 0.95 * weight(asleep), (weight(right), weight(asleep)))


@test("a user who may sample the kernel gets its functions on CPU")
def _():
    told = recorded(user=None)
    equal(told["engine"], "perf events")
    kernel = [entry for entry in told["entries"] if entry["in_kernel"]]
    check(any(entry["kernel_function"] for entry in kernel), kernel)


@test("a process that runs already is recorded, of all its threads")
def _():
    with folder() as place, subprocess.Popen([program("sites"), "60000"]) as running:
        try:
            output = os.path.join(place, "test.lever")
            said = lever("record", "--period", "250us", "--output", output, "--pid", str(running.pid), "--seconds", "1.5", env=os.environ | {"LEVER_ASSUME_NO_BPF": "1"})
            equal(said.returncode, 0, said.stderr)
            told = json.loads(lever("report", output, "--format", "json").stdout)
        finally:
            running.kill()
    mine = {entry["thread"]["tid"] for entry in told["entries"] if entry["thread"]["pid"] == running.pid}
    equal(len(mine), 2, mine)
    check(any(functions(entry)[:1] == ["compute"] for entry in told["entries"]))


main()
