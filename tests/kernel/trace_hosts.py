#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""trace_hosts - `lever trace --hosts` on hosts that share one clock (namespaces.py), so the truth of all offsets is 0."""
import csv
import io
import json
import os
import sys

from kernel import LEVER, check, equal, folder, lever, main, program, report, run, test
from namespaces import ADDRESSES, ADDRESSES_SIX, NAMES, inside, several_hosts, two_hosts

WORKS = (400, 800, 200, 400)  # of each host in a round


def words_of(output, seconds, count, *options):
    others = ",".join(f"{NAMES[i]}={ADDRESSES[i]}" for i in range(1, count))
    ring = [word for i in range(count) for word in (ADDRESSES[i], str(WORKS[i]))]
    return inside(0, LEVER, "trace", "--output", output, "--hosts", others, "--launch", "ip netns exec %h", *options, "--",
                  program("hops"), "7915", str(seconds), *ring)


def check_clocks(told, count):
    """Each is right within what the report says."""
    equal([one["name"] for one in told["hosts"][1:]], NAMES[1:count])
    for one in told["hosts"][1:]:
        print(f"# {one}", flush=True)
        check(abs(one["clock_ahead_ns"]) <= one["clock_uncertainty_ns"], str(one))
    return max(one["clock_uncertainty_ns"] for one in told["hosts"])


def works_of(output):
    """Spans of all hosts by time: (begin, end, host)."""
    rows = csv.DictReader(io.StringIO(lever("report", output, "--format", "csv").stdout))
    found = [(int(row["start_ns"]), int(row["start_ns"]) + int(row["duration_ns"]), row["host"]) for row in rows if row["span"] == "work"]
    return sorted(found)


def check_order(output, count, uncertainty_ns):
    """One host works at a time, and they take turns."""
    works = works_of(output)
    hosts = sorted({host for _, _, host in works})
    equal(len(hosts), count)
    check(len(works) > 100 * count, str(len(works)))
    check(all(after[0] >= before[1] - 2 * uncertainty_ns for before, after in zip(works, works[1:])), "works overlap")
    turns = [hosts.index(host) for _, _, host in works]
    out_of_turn = sum(1 for before, after in zip(turns, turns[1:]) if (before + 1) % count != after)
    check(out_of_turn <= 1, f"{out_of_turn} of {len(turns)}")


@test("threads of two hosts stand on one clock, each with its host, and the busier host is told")
def _():
    with two_hosts(), folder() as place:
        output = os.path.join(place, "hosts.lever")
        said = run(*words_of(output, 3, 2))
        equal(said.returncode, 0, said.stderr)
        told = report(output)
        check_order(output, 2, check_clocks(told, 2))
        equal(told["warnings"], [])
        busy = {one["name"]: one["busy_cores"] for one in told["hosts"]}
        # Twice the work, on cores whose speeds may differ by 1.4.
        check(1.2 < busy[NAMES[1]] / min(busy.values()) < 2.5, str(busy))
        equal({one["host"] for one in told["cores"]}, {one["name"] for one in told["hosts"]})
        text = lever("report", output).stdout
        check("above the mean" in text and f"of {NAMES[1]}" in text, text)
        for form in ("perfetto", "html"):
            made = os.path.join(place, form)
            equal(lever("report", output, "--format", form, "--output", made).returncode, 0)
            with open(made, "rb") as file:
                check(form == "html" or NAMES[1].encode() in file.read(), form)
        events = json.loads(lever("report", output, "--format", "chrome").stdout)["traceEvents"]
        check(any(event["ph"] == "M" and NAMES[1] in str(event["args"]) for event in events), "no name of the host")


@test("the critical path goes from host to host with the messages, each of which arrives")
def _():
    with two_hosts(), folder() as place:
        output = os.path.join(place, "hosts.lever")
        said = run(*words_of(output, 3, 2))
        equal(said.returncode, 0, said.stderr)
        told = report(output)
        path, rounds = told["critical_path"], len(works_of(output)) / 2
        print(f"# {rounds:.0f} rounds; {[(one['host'], one['path_ns'], one['time']) for one in path['threads']]}, messages {path['messages_ns']}")
        check(abs(path["messages"] - 2 * rounds) <= 2 + 0.01 * rounds, f"{path['messages']} messages in {rounds} rounds")
        flow, = [one for one in told["flows"] if one["name"] == "message to another host"]
        check(abs(flow["count"] - path["messages"]) <= 2 + 0.01 * rounds and flow["no_partner"] <= 2, str(flow))
        for one in path["threads"]:  # all work is on the path
            thread, = [other for other in told["threads"] if (other["tid"], other["host"]) == (one["tid"], one["host"])]
            check(one["time"]["running"] > 0.85 * thread["time"]["running"], f"{one}, of {thread['time']}")
        arrows = sum(event["ph"] in "sf" for event in json.loads(lever("report", output, "--format", "chrome").stdout)["traceEvents"])
        equal(arrows, 2 * flow["count"] + flow["no_partner"])


