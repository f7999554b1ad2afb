#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""faults - a lever that is killed, stopped, without memory or disk space leaves nothing behind. LEVER_FAULTS: how often."""
import contextlib
import errno
import os
import random
import signal
import time

import fault_injection
from kernel import LEVER, RAN, Skip, check, equal, folder, main, program, report, run, test

TIMES = int(os.environ.get("LEVER_FAULTS", "2"))
MEMORY = "/sys/fs/cgroup/memory"


def check_end(told, where):
    equal((told.programs, told.processes, told.files), (set(), set(), set()), where)
    check(told.lost is None or told.lost < 0.25, f"{where}: {told.lost} of the time lost after the end")
    check(told.report in fault_injection.READABLE, f"{where}: {told.report}")


for verb_name in fault_injection.VERBS:
    @test(f"lever {verb_name}, killed by -9 at any moment, leaves no pause, BPF program, process or file; its profile is readable")
    def _(verb=verb_name):
        with folder() as place:
            for _ in range(TIMES):
                told = fault_injection.kill_once(LEVER, verb, place, program("gaps"))
                check_end(told, verb)


def lost_while_stopped():
    """The shares of the time that the program lost before the engine was stopped, and while it was."""
    with folder() as place, fault_injection.working(LEVER, "run", place, program("gaps"), ["--target", "unit"]) as (engine, lost, output):
        time.sleep(2)
        engine.send_signal(signal.SIGSTOP)
        begin = time.monotonic() + 0.8
        time.sleep(1.5)
        at_work = fault_injection.lost_share(lost, begin - 2, begin - 0.8)
        share = fault_injection.lost_share(lost, begin, begin + 0.6)
        engine.send_signal(signal.SIGCONT)
        check(engine.wait(60) in RAN, engine.returncode)
        report(output)
    check(at_work > 0.05, f"{at_work} of the time lost before that: there were no pauses")
    return at_work, share


@test("a stopped engine pauses nothing after 0.7 s, and goes on when it is continued")
def _():
    for _ in range(3):  # what else the machine does also takes time from the program
        at_work, share = lost_while_stopped()
        if share < at_work / 4:
            return
    check(False, f"{share} of the time lost while the engine was stopped, {at_work} before")


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


@contextlib.contextmanager
def memory_group(megabytes):
    """A control group with so much memory; its folder. Processes that are left in it are ended."""
    is_v1 = os.path.isdir(MEMORY)
    group = os.path.join(MEMORY if is_v1 else "/sys/fs/cgroup", f"lever-faults-{os.getpid()}")
    try:
        os.mkdir(group)
        write(os.path.join(group, "memory.limit_in_bytes" if is_v1 else "memory.max"), f"{megabytes}M")
    except OSError as error:
        raise Skip(f"no control group for memory: {error}") from error
    try:
        yield group
    finally:
        for _ in range(100):
            with open(os.path.join(group, "cgroup.procs"), encoding="utf-8") as file:
                left = file.read().split()
            for pid in left:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            if not left:
                break
            time.sleep(0.05)
        os.rmdir(group)


# The group's memory is used up by a process that the kernel ends last.
WITHIN = ["sh", "-c", 'echo $$ > "$0/cgroup.procs"; echo 1000 > /proc/self/oom_score_adj; exec "$@"']
HOG = ["sh", "-c", 'echo $$ > "$0/cgroup.procs"; exec python3 -c "x = [bytearray(1 << 20) for _ in range(500)]"']


for oom_verb in ("run", "run --pid", "record", "trace"):
    @test(f"lever {oom_verb}, ended by the kernel for want of memory, leaves nothing behind")
    def _(verb=oom_verb):
        with folder() as place, memory_group(200) as group:
            told = fault_injection.kill_once(LEVER, verb, place, program("gaps"), before=[*WITHIN, group],
                                             end_it=lambda engine: run(*HOG, group))
            check_end(told, verb)
            check(told.code == -signal.SIGKILL or not told.was_working, f"{verb} ended with {told.code}")


@test("a lever that has not enough memory to start leaves nothing behind")
def _():
    before, ended = fault_injection.files(), 0
    for megabytes in (2, 4, 8, 12):
        with folder() as place, memory_group(megabytes) as group:
            said = run(*WITHIN, group, LEVER, "run", "-q", "-o", os.path.join(place, "x.lever"), "--", program("exits"), "plain", "2000")
            check(said.returncode in (*RAN, 1, 137, -9), f"{megabytes} MB: {said.returncode} {said.stderr}")
            ended += said.returncode in (137, -9)
    check(ended, "it never needed so much")
    equal(fault_injection.files() - before, set())


def numbers_to_fail(most, count):
    """Of 1 to `most`: all, or the first one and some others."""
    return range(1, most + 1) if TIMES >= most else sorted({1, *random.sample(range(1, most + 1), min(most, count))})


def fails_in_order(verb, variable, numbers, **more):
    for at in numbers:
        with folder() as place:
            said, _, code = fault_injection.fail_from(LEVER, program("libfailing.so"), verb, place, {variable: str(at), **more})
        where = f"{variable} {at} of {verb}: {said.returncode} {said.stderr}"
        check(said.returncode in (*RAN, 1), where)
        check(said.returncode in RAN or said.stderr.startswith("lever"), where)
        check(code in fault_injection.READABLE, f"{where}; the report ended with {code}")


for verb_words in (["record"], ["run", "--window", "10ms"], ["trace"]):
    @test(f"lever {verb_words[0]} ends in order when the disk is full, read-only or broken from any write on")
    def _(verb=tuple(verb_words)):
        with folder() as place:
            said, (writes, _), _ = fault_injection.fail_from(LEVER, program("libfailing.so"), verb, place, {})
        check(said.returncode in RAN and writes > 5, f"{said.returncode}, {writes} writes, {said.stderr}")
        for error in (errno.ENOSPC, errno.EROFS, errno.EIO):
            fails_in_order(verb, "FAILING_WRITE", numbers_to_fail(writes, 2), FAILING_ERROR=str(error))

    @test(f"lever {verb_words[0]} ends in order when there is no memory from any allocation on")
    def _(verb=tuple(verb_words)):
        with folder() as place:
            said, (_, allocations), _ = fault_injection.fail_from(LEVER, program("libfailing.so"), verb, place, {})
        check(said.returncode in RAN and allocations > 1000, f"{said.returncode}, {allocations} allocations, {said.stderr}")
        fails_in_order(verb, "FAILING_ALLOCATION", numbers_to_fail(allocations, 4))


main()
