#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""trace_hosts - `lever trace --hosts` on hosts that share one clock (namespaces.py), so the truth of all offsets is 0."""
import csv
import io
import json
import os

from kernel import LEVER, check, equal, folder, lever, main, program, report, run, test
from namespaces import ADDRESSES, NAMES, inside, several_hosts, two_hosts

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
        check(1.5 < busy[NAMES[1]] / min(busy.values()) < 2.5, str(busy))
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
