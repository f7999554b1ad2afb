# SPDX-License-Identifier: BSD-2-Clause
"""kernel - functions for the tests of the kernel engine.

    Where the engine does not work, importing this ends the test as skipped. It hands on all of
    tests/command/check.py, too.
"""
import atexit
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(1, os.path.join(os.path.dirname(__file__), "..", "command"))
# pylint: disable=wrong-import-position,unused-import
import check as outside  # noqa: E402
from check import LEVER, Skip, check, equal, lever, test  # noqa: E402,F401

# What tests do on purpose: programs that crash, freezers, file systems, containers, real-time tasks that compute for
# more than 0.95 s in a second (safety.py). The kernel tells only once after its start that an interrupt took long:
# src/wire/delay_budget.h allows one 2 ms, and the hypervisor takes its part. Linux 6.18 warns, once too, if a uprobe of
# any tool is set in a page of an ext4 file that is not cached: install_breakpoint reads it without the inode's locks.
EXPECTED = re.compile(r"segfault at|traps: |potentially unexpected fatal signal|\] Code: |Freezing with imperfect|freezer"
                      r"|EXT4-fs|loop\d+: |overlay|veth|docker|br-|process_api|drop_caches|page_reporting|audit"
                      r"|sched: RT throttling activated|WARNING: .* ext4_check_map_extents_env"
                      r"|hrtimer: interrupt took [0-3]?\d{1,6} ns|memfd_create|Memory cgroup|oom|Out of memory")
PROGRAMS = os.path.abspath(sys.argv[2])
# Answered, or not enough data, which depends on the load of the machine.
RAN = (0, 3)


def skip_all(why):
    print(f"1..0 # SKIP {why}", flush=True)
    sys.exit(0)


if os.geteuid():
    skip_all("the kernel engine is tested as root")
if lever("check").returncode:
    skip_all("the kernel engine does not work here; `lever check` tells why")


def kernel_log():
    return run("dmesg").stdout.splitlines()


def unexpected(lines):
    """Of a warning with its registers and stack, the line that tells where. Tests end programs for want of memory, too."""
    said, is_warning, lacks_memory = [], False, False
    for line in lines:
        is_warning |= "[ cut here ]" in line
        lacks_memory |= "invoked oom-killer" in line
        if not EXPECTED.search(line) and not lacks_memory and (not is_warning or "WARNING: " in line or "BUG" in line):
            said.append(line)
        is_warning &= "[ end trace" not in line
        lacks_memory &= "Killed process" not in line and "oom_reaper" not in line
    return said


def children_of(pid):
    """Its children, each after its own children."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = [int(word) for word in file.read().split()]
    except OSError:
        return []
    return [found for child in children for found in (*children_of(child), child)]


def end_children():
    """What a failed test has left would take a core from all later ones."""
    for signal_number in (signal.SIGINT, signal.SIGKILL):
        for pid in children_of(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal_number)
        time.sleep(0.5 if children_of(os.getpid()) else 0)


def main():
    """The file's tests, and then that of the kernel's log."""
    atexit.register(end_children)
    before = kernel_log()

    @test("the kernel's log has no new line")
    def _():
        now = kernel_log()
        begin = now.index(before[-1]) + 1 if before and before[-1] in now else 0
        equal(unexpected(now[begin:]), [])

    outside.main()


def program(name):
    path = os.path.join(PROGRAMS, name)
    if not os.path.exists(path):
        raise Skip(f"{name} could not be built here")
    return path


@contextlib.contextmanager
def folder():
    """A new folder, as a path."""
    with tempfile.TemporaryDirectory(prefix="lever-test-") as path:
        yield path


def free_port(kind=socket.SOCK_STREAM, after=0):
    """Below the ephemeral ports, as servers' are."""
    for port in range(max(after + 1, 21000 + os.getpid() % 5000), 32000):
        with socket.socket(socket.AF_INET, kind) as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise OSError("no free port")


def connect(address, patience=20):
    """To a server that is about to listen."""
    end = time.monotonic() + patience
    while True:
        client = socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
        try:
            client.connect(address if isinstance(address, str) else ("127.0.0.1", address))
            return client
        except OSError:
            client.close()
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def report(profile):
    """The report as JSON, read."""
    said = lever("report", profile, "--format", "json")
    equal(said.returncode, 0, said.stderr)
    return json.loads(said.stdout)


def profile_of(*words, codes=RAN, **options):
    """Runs lever with a profile of its own; returns the CompletedProcess and the JSON report."""
    with folder() as place:
        output = os.path.join(place, "test.lever")
        said = lever("run", "--output", output, *words, **options)
        check(said.returncode in codes, f"ended with {said.returncode}: {said.stderr}")
        return said, report(output)


def visits(told, name):
    """Visits of the point in the JSON report; None if it is not there."""
    for point in told["progress"]:
        if point["name"] == name:
            return point["visits"]
    return None


def shares(told, field="name"):
    """Share of samples by name (or function, object) of the targets."""
    found = {}
    for target in told["targets"]:
        found[target[field]] = found.get(target[field], 0) + target["share"]
    return found


def run(*words, **options):
    """Runs something else; text, nothing checked."""
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=60, **options)
