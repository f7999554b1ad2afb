#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""exports_timeline - hostile names of a timeline (tests/golden/recordings_timeline.c) come out as text in every format.

Usage: exports_timeline.py PATH-OF-LEVER PATH-OF-test_recording
"""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kernel"))
from check import Skip, check, equal, main, test  # noqa: E402
from perfetto import Trace  # noqa: E402

FOLDER = tempfile.TemporaryDirectory()
PROFILE = os.path.join(FOLDER.name, "names.lever")
subprocess.run([os.path.abspath(sys.argv[2]), "timeline-names", PROFILE], check=True)

# As the recording has them; what is not UTF-8 becomes one U+FFFD for each byte that cannot be part of a character.
NAMES = ["<script>document.title = 'taken'</script>", "</script><img src=x onerror=\"document.title = 'taken'\">",
         "a\tb\r\nc;d \x1b[31m\x01\x7f", 'comma, "quote"\nnew line', "\ufffd\ufffd\ufffd( not UTF-8 \u202e turned",
         "=1+1|cmd", '\\u0000 \\"', "__proto__", "", "x" * 10000]


def export(form):
    result = subprocess.run([sys.argv[1], "report", PROFILE, "--format", form], capture_output=True)
    equal((result.returncode, result.stderr), (0, b""))
    return result.stdout


def as_text(form):
    return export(form).decode()  # strictly


def same(name, shown):
    """Shown as it is, or with signs in the place of what steers a terminal; a long one may be cut."""
    if len(name) > 1000:
        return name.startswith(shown.rstrip("…").rstrip(".")[:100]) and len(shown) > 90
    return len(name) == len(shown) and all(a == b or b == "\ufffd" or ord(a) < 32 for a, b in zip(name, shown))


def among(shown):
    return all(any(same(name, one) for one in shown) for name in NAMES if name)


@test("JSON has the names of spans and counters")
def _():
    told = json.loads(as_text("json"))
    check(among([span["name"] for span in told["spans"]]), told["spans"])
    check(among([counter["name"] for counter in told["counters"]]))
    equal(told["unmatched_ends"], 0)


@test("Chrome's JSON has names and texts")
def _():
    told = json.loads(as_text("chrome"))["traceEvents"]
    check(among([event["name"] for event in told if event["ph"] == "X"]))
    check(among([event["name"] for event in told if event["ph"] == "C"]))
    check(among([event["args"]["text"] for event in told if "text" in event.get("args", {})]))


@test("Perfetto's file decodes, its texts are UTF-8, and names are whole")
def _():
    path = os.path.join(FOLDER.name, "names.pftrace")
    with open(path, "wb") as file:
        file.write(export("perfetto"))
    read = Trace(path)
    check(among([event[3] for event in read.events if event[1] == 1]))
    check(among([track["name"] for track in read.tracks.values() if track["is_counter"]]))
    check(among([event[4]["text"].decode() for event in read.events if "text" in event[4]]))


@test("Perfetto's own schema knows every field of its file")
def _():
    proto = os.environ.get("PERFETTO_PROTO")
    if not proto or not shutil.which("protoc"):
        raise Skip("needs protoc, and PERFETTO_PROTO with a checkout of Perfetto")
    result = subprocess.run(["protoc", "-I", proto, "--decode=perfetto.protos.Trace", "protos/perfetto/trace/trace.proto"],
                            input=export("perfetto"), capture_output=True, timeout=60)
    equal(result.returncode, 0, result.stderr)
    text = result.stdout.decode()
    for message in ("process_tree {", "track_descriptor {", "track_event {"):
        check(message in text, message)
    equal(re.findall(r"^ *[0-9]+[:{ ].*$", text, re.MULTILINE), [])  # unknown fields have numbers


@test("CSV has a row for each span with any name, and equal numbers of fields")
def _():
    rows = list(csv.reader(io.StringIO(as_text("csv"), newline="")))
    equal({len(row) for row in rows}, {len(rows[0])})
    equal(len(rows), 1 + len(NAMES))
    column = rows[0].index("span")
    formulas = [row[column] for row in rows[1:] if row[column][:1] in "=+-@" and row[column]]
    equal(formulas, [], "a table program would compute this")
    check(among([row[column].removeprefix("'") for row in rows[1:]]))


@test("text has no control characters, and no lines made by names")
def _():
    text = as_text("text")
    check(not re.search("[\x00-\x09\x0b-\x1f\x7f\x80-\x9f\u202a-\u202e]", text), text)
    check("\nnew line" not in text and "\nc;d" not in text, text)
    check(max(map(len, text.splitlines())) < 1000)


if __name__ == "__main__":
    main()
