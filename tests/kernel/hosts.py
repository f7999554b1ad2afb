#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""hosts - one program on two hosts: network namespaces with a cable of 100 us, each with a core of its own.

Gains are compared with runs in which the work is really less. Faults: a killed agent or coordinator, and a cable that is cut.
"""
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
import typing

from kernel import LEVER, RAN, Skip, check, equal, folder, lever, main, program, report, run, test
import namespaces
from namespaces import ADDRESSES, ADDRESSES_SIX, DEVICES, NAMES, inside, two_hosts

LOST = "lost: it sent nothing"


class Job(typing.NamedTuple):
    """A client of the first host, and the server that it asks; both are `hosts`, or the server is another program."""
    address: str = ADDRESSES[1]
    reached: str = ADDRESSES[1]  # by which lever knows the server's host
    has_far_server: bool = False

    def command(self, host, port, seconds, works):
        if host and self.has_far_server:
            return [program("far_server"), self.address, port, str(works[1])]
        return [program("hosts"), self.address, port, str(seconds), *map(str, works)]

    def script(self, place, *how):
        """The same for all hosts."""
        path = os.path.join(place, "job")
        with open(path, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o755)) as file:
            file.write(f'#!/bin/sh\n[ "$LEVER_HOST_INDEX" = 0 ] || exec {" ".join(self.command(1, *how))}\n'
                       f'exec {" ".join(self.command(0, *how))}\n')
        return path


def bare(job, seconds, works):
    """Requests a second without lever."""
    server = subprocess.Popen(inside(1, *job.command(1, "7911", seconds, works)), env={**os.environ, "LEVER_HOST_INDEX": "1"})
    client = run(*inside(0, *job.command(0, "7911", seconds, works)))
    server.wait(10)
    return float(client.stdout.split()[0])


def words_of(output, *options, address=ADDRESSES[1]):
    return inside(0, LEVER, "run", "--output", output, "--granularity", "function", "--progress", "request",
                  "--hosts", f"{NAMES[1]}={address}", "--launch", "ip netns exec %h", *options)


def gain_at(told, name, speedup):
    """Interval of the gain, from the target's curve."""
    target, = [one for one in told["targets"] if one["name"] == name]
    effect = target["effects"][0]
    found, = [one for one in effect["points"] if abs(one["speedup"] - speedup) < 1e-6]
    return found["program_speedup"], found["low"], found["high"]


def predicted(job, name, works):
    """At 50 and 100 %, with intervals, in points."""
    with folder() as place:
        output = os.path.join(place, "hosts.lever")
        command = [job.script(place, "7912", 8, works)] if job.has_far_server else job.command(0, "7912", 8, works)
        said = run(*words_of(output, "--target", name, "--speedups", "50,100", "--", *command, address=job.reached))
        check(said.returncode in RAN, said.stderr)
        told = report(output)
        check("no message came from another host" not in str(told) + said.stderr, "delays were not carried")
        return [tuple(100 * value for value in gain_at(told, name, speedup)) for speedup in (0.5, 1)]


def truth_of(job, index, works):
    """What half and all of the work at `index` take, by bare runs in turn, of each the least disturbed one."""
    rates = dict.fromkeys((1, 0.5, 0.001), 0)
    for _ in range(3):
        for left in rates:
            less = list(works)
            less[index] *= left
            rates[left] = max(rates[left], bare(job, 0.7, less))
    return [100 * (1 - rates[1] / rate) for rate in list(rates.values())[1:]]


def compare(name, index, *works, job=Job()):
    """The work at `index` is what `name` does."""
    namespaces.compare(name, lambda: truth_of(job, index, works), lambda: predicted(job, name, works), tries=2)


@test("a server's function on another host gains what a client gets from less work there")
def _():
    with two_hosts():
        compare("serve", 1, 400, 1600, 0)


@test("code that only another host runs is a target, if its file is on both")
def _():
    with two_hosts():
        compare("answer", 1, 400, 1600, 0, job=Job(has_far_server=True))


@test("another host's program that the coordinator's host lacks is told")
def _():
    with two_hosts(), folder() as place:
        far, output, script = (os.path.join(place, name) for name in ("far", "hosts.lever", "job"))
        os.mkdir(far)
        with open(script, "w", encoding="ascii", opener=lambda path, flags: os.open(path, flags, 0o755)) as file:
            file.write(f'#!/bin/sh\n[ "$LEVER_HOST_INDEX" = 0 ] && exec {" ".join(Job().command(0, "7913", 3, (400, 400, 0)))}\n'
                       f'exec unshare -m sh -c "mount -t tmpfs far {far} && cp {program("far_server")} {far} && '
                       f'exec {far}/far_server {ADDRESSES[1]} 7913 400"\n')
        said = run(*words_of(output, "--", script))
        check(said.returncode in RAN, said.stderr)
        told = [one for one in report(output)["warnings"] if "another host runs" in one]
        equal(told, [f"another host runs {far}/far_server, and this host has no such file: its code is no target; install the same one here"])


