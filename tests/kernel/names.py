#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""names - what is sampled gets the right name, with debug information, with less, and with none."""
import os
import re

from kernel import check, equal, main, profile_of, program, shares, test, visits

UNITS = "4000"


@test("lines are named by file and line, with their function, object and build id")
def _():
    _, told = profile_of("--", program("ways"), "plain", UNITS)
    best = told["targets"][0]
    check(re.fullmatch(r"unit\.h:\d+", best["name"]), best)
    equal((best["kind"], best["function"], best["object"]), ("line", "unit", program("ways")))
    check(best["file"].endswith("/programs/unit.h"), best)
    check(re.fullmatch("[0-9a-f]{40}", best["build_id"] or ""), best)


@test("--granularity function names functions")
def _():
    _, told = profile_of("-g", "function", "--", program("ways"), "plain", UNITS)
    check(shares(told).get("unit", 0) > 0.8, shares(told))
    equal({target["kind"] for target in told["targets"]}, {"function"})


@test("without debug information, functions are targets, points and names")
def _():
    for words in (("-g", "function"), ("-g", "function", "-t", "unit", "-p", "unit")):
        _, told = profile_of(*words, "--", program("ways-no-debug"), "plain", UNITS)
        check(shares(told).get("unit", 0) > 0.8, f"{words}: {shares(told)}")
        equal(visits(told, "unit" if "-p" in words else "units"), int(UNITS))


@test("without debug information, lines are replaced by functions")
def _():
    _, told = profile_of("--", program("ways-no-debug"), "plain", UNITS)
    check(shares(told).get("unit", 0) > 0.8, shares(told))


@test("a stripped program's code is named by its file and an offset")
def _():
    _, told = profile_of("--", program("ways-stripped"), "plain", UNITS)
    equal(visits(told, "units"), int(UNITS))
    check(told["targets"], "no target")
    for target in told["targets"]:
        check(re.fullmatch(r"ways-stripped\+0x[0-9a-f]+", target["name"]), target)
    check(sum(shares(told).values()) > 0.5, shares(told))


@test("code made at run time is named by its perf map")
def _():
    _, told = profile_of("--scope", "bin:*", "--progress", "called", "--", program("jit"), "10000")
    equal(visits(told, "called"), 10000)
    check(shares(told).get("made_at_run_time", 0) > 0.5, shares(told))


@test("a library that is loaded later is profiled, and can be the whole scope")
def _():
    _, told = profile_of("--scope", "bin:libplug*", "--", program("loads"), program("libplugin.so"),
                         UNITS)
    equal(visits(told, "units"), int(UNITS))
    equal(set(shares(told, "object")), {program("libplugin.so")})
    check(shares(told, "function").get("unit", 0) > 0.1, shares(told, "function"))


@test("a function that is asked for is found in a library, too, and nothing else is a target")
def _():
    _, told = profile_of("-g", "function", "--scope", "func:unit", "--", program("loads"),
                         program("libplugin.so"), UNITS)
    equal(visits(told, "units"), int(UNITS))
    equal({(target["name"], target["object"]) for target in told["targets"]},
          {("unit", program("libplugin.so"))})


@test("what is excluded is no target, and its time goes to its caller")
def _():
    _, told = profile_of("-g", "function", "--exclude", "func:unit", "--", program("ways"), "plain",
                         UNITS)
    check("unit" not in shares(told), shares(told))
    check(sum(shares(told).values()) > 0.5, shares(told))


main()
