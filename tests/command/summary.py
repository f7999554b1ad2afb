#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""summary - the last line of CI, from the logs of `meson test` (tools/test_summary).

Usage: summary.py PATH-OF-LEVER SOURCE
"""
import json
import os
import subprocess
import sys
import tempfile

from check import equal, main, test

SUMMARY = os.path.join(os.path.abspath(sys.argv[2]), "tools", "test_summary")
CASES = """<testsuites>
<testsuite name="lever.lever:unit / some/tap" errors="0"><testcase name="1 - holds"/>{died}</testsuite>
<testsuite name="lever" errors="0"><testcase name="lever:style / alone">{alone}</testcase></testsuite>
</testsuites>"""
FAILURE = "<failure/>"


def summarize(tap, alone, died=""):
    """(last line, exit code) for a TAP test and one that is not, with these results in meson's own log"""
    with tempfile.TemporaryDirectory() as build:
        logs = os.path.join(build, "meson-logs")
        os.mkdir(logs)
        with open(os.path.join(logs, "testlog.junit.xml"), "w", encoding="utf-8") as file:
            file.write(CASES.format(died=died, alone="" if alone == "OK" else FAILURE))
        with open(os.path.join(logs, "testlog.json"), "w", encoding="utf-8") as file:
            for name, result in (("lever:unit / some/tap", tap), ("lever:style / alone", alone)):
                file.write(json.dumps({"name": name, "result": result}) + "\n")
        done = subprocess.run([SUMMARY, build], capture_output=True, text=True, check=False)
    return done.stdout.splitlines()[-1], done.returncode


@test("all passed")
def _():
    equal(summarize("OK", "OK"), ("2 passed, 0 failed, 0 skipped", 0))


@test("failures are counted once")
def _():
    case = f'<testcase name="2 - does not hold">{FAILURE}</testcase>'
    equal(summarize("FAIL", "FAIL", case), ("1 passed, 2 failed, 0 skipped", 1))


@test("a TAP test that died after cases that passed has failed")
def _():
    equal(summarize("ERROR", "OK"), ("2 passed, 1 failed, 0 skipped", 1))


main()
