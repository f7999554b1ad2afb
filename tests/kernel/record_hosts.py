#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""record_hosts - `lever record --hosts` on two hosts (namespaces.py): samples by host, and of a host that is lost."""
import glob
import os
import shutil
import signal
import subprocess
import time

from kernel import LEVER, check, equal, folder, lever, main, program, report, run, test
from namespaces import ADDRESSES, NAMES, inside, two_hosts


def words_of(output, seconds, *works):
    """The client's host does the first, the server's the second, both the third."""
    return inside(0, LEVER, "record", "--output", output, "--hosts", f"{NAMES[1]}={ADDRESSES[1]}", "--launch", "ip netns exec %h", "--",
                  program("hosts"), ADDRESSES[1], "7913", str(seconds), *map(str, works))


def work_of(told):
    """CPU time of each of the program's functions, in s."""
    names = ("prepare", "serve", "shared")
    return {name: sum(one["weight_ns"] for one in told["entries"] if one["function"] == name and one["class"] == "cpu") / 1e9 for name in names}


@test("the samples of all hosts are in one profile, by host")
def _():
    with two_hosts(), folder() as place:
        output = os.path.join(place, "hosts.lever")
        said = run(*words_of(output, 4, 3200, 12800, 1600))
        equal(said.returncode, 0, said.stderr)
        told, work = report(output), work_of(report(output))
        print(f"# {work} {told['hosts']}", flush=True)
        check(3 < work["serve"] / work["prepare"] < 5, str(work))
        check(0.8 < work["shared"] / work["prepare"] < 1.25, str(work))
        equal(told["hosts"][0]["name"], NAMES[1])
        busy = [one["busy_cores"] for one in told["hosts"]]
        check(0.6 < busy[0] < 1 and 0.15 < busy[1] < 0.5, str(busy))
        text = lever("report", output, "--by", "host").stdout
        check(NAMES[1] in text and "more than the mean" in text, text)
        equal(told["warnings"], [])


@test("of a host whose agent is killed, what was recorded until then is kept, and it is told")
def _():
    with two_hosts(), folder() as place:
        output = os.path.join(place, "hosts.lever")
        folders = set(glob.glob("/tmp/lever-agent-*"))
        recording = subprocess.Popen(words_of(output, 7, 3200, 12800, 0), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(5)
        agent, = [int(pid) for pid in run("pgrep", "-P", str(recording.pid), "-f", "lever agent").stdout.split()]
        theirs = [int(pid) for pid in run("pgrep", "-P", str(agent)).stdout.split()]
        os.kill(agent, signal.SIGKILL)
        equal(len(theirs), 1)
        stderr = recording.communicate(timeout=60)[1]
        equal(recording.returncode, 0, stderr)
        told, work = report(output), work_of(report(output))
        print(f"# {work} {told['warnings']}", flush=True)
        check(work["serve"] > 0.5, str(work))
        equal(len([one for one in told["warnings"] if f"host {NAMES[1]}: lost" in one]), 1, str(told["warnings"]))
        end = time.monotonic() + 10
        while os.path.exists(f"/proc/{theirs[0]}") and time.monotonic() < end:
            time.sleep(0.1)
        check(not os.path.exists(f"/proc/{theirs[0]}"), "lever still runs on the lost host")
        for left in set(glob.glob("/tmp/lever-agent-*")) - folders:
            shutil.rmtree(left)


@test("a host that cannot be reached ends the recording with a sentence")
def _():
    with two_hosts(), folder() as place:
        said = run(*inside(0, LEVER, "record", "--output", f"{place}/x.lever", "--hosts", f"x={ADDRESSES[1]}", "--launch", "false", "--", "true"))
        equal(said.returncode, 2, said.stderr)
        check("agent on host x ended at the start" in said.stderr, said.stderr)


main()