@test("messages over IPv6 carry delays, and those over IPv4 by sockets of IPv6")
def _():
    with two_hosts():
        if run("ip", "-n", NAMES[1], "-6", "address").stdout.find("fd00::") < 0:
            raise Skip("no IPv6")
        compare("serve", 1, 400, 1600, 0, job=Job(ADDRESSES_SIX[1], ADDRESSES_SIX[1]))
        compare("serve", 1, 400, 1600, 0, job=Job(f"::ffff:{ADDRESSES[1]}"))


@test("a function of both hosts gains what it takes on both")
def _():
    with two_hosts():
        compare("shared", 2, 300, 300, 800)


@test("all that the program does on a host gains what a faster host gets")
def _():
    with two_hosts():
        compare(f"process:@{NAMES[1]}", 1, 400, 1600, 0)


@test("processes of a name on one host are a target, and those of other hosts are not")
def _():
    with two_hosts():
        compare("process:hosts@0", 0, 1000, 1000, 0)


# ---- faults ----


def agents(coordinator):
    found = run("pgrep", "-P", str(coordinator), "-f", "lever agent").stdout.split()
    return [int(pid) for pid in found]


def children(pid):
    return [int(one) for one in run("pgrep", "-P", str(pid)).stdout.split()]


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().split()[2] not in "ZX"
    except OSError:
        return False


def wait_for(condition, seconds=40):
    end = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < end, "it took too long")
        time.sleep(0.05)


@contextlib.contextmanager
def running(place, seconds, *words):
    """A run in which the other host pauses as long as this one works: pid, agent and a file with its output."""
    with open(os.path.join(place, "out"), "w+", encoding="utf-8") as out:
        lever_run = subprocess.Popen(
            words_of(os.path.join(place, "hosts.lever"), "--target", "prepare", "--speedups", "100", "--period", "1ms", *words, "--", program("hosts"),
                     "-", "0", str(seconds)), stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT,
            start_new_session=True)
        try:
            wait_for(lambda: agents(lever_run.pid) and " paused " in contents(out.name))
            yield lever_run, agents(lever_run.pid)[0], out.name
        finally:
            if lever_run.poll() is None:
                lever_run.kill()
                lever_run.wait()
            for pid in [int(one) for one in run("pgrep", "-f", program("hosts") + " - 0").stdout.split()]:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)


