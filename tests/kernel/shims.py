#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""shims - `lever trace` on programs that are annotated for others: NVTX, OpenMP, trace_marker, static probes."""
import json
import os
import subprocess
import sys

from kernel import Skip, check, equal, folder, lever, main, program, test


def traced(*command, words=(), form="json", codes=(0,), **options):
    with folder() as place:
        output = os.path.join(place, "test.lever")
        said = lever("trace", "-q", "-o", output, *words, "--", *command, **options)
        check(said.returncode in codes, said.stderr)
        if said.returncode:
            return said.stderr
        said = lever("report", output, "--format", form)
        equal(said.returncode, 0, said.stderr)
    return json.loads(said.stdout)


def by_name(rows):
    return {row["name"]: row for row in rows}


def events_of(chrome, phase):
    return [event for event in chrome["traceEvents"] if event["ph"] == phase and event["pid"] > 0]


@test("a program that uses NVTX's own headers has its ranges, marks, names and domains on the timeline")
def _():
    told = traced(program("nvtx"))
    spans = by_name(told["spans"])
    equal({name: spans[name]["count"] for name in spans},
          {"frame": 10, "naïve café": 10, "codec: decode": 5, "default within": 5})
    check(spans["naïve café"]["total_ns"] >= 10e6)
    equal(spans["frame"]["self_ns"], spans["frame"]["total_ns"] - spans["naïve café"]["total_ns"])
    equal([(flow["name"], flow["count"], flow["no_partner"]) for flow in told["flows"]], [("request", 1, 0)])
    check(told["flows"][0]["p50_ns"] >= 5e6, told["flows"])
    check("finisher" in [thread["name"] for thread in told["threads"]], told["threads"])
    equal((told["unmatched_ends"], told["events"]["lost"]), (0, 0))


@test("NVTX's payloads, and ranges from one thread to another, arrive")
def _():
    chrome = traced(program("nvtx"), form="chrome")
    values = [event["args"]["value"] for event in events_of(chrome, "X") if event["name"] == "codec: decode"]
    equal(values, list(range(5)))
    marks = {event["name"]: event.get("args") for event in events_of(chrome, "i")}
    equal(marks["middle"], None)
    equal(marks["codec: lost packet"]["value"] & 0xffffffff, -3 & 0xffffffff)
    begin, end = events_of(chrome, "s"), events_of(chrome, "f")
    equal((len(begin), len(end), begin[0]["name"], begin[0]["id"]), (1, 1, "request", end[0]["id"]))
    check(begin[0]["tid"] != end[0]["tid"] and end[0]["ts"] - begin[0]["ts"] >= 5000, (begin, end))


@test("NVTX stays off where the user has chosen another tool, or without a trace")
def _():
    variables = dict(os.environ, NVTX_INJECTION64_PATH="")
    told = traced(program("nvtx"), env=variables)
    equal(told["spans"], [])


@test("an OpenMP program has its regions, by line, and how evenly its threads are loaded")
def _():
    told = traced(program("regions"))
    spans = by_name(told["spans"])
    equal({name: spans[name]["count"] for name in spans if name.split()[0] in ("parallel", "loop", "task", "single")},
          {"parallel at regions.c:18": 40, "loop at regions.c:20": 40, "parallel at regions.c:28": 2,
           "single at regions.c:29": 1, "task at regions.c:31": 6, "parallel at regions.c:43": 2})
    equal(spans["wait for critical at regions.c:45"]["count"], 2)
    check("OpenMP worker" in [thread["name"] for thread in told["threads"]], told["threads"])
    equal((told["unmatched_ends"], told["events"]["lost"]), (0, 0))


@test("an OpenMP loop with twice the work in one thread has an imbalance of a third")
def _():
    seen = []
    for _ in range(10):  # where another guest has the core for a while, one thread works longer
        region = by_name(traced(program("regions"))["regions"])["loop at regions.c:20"]
        equal((region["rounds"], region["threads"]), (20, 2))
        seen.append(region["imbalance"])
        if 0.2 < seen[-1] < 0.45:
            return
    raise AssertionError(seen)


