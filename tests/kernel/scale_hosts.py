#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""scale_hosts - `lever scale --hosts` on hosts that take turns and share the machine's cores (namespaces.py): so a job of which each
host has two threads can really be run on one core of each host, and on two."""
import os
import signal
import subprocess
import time

from kernel import LEVER, Skip, check, equal, folder, lever, main, program, report, run, test
from namespaces import ADDRESSES, NAMES, inside, several_hosts, two_hosts
from some_run import in_some_run

WORKS = (8000, 32000, 2000)  # of each host in a round


def words_of(output, rounds, count, *options):
    others = ",".join(f"{NAMES[i]}={ADDRESSES[i]}" for i in range(1, count))
    ring = [word for i in range(count) for word in (ADDRESSES[i], str(WORKS[i]))]
    return inside(0, LEVER, "scale", "--fresh", "--output", output, "--hosts", others, "--launch", "ip netns exec %h", *options, "--",
                  program("teams"), "7919", str(rounds), *ring)


def on(told, cores):
    return next(one["wall_ns"] for one in told["predictions"] if one["cores"] == cores and one["model"] == "replay")


def alone_on(host, cores):
    return next(one["wall_ns"] for one in host["alone_on"] if one["cores"] == cores)


@test("each host's parallelism is told, the job's time on more cores of each, and which host limits it")
def _():
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip("one core")

    def attempt():
        with two_hosts(), folder() as place:
            output = os.path.join(place, "hosts.lever")
            said = run(*words_of(output, 20, 2, "--on", "1", "--compare", "2", "--cores", "1,2,4"))
            equal(said.returncode, 0, said.stderr)
            told = report(output)
            here, there = told["hosts"]
            print(f"# {told['replay']}, {[(p['cores'], p['wall_ns'], p['error']) for p in told['predictions']]}, {told['measured']}", flush=True)
            print(f"# with more on one only: {here['alone_on']}, {there['alone_on']}", flush=True)
            equal((there["name"], here["cores"], there["cores"], here["runs"], there["runs"]), (NAMES[1], 1, 1, 3, 3))
            check(3 < there["cpu_ns"] / here["cpu_ns"] < 5, told["hosts"])
            check(there["mean_active"] > 2 * here["mean_active"], told["hosts"])
            equal({one["model"] for one in told["predictions"]}, {"replay"})
            equal(told["replay"]["refusal"], None)
            # The truth of two cores on each is a run on them.
            two, = [one for one in told["predictions"] if one["cores"] == 2]
            check(abs(two["error"]) < 0.15, told["predictions"])
            check(on(told, 2) < alone_on(there, 2) < alone_on(here, 2) < on(told, 1), told["hosts"])
            equal([one["exit_status"] for one in (told["program"],)], [0])
            text = lever("report", output).stdout
            check(f"limits       host {NAMES[1]}: with" in text, text)
            rows = lever("report", output, "--format", "csv").stdout
            check(f'host,2,"{NAMES[1]}",' in rows, rows)
    in_some_run(attempt)


@test("a host that does little does not limit, and three hosts are in the order of the list")
def _():
    if len(os.sched_getaffinity(0)) < 2:
        raise Skip("one core")

    def attempt():
        with several_hosts(3), folder() as place:
            output = os.path.join(place, "hosts.lever")
            said = run(*words_of(output, 20, 3, "--on", "1", "--runs", "1", "--cores", "1,2"))
            equal(said.returncode, 0, said.stderr)
            told = report(output)
            equal([one["name"] for one in told["hosts"][1:]], NAMES[1:3])
            equal(told["replay"]["refusal"], None)
            gains = [on(told, 1) - alone_on(one, 2) for one in told["hosts"]]
            print(f"# {gains}", flush=True)
            check(gains[1] > gains[0] > gains[2], gains)
    in_some_run(attempt)


@test("of a host whose agent is killed it is told what is missing, and the next run has it again")
def _():
    with two_hosts(), folder() as place:
        output = os.path.join(place, "hosts.lever")
        job = subprocess.Popen(words_of(output, 100, 2, "--runs", "2", "--compare", "0", "--no-replay"), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(100):
            time.sleep(0.1)
            agents = run("pgrep", "-P", str(job.pid), "-f", "lever agent").stdout.split()
            if agents and run("pgrep", "-P", agents[0]).stdout.strip():
                break
        time.sleep(1)
        os.kill(int(agents[0]), signal.SIGKILL)
        stderr = job.communicate(timeout=100)[1]
        equal(job.returncode, 0, stderr)
        told = report(output)
        check(any(f"host {NAMES[1]}" in one for one in told["warnings"]), told["warnings"])
        equal((told["hosts"][1]["name"], told["hosts"][1]["runs"]), (NAMES[1], 1))
        equal(told["predictions"], [])


@test("options that answer for one host are refused, and a host that cannot be reached is named")
def _():
    for options in (("--profile", "x.lever"), ("--only-recorded", "--no-replay")):
        equal(lever("scale", "--hosts", "a", *options, "--", "true").returncode, 2)
    with folder() as place:
        said = lever("scale", "-o", os.path.join(place, "x.lever"), "--hosts", "nowhere=127.0.0.1", "--launch", "false %h", "--", "true")
        check(said.returncode in (1, 2) and "nowhere" in said.stderr, said.stderr)


main()
