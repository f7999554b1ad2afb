#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""exports - reports as files for others: CSV read by Python, HTML as far as it needs no browser.

Usage: exports.py PATH-OF-LEVER PATH-OF-test_recording
"""
import csv
import io
import json
import os
import stat
import subprocess
import sys
import tempfile

from check import Skip, check, equal, lever, main, test

RECORDER = os.path.abspath(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory()
NAMES = ("pipeline", "latency", "hostile", "rare", "short", "markup", "wide")


def profile(name):
    path = os.path.join(FOLDER.name, name + ".lever")
    if not os.path.exists(path):
        subprocess.run([RECORDER, name, path], check=True)
    return path


def has_html():
    return "built without the HTML report" not in lever("report", "--format", "html", "-o", "/dev/null", profile("short")).stderr


def need_html():
    if not has_html():
        raise Skip("built without the HTML report")


def rows_of(name):
    result = subprocess.run([sys.argv[1], "report", profile(name), "--format", "csv"], check=True, capture_output=True)
    return list(csv.DictReader(io.StringIO(result.stdout.decode(), newline=""), strict=True))


def as_cell(text):
    """As the sheet shows a name: formulas are kept from being one."""
    text = text or ""
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def rows_expected(name):
    """The rows that the JSON asks for."""
    report = json.loads(lever("report", profile(name), "--format", "json").stdout)
    for target in report["targets"]:
        head = [as_cell(target["name"]), target["kind"], as_cell(target["function"]), as_cell(target["file"]),
                str(target["line"] or ""), as_cell(target["object"]), target["share"]]
        if not target["effects"]:
            yield head + [""] * 11
        for effect in target["effects"]:
            for point in effect["points"]:
                yield head + [as_cell(effect["progress"]), effect["kind"], point["speedup"], point["program_speedup"],
                              point["low"], point["high"], point["experiments"], effect["slope"], effect["slope_low"],
                              effect["slope_high"], str(effect["contention"]).lower()]


@test("CSV has the JSON's numbers of every point, and targets without points")
def _():
    for name in NAMES:
        rows = [list(row.values()) for row in rows_of(name)]
        expected = list(rows_expected(name))
        equal(len(rows), len(expected), name)
        for row, wanted in zip(rows, expected):
            read = [float(cell) if isinstance(want, (int, float)) else cell for cell, want in zip(row, wanted)]
            equal(read, wanted, name)


@test("Microsoft's Sarif.Multitool finds no error in SARIF")
def _():
    tool = os.environ.get("SARIF_MULTITOOL")
    if not tool:
        raise Skip("needs SARIF_MULTITOOL with the program of npm's @microsoft/sarif-multitool-linux")
    for name in NAMES:
        path, log = (os.path.join(FOLDER.name, name + end) for end in (".sarif", ".validated"))
        equal(lever("report", profile(name), "--format", "sarif", "-o", path).returncode in (0, 3), True, name)
        result = subprocess.run([tool, "validate", path, "--output", log], capture_output=True, text=True, timeout=120)
        with open(log, encoding="utf-8-sig") as file:
            found = [one for run in json.load(file)["runs"] for one in run.get("results", [])]
        equal([one for one in found if one.get("level", "warning") == "error"], [], result.stdout)
        check("Analysis completed" in result.stdout, result.stdout)


@test("names that begin like formulas are texts in CSV")
def _():
    names = {row["target"] for row in rows_of("markup")}
    check('\'=1+2,"a"\n@x' in names, names)
    check(not any(name.startswith("=") for name in names), names)


@test("--output writes the page to a file of the user, and opens no browser")
def _():
    need_html()
    path = os.path.join(FOLDER.name, "page.html")
    result = lever("report", profile("pipeline"), "--format", "html", "--output", path)
    equal((result.returncode, result.stdout, result.stderr), (0, "", ""))
    with open(path, encoding="utf-8") as file:
        page = file.read()
    check(page.startswith("<!doctype html>"), page[:100])
    check("default-src 'none'" in page and "@LEVER" not in page, page[:1000])
    check(stat.S_ISREG(os.stat(path).st_mode))


@test("names of the profile are only in the page's packed data")
def _():
    need_html()
    result = lever("report", profile("markup"), "--format", "html")
    check("taken" not in result.stdout and "onerror" not in result.stdout and "a note" not in result.stdout)


@test("--open writes beside the profile, and calls xdg-open")
def _():
    need_html()
    folder = os.path.join(FOLDER.name, "bin")
    told = os.path.join(FOLDER.name, "told")
    os.mkdir(folder)
    opener = os.path.join(folder, "xdg-open")
    os.mkfifo(told)
    with open(opener, "w", encoding="ascii") as file:
        file.write(f'#!/bin/sh\nprintf %s "$1" >{told}\n')
    os.chmod(opener, 0o755)
    environment = {**os.environ, "PATH": folder + ":/bin:/usr/bin"}
    environment.pop("SUDO_UID", None)
    result = lever("report", profile("pipeline"), "--open", env=environment)
    equal(result.returncode, 0, result.stderr)
    page = os.path.realpath(profile("pipeline")) + ".html"
    check(page in result.stderr or profile("pipeline") + ".html" in result.stderr, result.stderr)
    with open(told, encoding="utf-8") as file:  # a pipe: waits until it is told
        equal(file.read(), page)
    check(os.path.exists(page))


@test("a lever that was built without the page refuses HTML, with the remedy")
def _():
    if has_html():
        raise Skip("built with the HTML report")
    result = lever("report", profile("short"), "--format", "html")
    equal((result.returncode, result.stdout), (1, ""))
    check("Node.js" in result.stderr, result.stderr)


@test("--open without xdg-open names the page and the missing package")
def _():
    need_html()
    environment = {**os.environ, "PATH": "/nowhere"}
    environment.pop("SUDO_UID", None)
    result = lever("report", profile("pipeline"), "--open", env=environment)
    equal(result.returncode, 1)
    check("xdg-utils" in result.stderr and "pipeline.lever.html" in result.stderr, result.stderr)


@test("--open starts no browser under sudo")
def _():
    need_html()
    if os.geteuid() != 0:
        raise Skip("not root")
    result = lever("report", profile("pipeline"), "--open", env={**os.environ, "SUDO_UID": "1000", "SUDO_GID": "1000"})
    equal(result.returncode, 1)
    check("without sudo" in result.stderr, result.stderr)


@test("--open with another format is wrong usage")
def _():
    result = lever("report", profile("pipeline"), "--open", "--format", "json")
    equal((result.returncode, result.stdout), (2, ""))
    check("--format json" in result.stderr, result.stderr)


main()
