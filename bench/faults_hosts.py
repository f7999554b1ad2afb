#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""faults_hosts - kills and partitions of a run over two hosts at random moments, and prints a table of what they left.

    bench/faults_hosts.py [--lever build/lever] [--faults 20] [--seed 1] [--kinds "agent killed,cable cut"]

Two network namespaces with a cable (tests/kernel/namespaces.py); the second host's program pauses as long as the first
one's work is sped up. A fault: the agent or the coordinator is killed by -9 or stopped for 1.5 s, the agent is stopped for good,
the cable is cut for good or for 1.5 s, all TCP connections are reset (ss --kill), the second host's program is killed, the core
of the second host is taken for 1.5 s by a real-time task, or the disk of the profile is full; each from 0 to 4 s after the start.
Then are counted: faults after which the second host paused for more than a twentieth of the time from 150 ms on, as long as nothing
was heard; reports that cannot be read, or lack the results until then; lost hosts, and full disks, that are not told; runs that do
not go on or do not end by Ctrl-C; processes of lever and BPF programs left. Exits 1 if any. Needs root.
"""
import argparse
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
LATEST_S, SILENCE_S = 4, 1.5
KINDS = ("agent killed", "coordinator killed", "agent stopped", "coordinator stopped", "cable cut", "cable cut shortly", "agent hangs",
         "connections reset", "program killed", "host busy", "disk full")
LOSSES = ("agent killed", "cable cut", "agent hangs")  # after which the second host is told as lost
BUSY = "import os, time\nos.sched_setaffinity(0, {1})\nend = time.monotonic() + 1.5\nwhile time.monotonic() < end: pass"
DISK_BYTES = 8 << 20
WRONG = ("paused", "no report", "not told", "no end", "processes", "BPF")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default=os.path.join(HERE, "..", "build", "lever"))
    parser.add_argument("--faults", type=int, default=20, help="of all kinds together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", help="of them, with commas between")
    return parser.parse_args()


OPTIONS = parse()
LEVER = os.path.abspath(OPTIONS.lever)
sys.argv = [sys.argv[0], LEVER, os.path.join(os.path.dirname(LEVER), "tests", "kernel", "programs")]
sys.path.insert(0, os.path.join(HERE, "..", "tests", "kernel"))
# pylint: disable=wrong-import-position
import engine_probe  # noqa: E402
from kernel import program  # noqa: E402
from namespaces import ADDRESSES, DEVICES, NAMES, inside, run, two_hosts  # noqa: E402


def children_of(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]
    return []


def is_running(pid):
    with contextlib.suppress(OSError), open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    return False


def agent_of(pid):
    for child in children_of(pid):
        with contextlib.suppress(OSError), open(f"/proc/{child}/cmdline", encoding="ascii") as file:
            if file.read().split("\0")[1:2] == ["agent"]:
                return child
    return 0


def is_program(pid):
    with contextlib.suppress(OSError):
        return os.path.samefile(f"/proc/{pid}/exe", program("hosts"))
    return False


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def cable(is_up):
    run("ip", "-n", NAMES[0], "link", "set", DEVICES[0], "up" if is_up else "down")


def slots(path):
    """Of the second host: (ms, us paused) for each 20 ms."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return [(int(at), int(paused)) for at, paused in re.findall(r"^at (\d+) paused (\d+)$", file.read(), re.M)]


def inject_shortly(kind, lever, agent):
    """Returns from when to when the second host heard nothing, in s."""
    since = time.monotonic()
    pid = lever.pid if kind == "coordinator stopped" else agent
    cable(False) if kind == "cable cut shortly" else os.kill(pid, signal.SIGSTOP)
    time.sleep(SILENCE_S)
    until = time.monotonic()
    cable(True) if kind == "cable cut shortly" else os.kill(pid, signal.SIGCONT)
    return since, until


def fill(place):
    with contextlib.suppress(OSError), open(os.path.join(place, "disk", "full"), "wb") as file:
        while file.write(bytes(65536)):
            file.flush()


def inject(kind, lever, agent, place):
    """Likewise; never: (now, now)."""
    since = time.monotonic()
    if kind in ("agent stopped", "coordinator stopped", "cable cut shortly"):
        return inject_shortly(kind, lever, agent)
    if kind == "agent killed":
        os.kill(agent, signal.SIGKILL)
    elif kind == "agent hangs":
        os.kill(agent, signal.SIGSTOP)
    elif kind == "coordinator killed":
        lever.kill()
    elif kind == "cable cut":
        cable(False)
    else:
        if kind == "connections reset":
            said = run(*inside(0, "ss", "--kill", "--tcp"))
            assert said.returncode == 0, said.stderr
        elif kind == "program killed":
            for pid in filter(is_program, children_of(agent)):
                os.kill(pid, signal.SIGKILL)
        elif kind == "host busy":
            run("chrt", "--fifo", "50", sys.executable, "-c", BUSY)
        else:
            fill(place)
        return since, since
    return since, since + 60