def contents(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def pauses(path, since=0.0, until=float("inf")):
    """Of the other host's program: us of each 20 ms."""
    found = re.findall(r"^at (\d+) paused (\d+)$", contents(path), re.M)
    return [int(paused) for at, paused in found if since <= float(at) <= until]


def wait_for_pauses(path):
    """Returns then, in ms."""
    wait_for(lambda: sum(1 for one in pauses(path) if one > 1000) > 10)
    return time.monotonic() * 1e3


def end(lever_run, path):
    """Ctrl-C, after what the other hosts have to tell."""
    time.sleep(3)
    os.killpg(lever_run.pid, signal.SIGINT)
    check(lever_run.wait(30) in RAN, contents(path))


def check_lost(place, is_lost=True):
    """Results until then are kept."""
    told = report(os.path.join(place, "hosts.lever"))
    said = [one for one in told["warnings"] if LOST in one]
    equal([NAMES[1] in one for one in said], [True] * is_lost, str(told["warnings"]))
    check(told["progress"][0]["visits"] > 100)


def check_free(path, since):
    """From 150 ms after `since` (100, and a line takes 20 or more) nothing pauses, though much did before."""
    before, after = pauses(path, 0, since), pauses(path, since + 150)
    print(f"# paused for {sum(before) / 1e3:.0f} ms in {len(before)} slots, then for {sum(after) / 1e3:.1f} ms in {len(after)}")
    check(len(after) > 10 and sum(after) / len(after) < 0.1 * sum(before) / len(before), f"paused: {after}, before {before}")


@test("a host to which the program sends nothing pauses as long as the others' work is sped up")
def _():
    with two_hosts(), folder() as place:
        with running(place, 40, "--verbose") as (lever_run, _, out):
            wait_for_pauses(out)
            time.sleep(3)
            end(lever_run, out)
            due = sum(float(ms) for ms in re.findall(r"speedup 100 %: [\d.]+ ms, of it pauses ([\d.]+) ms", contents(out)))
            paid = sum(pauses(out)) / 1e3
    print(f"# paused for {paid:.0f} of {due:.0f} ms")
    check(paid > 0.5 * due, f"{paid} of {due} ms")


@test("a killed agent is told, its host pauses no more, and the run goes on")
def _():
    with two_hosts(), folder() as place:
        with running(place, 40) as (lever_run, agent, out):
            since = wait_for_pauses(out)
            os.kill(agent, signal.SIGKILL)
            end(lever_run, out)
            check_free(out, since)
        check_lost(place)


@test("a program that is killed on another host is told, and the run goes on")
def _():
    with two_hosts(), folder() as place:
        with running(place, 40) as (lever_run, agent, out):
            wait_for_pauses(out)
            theirs, = children(agent)
            os.kill(theirs, signal.SIGKILL)
            end(lever_run, out)
        said = [one for one in report(os.path.join(place, "hosts.lever"))["warnings"] if "its program ended before the run: signal 9" in one]
        equal([NAMES[1] in one for one in said], [True])


@test("a killed coordinator ends its agents and their program")
def _():
    with two_hosts(), folder() as place:
        with running(place, 40) as (lever_run, agent, out):
            theirs = children(agent)
            equal(len(theirs), 1)
            wait_for_pauses(out)
            lever_run.kill()
            lever_run.wait()
            wait_for(lambda: not is_running(agent) and not is_running(theirs[0]), 5)


@test("while a coordinator sends nothing, nothing pauses")
def _():
    with two_hosts(), folder() as place:
        with running(place, 40) as (lever_run, _, out):
            since = wait_for_pauses(out)
            lever_run.send_signal(signal.SIGSTOP)
            time.sleep(1.5)
            check_free(out, since)
            lever_run.send_signal(signal.SIGCONT)
            end(lever_run, out)
        check_lost(place, False)


@test("a cable that is cut ends all pauses, is told, and the run goes on")
def _():
    with two_hosts(), folder() as place:
        with running(place, 40) as (lever_run, agent, out):
            since = wait_for_pauses(out)
            equal(run("ip", "-n", NAMES[0], "link", "set", DEVICES[0], "down").returncode, 0)
            end(lever_run, out)
            check_free(out, since)
            wait_for(lambda: not is_running(agent), 10)
        check_lost(place)


# ---- strangers ----


def listening(host):
    """Local addresses and ports on which something listens."""
    said = run(*inside(host, "cat", "/proc/net/tcp"))
    rows = [row.split() for row in said.stdout.splitlines()[1:]]
    return [(socket.inet_ntoa(bytes.fromhex(row[1][:8])[::-1]), int(row[1][9:], 16)) for row in rows if row[3] == "0A"]


STRANGER = """
import os, random, socket, sys
random.seed(5)
for i in range(60):
    with socket.create_connection((sys.argv[1], int(sys.argv[2]))) as link:
        greeting = b'\\xff' + bytes(8) + b'\\x7f\\x03\\x01' + (b'NULL' if i % 2 else b'CURVE').ljust(20, b'\\0') + bytes(32)
        try:
            link.sendall(greeting if i % 3 else random.randbytes(64))
            link.sendall(random.randbytes(random.randrange(1, 2000)))
        except OSError:
            pass
"""


@test("the coordinator listens on one address, no key is on a command line, and a stranger changes nothing")
def _():
    with two_hosts(), folder() as place:
        with running(place, 5) as (lever_run, agent, out):
            where = listening(0)
            equal([address for address, _ in where], ADDRESSES[:1])
            equal(listening(1), [])
            with open(f"/proc/{agent}/cmdline", encoding="ascii") as file:
                equal(file.read().split("\0")[1:], ["agent", ""])
            with open(f"/proc/{agent}/environ", "rb") as file:
                equal(re.findall(rb"[^\0]*(?:KEY|SECRET)[^\0]*", file.read()), [])
            said = run(*inside(1, sys.executable, "-c", STRANGER, ADDRESSES[0], str(where[0][1])))
            equal(said.returncode, 0, said.stderr)
            check(lever_run.wait(30) in RAN, contents(out))
            check(pauses(out), contents(out))
        check_lost(place, False)


@test("an agent without an invitation, and one of another version, say so")
def _():
    said = lever("agent")
    equal(said.returncode, 1)
    check("no invitation" in said.stderr, said.stderr)
    said = subprocess.run([LEVER, "agent"], input="lever-agent 0.0.1-old 1 x tcp://127.0.0.1:1 a b c 0\n", capture_output=True,
                          text=True, check=False)
    equal(said.returncode, 1)
    check("same version" in said.stderr, said.stderr)


@test("a host that cannot be reached ends the run with a sentence")
def _():
    with two_hosts(), folder() as place:
        for launch, cause in (("false", "exit code 1; without a message of its own"), ("/none", "exit code 127: no such program")):
            said = run(*inside(0, LEVER, "run", "--output", os.path.join(place, "x.lever"), "--hosts", f"x={ADDRESSES[1]}", "--launch",
                               launch, "--", "true"))
            equal(said.returncode, 1, said.stderr)
            check(f"the agent on host x ended at the start, {cause}" in said.stderr, said.stderr)


main()
