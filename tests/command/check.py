# SPDX-License-Identifier: BSD-2-Clause
"""check - a small TAP harness for tests of the program from outside.

    from check import check, lever, main, test

    @test("a sentence that must be true")
    def _():
        result = lever("version")
        check(result.returncode == 0, result.stderr)

    main()   # at the end: runs all, ends with 1 if one failed
"""
import os
import subprocess
import sys
import traceback

LEVER = os.path.abspath(sys.argv[1])
os.environ.setdefault("LEVER_CONFIG", "")  # not those of who runs the tests
_tests = []


class Skip(Exception):
    """raise Skip("why") ends a test as skipped"""


def test(sentence):
    def add(function):
        _tests.append((sentence, function))
        return function
    return add


def lever(*arguments, **options):
    """Runs lever; returns the CompletedProcess with stdout and stderr as text."""
    options.setdefault("timeout", 60)
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([LEVER, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, **options)


def check(condition, explanation=""):
    if not condition:
        raise AssertionError(explanation)


def equal(actual, expected, explanation=""):
    check(actual == expected, f"{actual!r}, expected {expected!r} {explanation}")


def main():
    failed = 0
    for number, (sentence, function) in enumerate(_tests, 1):
        try:
            function()
            print(f"ok {number} - {sentence}", flush=True)
        except Skip as why:
            print(f"ok {number} - {sentence} # SKIP {why}", flush=True)
        except Exception:  # pylint: disable=broad-except
            failed = 1
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
            print(f"{sentence}: {traceback.format_exc()[-4000:]}", file=sys.stderr)  # which meson shows in CI's log
            print(f"not ok {number} - {sentence}", flush=True)
    print(f"1..{len(_tests)}")
    sys.exit(failed)
