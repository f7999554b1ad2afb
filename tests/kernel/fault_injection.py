# SPDX-License-Identifier: BSD-2-Clause
"""fault_injection - ends or hinders a working lever, and tells what is left. For faults.py and bench/faults.py."""
import collections
import contextlib
import glob
import mmap
import os
import random
import signal
import struct
import subprocess
import time

import engine_probe

SLOTS, SLOT_NS = 4096, 10_000_000
# After an engine has gone: BPF programs go with it, the runtime engine's library waits for its heartbeat.
LONGEST_PAUSE_S = {"run -e runtime": 0.75}
LONGEST_PAUSE_OTHER_S = 0.1
VERBS = {
    "run": ["run", "-e", "kernel", "--speedups", "0,100"],
    "run --pid": ["run", "-e", "kernel", "--speedups", "0,100"],
    "run -e runtime": ["run", "-e", "runtime", "--speedups", "0,100"],
    "record": ["record"],
    "trace": ["trace"],
    "scale": ["scale", "--runs", "1"],
}
READABLE = (0, 1, 3)  # 1: there is nothing in it, as the sentence says

WINDOW_S = 0.25  # in which pauses are looked for

# lost: the share of that window in which the program neither ran nor waited for a core; None if this process was held up, too
Outcome = collections.namedtuple("Outcome", "was_working code programs processes files lost report")


def statuses():
    """Name, parent and number of every process."""
    for path in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:
            text = file.read()
            name, rest = text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2:].split()
            yield name, int(rest[1]), int(path.split("/")[2])


def own_processes(engine):
    """Of the engine's children, those that are parts of lever: also the program until its exec."""
    return {pid for name, parent, pid in statuses() if parent == engine and name.startswith("lever")}


def files():
    """What lever could leave: pins, shared memory, temporary files. Folders of tests are not lever's."""
    patterns = ("/sys/fs/bpf/*", "/dev/shm/*lever*", "/tmp/lever*", "/run/lever*")
    return {path for pattern in patterns for path in glob.glob(pattern) if not path.startswith("/tmp/lever-test-")}


def lost_share(path, begin, end):
    """The share of the time in which the program `gaps` did not run, between two times of CLOCK_MONOTONIC."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as slots:
        numbers = range(int(begin * 1e9) // SLOT_NS, int(end * 1e9) // SLOT_NS)
        lost = sum(struct.unpack_from("Q", slots, 8 * (number % SLOTS))[0] for number in numbers)
    return lost / (SLOT_NS * len(numbers))


def clock_reader(gaps):
    """The schedstat of the thread of `gaps` that reads the clock; None when it has ended."""
    for name, _, pid in list(statuses()):
        with contextlib.suppress(OSError):
            if name == "gaps" and os.readlink(f"/proc/{pid}/exe") == gaps:
                for path in glob.glob(f"/proc/{pid}/task/*/schedstat"):
                    if path.split("/")[4] != str(pid):
                        return path
    return None


def at_slot(path):
    """At the begin of a slot: the time, and the ns for which the thread has waited for a core until then."""
    time.sleep((SLOT_NS - time.monotonic_ns() % SLOT_NS) / 1e9)
    with open(path, encoding="ascii") as file:
        return time.monotonic(), int(file.read().split()[1])


def lost_share_now(path, reader):
    """The share of the coming window that the program loses to pauses; other programs' use of the cores is none."""
    if not reader:
        return 0
    with contextlib.suppress(OSError):
        (begin, before), _ = at_slot(reader), time.sleep(WINDOW_S)
        end, after = at_slot(reader)
        if end - begin < 1.2 * WINDOW_S:
            return max(lost_share(path, begin, end) - (after - before) / 1e9 / (end - begin), 0)
    return None


@contextlib.contextmanager
def working(lever, verb, place, gaps, options=(), before=()):
    """A lever that profiles `gaps`; gives the Popen, the file of lost time and the profile's path. `before`: words that exec it."""
    lost, output = os.path.join(place, "lost"), os.path.join(place, "profile.lever")
    work = [gaps, lost, "6"]
    beside = None
    words = [*before, lever, *VERBS[verb], *options, "-q", "--fresh", "-o", output]
    if verb.endswith("--pid"):
        beside = subprocess.Popen(work, stdin=subprocess.DEVNULL)  # pylint: disable=consider-using-with
        words += ["--pid", str(beside.pid)]
    else:
        words += ["--", *work]
    engine = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,  # pylint: disable=consider-using-with
                              stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        yield engine, lost, output
    finally:
        for process in [engine, beside]:
            if process:
                process.kill()
                process.wait()
        for name, _, pid in list(statuses()):
            if name == "gaps":
                with contextlib.suppress(OSError):
                    if os.readlink(f"/proc/{pid}/exe") == gaps:
                        os.kill(pid, signal.SIGKILL)


def still_there(pids, patience=2):
    """Those that are parts of lever after this time; one that has become the program is not."""
    end = time.monotonic() + patience
    while True:
        left = {pid for name, _, pid in statuses() if pid in pids and name.startswith("lever")}
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.01)


def kill_once(lever, verb, place, gaps, end_it=subprocess.Popen.kill, before=()):
    """Kills a lever at a random moment; what it leaves."""
    there = files()
    with working(lever, verb, place, gaps, before=before) as (engine, lost, output):
        end, programs, parts = time.monotonic() + random.uniform(0.02, 2), set(), set()
        while time.monotonic() < end and engine.poll() is None:
            programs |= engine_probe.programs_of(engine.pid)
            parts |= own_processes(engine.pid)
            time.sleep(0.01)
        has_begun = os.path.exists(lost) and os.path.getsize(lost) > 0
        was_working = (bool(programs) or "runtime" in verb and has_begun) and engine.poll() is None
        end_it(engine)
        engine.wait()
        last = time.monotonic() + LONGEST_PAUSE_S.get(verb, LONGEST_PAUSE_OTHER_S)
        reader = clock_reader(gaps) if has_begun else None
        time.sleep(max(last - time.monotonic(), 0))
        share = lost_share_now(lost, reader)
        left = engine_probe.still_loaded(programs, 5)
        processes = still_there(parts)
        code = subprocess.run([lever, "report", output], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              check=False).returncode if os.path.exists(output) else 0
    return Outcome(was_working, engine.returncode, left, processes, files() - there, share, code)


def fail_from(lever, library, verb, place, what):
    """A lever whose writes or allocations fail from some number on; how it ended, how many there were, and the report's code.

    `what`: variables of the preloaded library (programs/failing.c).
    """
    count, output = os.path.join(place, "count"), os.path.join(place, "failed.lever")
    environment = {**os.environ, "LD_PRELOAD": library, "FAILING_COUNT": count, **what}
    with contextlib.suppress(FileNotFoundError):
        os.remove(count)
    said = subprocess.run([lever, *verb, "-q", "--fresh", "-o", output, "--", "sh", "-c",
                           "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=environment, timeout=60)
    made = [0, 0]
    if os.path.exists(count):
        with open(count, encoding="utf-8") as file:
            made = [int(word) for word in file.read().split()]
    code = subprocess.run([lever, "report", output], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          check=False).returncode if os.path.exists(output) else 0
    return said, made, code