@test("messages over IPv6 are arrows, too, and those over IPv4 by sockets of IPv6")
def _():
    with two_hosts(), folder() as place:
        for address, reached in ((ADDRESSES_SIX[1], ADDRESSES_SIX[1]), (f"::ffff:{ADDRESSES[1]}", ADDRESSES[1])):
            output = os.path.join(place, "hosts.lever")
            said = run(*inside(0, LEVER, "trace", "--output", output, "--hosts", f"{NAMES[1]}={reached}", "--launch", "ip netns exec %h",
                               "--", program("hosts"), address, "7916", "1", "400", "1600", "0"))
            equal(said.returncode, 0, said.stderr)
            flow, = [one for one in report(output)["flows"] if one["name"] == "message to another host"] or [{"count": 0}]
            rate = float(said.stdout.split()[0])
            print(f"# {address}: {flow}, {rate} requests a second")
            check(1.8 * rate < flow["count"] < 2.2 * rate and flow["no_partner"] <= 2, str(flow))


# The first host asks two others and waits for both; what they answer is 8 bytes, or more than a receive takes.
GATHER = """
import os, socket, sys, time
index, port, addresses = int(os.environ["LEVER_HOST_INDEX"]), int(sys.argv[1]), sys.argv[2:]
if index:
    for _ in range(200):
        try:
            link = socket.create_connection((addresses[0], port))
            break
        except OSError:
            time.sleep(0.05)
    answer = bytes(300000 if index == 2 else 8)
    link.sendall(bytes([index]))
    while link.recv(1):
        end = time.thread_time() + (0.008 if index == 2 else 0.001)
        while time.thread_time() < end:
            pass
        link.sendall(answer)
    sys.exit()
listener = socket.create_server((addresses[0], port))
links = {}
while len(links) < 2:
    link, _ = listener.accept()
    links[link.recv(1)[0]] = link
for _ in range(100):
    for link in links.values():
        link.sendall(b"?")
    for which, left in ((1, 8), (2, 300000)):
        while left:
            left -= len(links[which].recv(65536))
"""


@test("the critical path is that of the slower of two hosts, whose answers come in parts")
def _():
    with several_hosts(3), folder() as place:
        output = os.path.join(place, "gather.lever")
        others = ",".join(f"{NAMES[i]}={ADDRESSES[i]}" for i in (1, 2))
        said = run(*inside(0, LEVER, "trace", "--output", output, "--hosts", others, "--launch", "ip netns exec %h", "--", sys.executable, "-c",
                           GATHER, "7917", *ADDRESSES[:3]))
        equal(said.returncode, 0, said.stderr)
        told = report(output)
        path = told["critical_path"]
        running = {one["host"]: one["time"]["running"] / 1e6 for one in path["threads"]}
        print(f"# ms on the path: {running}, of {path['duration_ns'] / 1e6:.0f}")
        # The other one's 100 ms are not, but its start (30 ms) may be.
        check(running[NAMES[2]] > 0.9 * 800 and running.get(NAMES[1], 0) < 0.6 * 100, str(running))
        flow, = [one for one in told["flows"] if one["name"] == "message to another host"]
        check(flow["count"] >= 400 and flow["no_partner"] <= 4, str(flow))


@test("four hosts take their turns on one clock")
def _():
    with several_hosts(4), folder() as place:
        output = os.path.join(place, "hosts.lever")
        said = run(*words_of(output, 3, 4, "--scheduler", "off"))
        equal(said.returncode, 0, said.stderr)
        told = report(output)
        check_order(output, 4, check_clocks(told, 4))
        equal(told["hosts"][1]["busy_cores"], None)


main()