@test("names that do not fit beside their figures stand whole above them")
def _():
    with folder() as place:
        output = os.path.join(place, "test.lever")
        equal(lever("trace", "-q", "-o", output, "--", program("regions")).returncode, 0)
        lines = lever("report", output, "--targets", "0").stdout.splitlines()
    for line in (18, 20):
        check(f"  barrier at regions.c:{line}" in lines, lines)


def mount_tracefs():
    """Mounts tracefs in a mount namespace of the test's own where it is not mounted."""
    if os.path.exists("/sys/kernel/tracing/trace_marker") or "LEVER_TEST_MOUNTED" in os.environ:
        return
    os.environ["LEVER_TEST_MOUNTED"] = "1"
    script = 'mount -t tracefs none /sys/kernel/tracing; exec "$@"'
    if subprocess.run(["unshare", "--mount", "true"], capture_output=True, check=False).returncode == 0:
        os.execvp("unshare", ["unshare", "--mount", "sh", "-c", script, "sh", sys.executable, *sys.argv])


def need(path):
    if not os.path.exists(path):
        raise Skip(f"there is no {path}")


def need_probes():
    with open(program("trace_marker"), "rb") as file:
        if b"stapsdt" not in file.read():
            raise Skip("it was built without sys/sdt.h")


@test("what a program writes to trace_marker is on its timeline, beside its probes")
def _():
    need("/sys/kernel/tracing/trace_marker")
    need_probes()
    words = ("--usdt", "lever_test:step_begin,lever_test:step_end", "--usdt", "lever_test:stepped")
    told = traced(program("trace_marker"), words=words)
    spans = by_name(told["spans"])
    equal({name: spans[name]["count"] for name in spans},
          {"draw|all": 10, "inner": 10, "lever_test:step_begin": 10})
    check(spans["draw|all"]["total_ns"] >= spans["inner"]["total_ns"] >=
          spans["lever_test:step_begin"]["total_ns"] >= 20e6, spans)
    equal(by_name(told["counters"])["queue"], {"name": "queue", "count": 10, "min": -9, "mean": -4.5, "max": 0, "last": -9})
    equal((told["unmatched_ends"], told["events"]["lost"]), (0, 0))
    chrome = traced(program("trace_marker"), words=words, form="chrome")
    instants = [event["name"] for event in events_of(chrome, "i")]
    equal(instants, ["lever_test:stepped"] * 10 + ["here", "free text"])
    begin, end = events_of(chrome, "s"), events_of(chrome, "f")
    equal([(event["name"], event["id"]) for event in begin], [(event["name"], event["id"]) for event in end])
    equal([event["name"] for event in begin], ["load"])


@test("--trace-marker off records no writes, and a probe that does not exist is an error")
def _():
    need_probes()
    told = traced(program("trace_marker"), words=("--trace-marker", "off"))
    equal(told["events"]["annotations"], 0)
    said = traced(program("trace_marker"), words=("--usdt", "lever_test:steped"), codes=(1,))
    check("no USDT probe lever_test:steped" in said and "lever_test:stepped" in said, said)
    said = traced(program("trace_marker"), words=("--usdt", "nothing"), codes=(2,))
    check("PROVIDER:NAME" in said, said)


@test("a shell's writes are seen where its script mentions the file, or when they are asked for")
def _():
    need("/sys/kernel/tracing/trace_marker")
    script = "cd /sys/kernel/tracing && echo 'B|1|from a shell' >trace_%s && echo E >trace_%s"
    with folder() as place:
        path = os.path.join(place, "script")
        with open(path, "w", encoding="utf-8") as file:
            file.write(script % ("marker", "marker"))
        for told in (traced("sh", "-c", script % ("marker", "marker")), traced("sh", path),
                     traced("sh", "-c", "name=marker; " + script % ("$name", "$name"), words=("--trace-marker", "on"))):
            equal(by_name(told["spans"])["from a shell"]["count"], 1)


mount_tracefs()
main()
