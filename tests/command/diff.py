#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""diff - `lever diff` from outside: two commands, exit codes and messages.

Usage: diff.py PATH-OF-LEVER
"""
import csv
import io
import json
import os
import tempfile

from check import check, equal, lever, main, test

SLOW, FAST = ["sleep", "0.02"], ["sleep", "0.01"]


def pair(before, after, *options):
    return lever("diff", "--quiet", *options, "--", *before, "--vs", *after)


@test("a command that takes twice as long is slower for sure")
def _():
    result = pair(FAST, SLOW, "--runs", "40", "--format", "json")
    equal(result.returncode, 0, result.stderr)
    answer = json.loads(result.stdout)
    equal(answer["verdict"], "slower")
    check(1 < answer["low"] <= answer["ratio"] <= answer["high"], result.stdout)
    check(answer["ended_early"] and answer["pairs"] < 40, result.stdout)
    equal(answer["before"]["command"], "sleep 0.01")


@test("the text begins with the verdict and shows both commands")
def _():
    lines = pair(SLOW, FAST, "--runs", "40").stdout.splitlines()
    check(lines[0].startswith("B takes ") and "less time than A" in lines[0], lines)
    check(any(line.startswith("A ") and line.endswith("sleep 0.02") for line in lines), lines)
    check(any(line.startswith("ratio") and "p = " in line and "n = " in line for line in lines), lines)


@test("--fail-if-slower exits with 4, 0 or 3")
def _():
    equal(pair(FAST, SLOW, "--runs", "40", "--fail-if-slower", "3%").returncode, 4)
    equal(pair(SLOW, FAST, "--runs", "40", "--fail-if-slower", "3").returncode, 0)
    unsure = pair(FAST, FAST, "--runs", "3", "--fail-if-slower", "3%")
    equal(unsure.returncode, 3)
    check("the data do not tell" in unsure.stdout, unsure.stdout)


@test("too few runs are no answer")
def _():
    result = pair(["true"], ["true"], "--runs", "4")
    equal(result.returncode, 3)
    check("too few runs" in result.stderr, result.stderr)


@test("every format is what its name says")
def _():
    for name in ("json", "csv", "markdown", "github"):
        result = pair(["true"], FAST, "--runs", "20", "--format", name)
        equal(result.returncode, 0, result.stderr)
        if name == "json":
            equal(json.loads(result.stdout)["kind"], "pairs")
        elif name == "csv":
            rows = list(csv.DictReader(io.StringIO(result.stdout)))
            equal([row["side"] for row in rows], ["A", "B"])
            check(float(rows[1]["low"]) > 1, rows)
        elif name == "markdown":
            check("| B | `sleep 0.01` |" in result.stdout, result.stdout)
        else:
            check(result.stdout.startswith("::warning title=lever diff::B takes "), result.stdout)
            equal(result.stdout.count("\n"), 1)


@test("--pair takes two commands, in a shell where they need one")
def _():
    result = lever("diff", "-q", "--runs", "20", "--format", "json", "--pair", "true", "sleep 0.01; true")
    equal(result.returncode, 0, result.stderr)
    answer = json.loads(result.stdout)
    equal(answer["verdict"], "slower")
    check("sleep 0.01; true" in answer["after"]["command"], answer)


@test("a command that fails is an error, with what it wrote and its exit code")
def _():
    result = lever("diff", "-q", "--runs", "20", "--pair", "true", "echo broken >&2; exit 7")
    equal(result.returncode, 1)
    equal(result.stderr.splitlines()[0], "broken")
    check("command B ended with exit code 7" in result.stderr, result.stderr)
    killed = lever("diff", "-q", "--pair", "kill -9 $$", "true")
    equal(killed.returncode, 1)
    check("command A was ended by signal 9" in killed.stderr, killed.stderr)
    equal(lever("diff", "-q", "-i", "--runs", "12", "--pair", "false", "false").returncode, 0)


@test("a command that cannot be started is 126 or 127")
def _():
    equal(pair(["true"], ["/nonexistent"]).returncode, 127)
    equal(pair(["/etc/passwd"], ["true"]).returncode, 126)


@test("wrong usage is one sentence and 2")
def _():
    for words, why in ((("--", "true"), "no second command"), (("--", "true", "--vs"), "no command after --vs"),
                       (("--", "--vs", "true"), "no command before --vs"), (("--pair", "true"), "--pair needs two commands"),
                       (("--progress", "requests", "--pair", "true", "true"), "cannot be counted in two commands"),
                       (("--progress", "usdt:x", "--pair", "true", "true"), "not of the form"),
                       (("--layouts", "3", "--", "a", "--vs", "b"), "too few"), (("--fail-if-slower", "x"), "not a percentage"),
                       (("--link", "cc", "--", "a", "--vs", "b"), "--link needs --layouts")):
        result = lever("diff", *words)
        equal(result.returncode, 2, words)
        equal(result.stderr.count("\n"), 1, result.stderr)
        check(why in result.stderr, result.stderr)


@test("profiles that cannot be compared are one sentence and 2")
def _():
    with tempfile.TemporaryDirectory() as folder:
        foreign = os.path.join(folder, "text.lever")
        with open(foreign, "w", encoding="ascii") as file:
            file.write("no profile " * 1000)
        for words, why in ((["/nonexistent", foreign], "/nonexistent"), ([foreign, foreign], "profile"), ([foreign], "two are needed"),
                           (["--against", foreign, foreign, foreign], "one is needed"), ([folder, folder], folder)):
            result = lever("diff", *words)
            equal(result.returncode, 2, words)
            equal(result.stderr.count("\n"), 1, result.stderr)
            check(why in result.stderr, result.stderr)


@test("commands see their arguments, no terminal output, and a closed pipe as usual")
def _():
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        result = lever("diff", "-q", "--runs", "2", "--pair", f"printf '%s\n' A x >> {log}", f"yes | head -1; printf '%s\n' B >> {log}",
                       timeout=20)
        equal(result.stdout.count("\ny\n"), 0)
        with open(log, encoding="ascii") as file:
            words = file.read().split()
    equal(sorted(words), ["A"] * 3 + ["B"] * 3 + ["x"] * 3)


@test("--layouts gives each layout another size of the environment")
def _():
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        command = f"env | wc -c >> {log}"
        result = lever("diff", "-q", "--runs", "16", "--layouts", "8", "--all-runs", "--pair", command, command)
        equal(result.returncode, 0, result.stderr)
        with open(log, encoding="ascii") as file:
            sizes = [int(word) for word in file.read().split()]
    equal(len(sizes), 34)
    check(len(set(sizes)) >= 10, sizes)


main()
