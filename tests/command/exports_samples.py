#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""exports_samples - samples as files for others, each read by the program it is for or by a decoder of its own here.

Usage: exports_samples.py PATH-OF-LEVER PATH-OF-test_recording
"""
import collections
import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import otlp_reader
import pprof_reader
from check import Skip, check, equal, lever, main, test

RECORDER = os.path.abspath(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory()
NAMES = ("server", "names")
FLAMEGRAPHS = ("/usr/share/perl5/Devel/NYTProf/flamegraph.pl", "/usr/bin/flamegraph.pl")
WORDS = {"I": "waiting for I/O", "L": "waiting for a lock", "S": "runnable, waiting for a CPU",
         "B": "waiting for other things"}
STEERS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def profile(name):
    path = os.path.join(FOLDER.name, name + ".lever")
    if not os.path.exists(path):
        subprocess.run([RECORDER, name, path], check=True)
    return path


def export(name, form, *options):
    """The bytes that lever writes."""
    result = subprocess.run([sys.argv[1], "report", profile(name), "--format", form, *options], capture_output=True)
    equal((result.returncode, result.stderr), (0, b""))
    return result.stdout


def as_json(name, *options):
    return json.loads(export(name, "json", *options))


def clean(text):
    return STEERS.sub("\ufffd", text)


def name_of(frame):
    if frame["function"] is not None:
        return clean(frame["function"])
    return clean(frame["object"].rsplit("/", 1)[-1]) if frame["object"] else "?"


def chain_of(entry, wait=False):
    """Names, the innermost first; with what was waited for if that is asked for."""
    chain = [name_of(frame) for frame in entry["stack"]]
    if wait and entry["class"] != "cpu":
        finer = f": {clean(entry['subclass'])}" if entry["subclass"] else ""
        chain.insert(0, f"[{WORDS[entry['class']]}{finer}]")
    return tuple(chain)


def weights(entries, key):
    """key(entry) -> time"""
    sums = collections.Counter()
    for entry in entries:
        sums[key(entry)] += entry["weight_ns"]
    return sums


@test("pprof has every sample with its chain, values and labels, by an independent reader")
def _():
    for name in NAMES:
        report = as_json(name)
        read = pprof_reader.read(export(name, "pprof"))
        equal(read["types"], [("samples", "count"), ("time", "nanoseconds"), ("cpu", "nanoseconds"),
                              ("waiting", "nanoseconds")])
        equal((read["default"], read["period_type"], read["period"]),
              ("time", ("time", "nanoseconds"), report["sampling"]["period_ns"]))
        equal(read["duration_ns"], report["program"]["wall_ns"])
        equal(len(read["samples"]), len(report["entries"]), name)
        for sample, entry in zip(read["samples"], report["entries"]):
            on_cpu = entry["class"] == "cpu"
            equal([line[0] for line in sample["chain"]], list(chain_of(entry)))
            equal([line[1:] for line in sample["chain"]],
                  [(frame["file"] or "", frame["line"] or 0,
                    frame["object"] or ("[kernel]" if frame["kind"] == "kernel" else "[unknown]"))
                   for frame in entry["stack"]])
            equal(sample["values"], [entry["samples"], entry["weight_ns"], entry["weight_ns"] if on_cpu else 0,
                                     0 if on_cpu else entry["weight_ns"]])
            labels = sample["labels"]
            equal((labels["pid"], labels["tid"]), (entry["thread"]["pid"], entry["thread"]["tid"]))
            equal(labels["thread"], clean(entry["thread"]["command"]))
            equal(labels.get("system_call"), entry["system_call"] and clean(entry["system_call"]))
            equal(labels.get("subclass"), entry["subclass"] and clean(entry["subclass"]))
            if not on_cpu:
                equal(labels["class"], WORDS[entry["class"]])


@test("go tool pprof has the JSON's sums")
def _():
    if not shutil.which("go"):
        raise Skip("go is not installed (Debian: apt-get install golang-go)")
    path = os.path.join(FOLDER.name, "server.pb.gz")
    with open(path, "wb") as file:
        file.write(export("server", "pprof"))
    result = subprocess.run(["go", "tool", "pprof", "-top", "-unit=ns", "-nodecount=1000", "-nodefraction=0", path],
                          capture_output=True, text=True, timeout=120,
                          env={**os.environ, "HOME": FOLDER.name, "PPROF_TMPDIR": FOLDER.name})
    equal(result.returncode, 0, result.stderr)
    rows = re.findall(r"^ *(\d+)(?:ns)? +[\d.]+% +[\d.]+% +(\d+)(?:ns)? +[\d.]+% +(.*)$", result.stdout, re.MULTILINE)
    read = {name: (int(flat), int(whole)) for flat, whole, name in rows}
    own, total = collections.Counter(), collections.Counter()
    for entry in as_json("server")["entries"]:
        chain = chain_of(entry)
        own[chain[0] if chain else None] += entry["weight_ns"]
        for function in set(chain):
            total[function] += entry["weight_ns"]
    equal(read, {function: (own[function], total[function]) for function in total}, result.stdout)


@test("flamegraph.pl draws each function of the folded chains in proportion to its time")
def _():
    program = next((path for path in FLAMEGRAPHS if os.path.exists(path)), None)
    if not program:
        raise Skip("flamegraph.pl is not installed (Debian: apt-get install libdevel-nytprof-perl)")
    result = subprocess.run(["perl", program], input=export("server", "folded"), capture_output=True)
    equal(result.returncode, 0, result.stderr)
    titles = re.findall(r"<title>(.*?) \(([\d,]+) samples, ", result.stdout.decode())
    drawn = collections.Counter()
    for function, time in titles:
        drawn[html.unescape(function)] += int(time.replace(",", ""))
    expected = collections.Counter()
    for entry in as_json("server")["entries"]:
        for frame in entry["stack"]:
            mark = "_[k]" if frame["kind"] == "kernel" else ""
            expected[name_of(frame).replace(";", ":") + mark] += (entry["weight_ns"] + 500) // 1000
    equal({function: drawn[function] for function in expected}, dict(expected), result.stdout.decode()[:300])


def speedscope_weights(found, part):
    frames = found["shared"]["frames"]
    equal(len(part["samples"]), len(part["weights"]))
    sums = collections.Counter()
    for stack, weight in zip(part["samples"], part["weights"]):
        sums[tuple(frames[number]["name"] for number in reversed(stack))] += weight
    equal(part["endValue"] - part["startValue"], sum(part["weights"]))
    return sums


@test("speedscope's file has each thread's chains, and those of all threads")
def _():
    for name in NAMES:
        report = as_json(name)
        found = json.loads(export(name, "speedscope"))
        whole, *parts = found["profiles"]
        equal(whole["name"], "all threads")
        equal(speedscope_weights(found, whole), weights(report["entries"], lambda entry: chain_of(entry, True)))
        equal(sum((speedscope_weights(found, part) for part in parts), collections.Counter()),
              speedscope_weights(found, whole))
        for part in parts:
            tid = int(re.search(r"\((\d+)\)$", part["name"]).group(1))
            mine = [entry for entry in report["entries"] if entry["thread"]["tid"] == tid]
            equal(speedscope_weights(found, part), weights(mine, lambda entry: chain_of(entry, True)))
        lines = {(frame["name"], frame.get("file"), frame.get("line")) for frame in found["shared"]["frames"]}
        for entry in report["entries"]:
            for frame in entry["stack"]:
                line = frame["line"] if frame["file"] is not None else None
                check((name_of(frame), frame["file"], line) in lines, frame)


FIREFOX_COLUMNS = {  # of version 48, and which table their numbers are of
    "frameTable": {"address": None, "inlineDepth": None, "category": None, "subcategory": None, "func": "funcTable",
                   "nativeSymbol": "nativeSymbols", "innerWindowID": None, "implementation": None, "line": None,
                   "column": None},
    "funcTable": {"name": "stringArray", "isJS": None, "relevantForJS": None, "resource": "resourceTable",
                  "fileName": "stringArray", "lineNumber": None, "columnNumber": None},
    "resourceTable": {"lib": "libs", "name": "stringArray", "host": "stringArray", "type": None},
    "stackTable": {"frame": "frameTable", "category": None, "subcategory": None, "prefix": "stackTable"},
    "samples": {"stack": "stackTable", "time": None, "weight": None, "threadCPUDelta": None},
    "markers": {"data": None, "name": None, "startTime": None, "endTime": None, "phase": None, "category": None},
    "nativeSymbols": {"libIndex": None, "address": None, "name": None, "functionSize": None},
}


def check_firefox_tables(found, thread):
    """Columns as long as their table says, and no number beyond the table that it points into."""
    sizes = {table: thread[table]["length"] for table in FIREFOX_COLUMNS}
    sizes["stringArray"], sizes["libs"] = len(thread["stringArray"]), len(found["libs"])
    for table, columns in FIREFOX_COLUMNS.items():
        equal(set(thread[table]) - {"length", "weightType"}, set(columns), table)
        for column, other in columns.items():
            values = thread[table][column]
            equal(len(values), sizes[table], f"{table}.{column}")
            none = -1 if (table, column) == ("funcTable", "resource") else None
            if other:
                check(all(value == none or 0 <= value < sizes[other] for value in values), f"{table}.{column}")
    for number, prefix in enumerate(thread["stackTable"]["prefix"]):
        check(prefix is None or prefix < number, "a chain before its caller's")
    categories = len(found["meta"]["categories"])
    for table in ("frameTable", "stackTable"):
        check(all(0 <= value < categories for value in thread[table]["category"]), table)
    check(thread["samples"]["time"] == sorted(thread["samples"]["time"]), "times go back")


def firefox_chain(thread, stack):
    chain = []
    while stack is not None:
        function = thread["frameTable"]["func"][thread["stackTable"]["frame"][stack]]
        chain.append(thread["stringArray"][thread["funcTable"]["name"][function]])
        stack = thread["stackTable"]["prefix"][stack]
    return tuple(chain)


@test("the Firefox Profiler's file is well formed, and has each thread's chains, times and libraries")
def _():
    for name in NAMES:
        report = as_json(name)
        found = json.loads(export(name, "firefox"))
        equal((found["meta"]["preprocessedProfileVersion"], found["meta"]["interval"]),
              (48, report["sampling"]["period_ns"] / 1e6))
        equal(len(found["threads"]), len({entry["thread"]["tid"] for entry in report["entries"]}))
        for thread in found["threads"]:
            check_firefox_tables(found, thread)
            mine = [entry for entry in report["entries"] if entry["thread"]["tid"] == thread["tid"]]
            equal((thread["pid"], thread["name"], thread["isMainThread"]),
                  (str(mine[0]["thread"]["pid"]), mine[0]["thread"]["command"],
                   mine[0]["thread"]["pid"] == mine[0]["thread"]["tid"]))
            read = collections.Counter()
            samples = thread["samples"]
            equal(samples["weightType"], "tracing-ms")
            for stack, weight in zip(samples["stack"], samples["weight"]):
                read[firefox_chain(thread, stack)] += round(weight * 1e6)
            equal(read, weights(mine, lambda entry: chain_of(entry, True)))
            equal(sum(samples["threadCPUDelta"]) * 1000,
                  sum(entry["weight_ns"] for entry in mine if entry["class"] == "cpu"))
        objects = {frame["object"] for entry in report["entries"] for frame in entry["stack"]} - {None}
        equal({library["path"] for library in found["libs"]}, objects)


@test("OpenTelemetry's profiles have every sample with its chain, time and attributes, by an independent reader")
def _():
    for name in NAMES:
        report = as_json(name)
        read = otlp_reader.read(export(name, "otlp"))
        equal((read["scope"], list(read["profiles"])), ("lever", ["cpu", "off_cpu"]))
        check(read["resource"]["process.command_line"], read["resource"])
        equal(len({one["id"] for one in read["profiles"].values()} - {bytes(16)}), 2)
        for kind, found in read["profiles"].items():
            entries = [entry for entry in report["entries"] if (entry["class"] == "cpu") == (kind == "cpu")]
            equal((found["unit"], found["period_type"]), ("nanoseconds", (kind, "nanoseconds")))
            equal((found["duration_ns"], found["period"]),
                  (report["program"]["wall_ns"], report["sampling"]["period_ns"]))
            equal(len(found["samples"]), len(entries))
            for sample, entry in zip(found["samples"], entries):
                equal([line for line, *_ in sample["chain"]], list(chain_of(entry)))
                equal([tuple(line[1:]) for line in sample["chain"]],
                      [(frame["file"] or "", frame["line"] or 0,
                        frame["object"] or ("[kernel]" if frame["kind"] == "kernel" else "")) for frame in entry["stack"]])
                equal(sample["value"], [entry["weight_ns"]])
                attributes = sample["attributes"]
                equal((attributes["process.pid"], attributes["thread.id"], attributes["thread.name"]),
                      (entry["thread"]["pid"], entry["thread"]["tid"], clean(entry["thread"]["command"])))
                equal(attributes.get("lever.system_call"), entry["system_call"] and clean(entry["system_call"]))


@test("OpenTelemetry's own schema knows every field of its profiles")
def _():
    proto = os.environ.get("OTLP_PROTO")
    if not proto or not shutil.which("protoc"):
        raise Skip("needs protoc, and OTLP_PROTO with the folder of opentelemetry-proto")
    for name in NAMES:
        result = subprocess.run(["protoc", "-I", proto, "--decode=opentelemetry.proto.profiles.v1development.ProfilesData",
                                 "opentelemetry/proto/profiles/v1development/profiles.proto"],
                                input=export(name, "otlp"), capture_output=True, timeout=60)
        equal((result.returncode, result.stderr), (0, b""))
        text = result.stdout.decode()
        check("sample_type" in text and "stack_table" in text, text[:500])
        equal(re.findall(r"^ *[0-9]+[:{ ].*$", text, re.MULTILINE), [])  # unknown fields have numbers


def callgrind_sums(name, *options):
    """function -> (time on CPU, time off CPU), as callgrind_annotate prints them"""
    path = os.path.join(FOLDER.name, name + ".callgrind")
    with open(path, "wb") as file:
        file.write(export(name, "callgrind"))
    result = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", "--sort=Cpu:100,Waiting:100", *options, path],
                            capture_output=True, text=True, timeout=60, errors="surrogateescape")
    equal((result.returncode, result.stderr), (0, ""))
    number = r"([\d,]+)(?: *\( *[\d.]+%\))?"
    rows = re.findall(rf"^ *{number} +{number} +(\S.*)$", result.stdout, re.MULTILINE)
    sums = collections.Counter(), collections.Counter()
    for cpu, waiting, function in rows:
        key = re.sub(r"^[^:]*:(.*?)( \[.*\])?$", r"\1", function)
        sums[0][key] += int(cpu.replace(",", ""))
        sums[1][key] += int(waiting.replace(",", ""))
    return {key: (sums[0][key], sums[1][key]) for key in sums[0]}, result.stdout


@test("callgrind_annotate has the JSON's sums, own and with callees")
def _():
    if not shutil.which("callgrind_annotate"):
        raise Skip("callgrind_annotate is not installed (Debian: apt-get install valgrind)")
    own, total = {}, {}
    for entry in as_json("server")["entries"]:
        chain, place = chain_of(entry, True), 0 if entry["class"] == "cpu" else 1
        for table, functions in ((own, chain[:1]), (total, set(chain))):
            for function in functions:
                table.setdefault(function, [0, 0])[place] += entry["weight_ns"]
    for table, options in ((own, []), (total, ["--inclusive=yes"])):
        read, text = callgrind_sums("server", *options)
        whole = read.pop("PROGRAM TOTALS", None) or read.pop(" PROGRAM TOTALS")
        equal(whole, tuple(sum(values) for values in zip(*own.values())), text)
        equal({key: read.get(key) for key in table}, {key: tuple(values) for key, values in table.items()}, text)


@test("exports obey filters")
def _():
    entries = as_json("server", "--class", "L")["entries"]
    equal(len(entries), 1)
    read = pprof_reader.read(export("server", "pprof", "--class", "L"))
    equal([[line[0] for line in sample["chain"]] for sample in read["samples"]], [list(chain_of(entries[0]))])
    found = json.loads(export("server", "speedscope", "--class", "L"))
    equal(len(found["profiles"]), 1)
    equal(len(json.loads(export("server", "firefox", "--class", "L"))["threads"]), 1)


@test("formats of samples refuse a causal profile")
def _():
    for form in ("folded", "pprof", "speedscope", "firefox", "callgrind", "otlp"):
        result = lever("report", profile("pipeline"), "--format", form)
        equal((result.returncode, result.stdout), (2, ""), form)
        check("has no recording of samples" in result.stderr, result.stderr)


main()