def report_of(output):
    said = run(LEVER, "report", output, "--format", "json")
    with contextlib.suppress(ValueError):
        return json.loads(said.stdout) if said.returncode in (0, 3) else None
    return None


def fault(kind, moment, place):
    """What is wrong after it, as in WRONG; and whether experiments had begun."""
    output, out = os.path.join(place, "disk", "hosts.lever"), os.path.join(place, "out")
    words = inside(0, LEVER, "run", "--output", output, "--granularity", "function", "--progress", "request", "--target", "prepare", "--speedups", "100",
                   "--period", "1ms", "--hosts", f"{NAMES[1]}={ADDRESSES[1]}", "--launch", "ip netns exec %h", "--", program("hosts"), "-", "0", "40")
    with open(out, "w", encoding="utf-8") as file:
        lever = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, start_new_session=True)
    if not wait_until(lambda: agent_of(lever.pid), 20):
        lever.kill()
        return {"no end"}, False
    agent = agent_of(lever.pid)
    time.sleep(moment)
    children = [pid for one in (lever.pid, agent) for pid in children_of(one)]
    programs_run = [pid for pid in children if is_program(pid)]  # they outlive a lever that is killed by -9
    theirs = [pid for pid in children if pid not in programs_run]
    programs = engine_probe.programs_of(lever.pid) | engine_probe.programs_of(agent)
    had_begun = bool(slots(out))
    since, until = inject(kind, lever, agent, place)
    wrong = set()
    if kind != "coordinator killed":
        time.sleep(3)
        if lever.poll() is not None and had_begun and kind != "disk full":
            wrong.add("no end")  # it has not gone on
        with contextlib.suppress(ProcessLookupError):
            os.killpg(lever.pid, signal.SIGINT)
    if not wait_until(lambda: lever.poll() is not None, 15):
        wrong.add("no end")
        os.killpg(lever.pid, signal.SIGKILL)
    lever.wait()
    with contextlib.suppress(ProcessLookupError):
        if kind == "agent hangs":
            os.kill(agent, signal.SIGCONT)
    if not wait_until(lambda: not any(is_running(pid) for pid in (agent, *theirs)), 40 if kind in ("cable cut", "agent hangs") else 8):
        wrong.add("processes")
    for pid in filter(is_program, programs_run):
        os.kill(pid, signal.SIGKILL)
    silent = [(at, paused) for at, paused in slots(out) if since + 0.15 < at / 1e3 < until]
    if len(silent) > 5 and sum(paused for _, paused in silent) > 0.05 * 20e3 * len(silent):
        wrong.add("paused")
    told = report_of(output)
    if had_begun and (told is None or (moment > 1 and not told["progress"])):
        wrong.add("no report")
    if told and had_begun and kind in LOSSES and not any("lost: it sent nothing" in one for one in told["warnings"]):
        wrong.add("not told")
    with open(out, encoding="utf-8", errors="replace") as file:
        if kind == "disk full" and had_begun and (lever.returncode != 1 or "the disk is full" not in file.read()):
            wrong.add("not told")
    if kind == "program killed" and had_begun and told and not any("its program ended before the run: signal 9" in one for one in told["warnings"]):
        wrong.add("not told")
    if engine_probe.still_loaded(programs):
        wrong.add("BPF")
    cable(True)
    return wrong, had_begun


@contextlib.contextmanager
def small_disk(place):
    disk = os.path.join(place, "disk")
    os.mkdir(disk)
    assert run("mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES}", "lever-disk", disk).returncode == 0
    try:
        yield
    finally:
        run("umount", "--lazy", disk)


def main():
    chance = random.Random(OPTIONS.seed)
    kinds = OPTIONS.kinds.split(",") if OPTIONS.kinds else KINDS
    table = {kind: [0, 0, *[0] * len(WRONG)] for kind in kinds}
    before = len(engine_probe.complaints())
    for number in range(OPTIONS.faults):
        kind, moment = kinds[number % len(kinds)], chance.uniform(0, LATEST_S)
        with two_hosts(), tempfile.TemporaryDirectory() as place, small_disk(place):
            wrong, had_begun = fault(kind, moment, place)
            if wrong:
                with open(os.path.join(place, "out"), encoding="utf-8", errors="replace") as file:
                    print(f"# {kind} after {moment:.2f} s: {wrong}; {file.read()[-600:]}", file=sys.stderr)
        row = table[kind]
        row[0] += 1
        row[1] += had_begun
        for i, name in enumerate(WRONG):
            row[2 + i] += name in wrong
    print(f"{'':20}" + "".join(f"{name:>12}" for name in ("faults", "at work", *WRONG)))
    for kind, row in table.items():
        print(f"{kind:20}" + "".join(f"{value:12}" for value in row))
    complaints = engine_probe.complaints()[before:]
    print(f"complaints of the kernel: {len(complaints)}", *complaints, sep="\n")
    return 1 if complaints or any(sum(row[2:]) for row in table.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
