#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""diff_profiles - `lever diff` of two profiles and `lever history`, from outside.

Usage: diff_profiles.py PATH-OF-LEVER PATH-OF-RECORDING-WRITER
"""
import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

from check import check, equal, lever, main, test

WRITER = os.path.abspath(sys.argv[2])


def written(folder, *names):
    """Profiles of these recordings, as FOLDER/0.lever, 1.lever ..."""
    paths = []
    for number, name in enumerate(names):
        paths.append(os.path.join(folder, f"{number}.lever"))
        subprocess.run([WRITER, name, paths[-1]], check=True)
    return paths


@test("a profile and itself have no change, in every format")
def _():
    with tempfile.TemporaryDirectory() as folder:
        before, after = written(folder, "pipeline", "pipeline")
        for name in ("text", "json", "csv", "markdown", "html", "github"):
            result = lever("diff", "--format", name, before, after)
            equal((result.returncode, result.stderr), (0, ""), name)
            if name == "json":
                answer = json.loads(result.stdout)
                equal((answer["kind"], answer["verdict"]), ("diff", "cannot tell yet"))
                check(not any(function["changed"] for function in answer["functions"]), answer)
            elif name == "csv":
                rows = list(csv.DictReader(io.StringIO(result.stdout)))
                check(any(row["function"] == "compress_block" for row in rows), rows)
            elif name == "html":
                check(result.stdout.startswith("<!doctype html>") and "<script" not in result.stdout, result.stdout[:80])
            else:
                check("no function became cheaper or dearer" in result.stdout, result.stdout)


@test("two times of a folder of recordings are compared, and a time that is none is told")
def _():
    with tempfile.TemporaryDirectory() as folder:
        for name, time, start_s in (("server", "20231114T221320Z", 1700000000), ("server", "20231114T222320Z", 1700000600)):
            path = os.path.join(folder, time + ".lever")
            subprocess.run([WRITER, name, path], check=True)
            with sqlite3.connect(path) as file:
                file.execute("UPDATE run SET started_s = ?", (start_s,))
            file.close()
        first, second = folder + "@..2023-11-14T22:15Z", folder + "@2023-11-14T22:20Z.."
        result = lever("diff", "--format", "json", first, second)
        equal(result.returncode, 0, result.stderr)
        check(result.stderr.count("1 recording, from") == 2, result.stderr)
        equal(json.loads(result.stdout)["kind"], "samples-diff")
        for wrong in ("@noon..", "@14:00", "@.."):
            refused = lever("diff", folder + wrong, second)
            equal((refused.returncode, refused.stdout), (2, ""), wrong)
            check("time" in refused.stderr, refused.stderr)


@test("--against is BEFORE, and the gate passes what did not change")
def _():
    with tempfile.TemporaryDirectory() as folder:
        before, after = written(folder, "pipeline", "pipeline")
        result = lever("diff", "--against", before, "--fail-if-slower", "10%", after)
        equal(result.returncode, 0, result.stdout + result.stderr)
        unsure = lever("diff", "--against", before, "--fail-if-slower", "0.1%", after)
        equal(unsure.returncode, 3, unsure.stdout)


@test("profiles without a common progress point, or of samples, are one sentence and 2")
def _():
    with tempfile.TemporaryDirectory() as folder:
        pipeline, latency = written(folder, "pipeline", "latency")
        for words, why in (((pipeline, latency), "no common progress point"), (("--progress", "none", pipeline, pipeline), "named none")):
            result = lever("diff", *words)
            equal(result.returncode, 2, result.stdout)
            equal(result.stderr.count("\n"), 1, result.stderr)
            check(why in result.stderr, result.stderr)


@test("two recordings of samples tell what changed, in every format, and fail a gate")
def _():
    with tempfile.TemporaryDirectory() as folder:
        before, after, = written(folder, "server", "server-after")
        for name in ("text", "markdown", "github"):
            result = lever("diff", "--format", name, before, after)
            equal((result.returncode, result.stderr), (0, ""), name)
            check("35 % less" in result.stdout or "35 %25 less" in result.stdout, result.stdout)
        answer = json.loads(lever("diff", "--format", "json", before, after).stdout)
        equal((answer["kind"], answer["unit"]), ("samples-diff", "run"))
        changed = {row["function"]: row["change"] for row in answer["functions"] if row["changed"]}
        check(-0.36 < changed["checksum"] < -0.34, changed)
        rows = list(csv.DictReader(io.StringIO(lever("diff", "--format", "csv", before, after).stdout)))
        check("checksum" in [row["function"] for row in rows if row["changed"] == "true"], rows)
        equal(lever("diff", "--fail-if-slower", "3%", before, after).returncode, 0)
        equal(lever("diff", "--fail-if-slower", "3%", after, before).returncode, 4)


@test("profiles of different programs are one sentence and 2, though their names and progress points are one")
def _():
    for name, table, column in (("pipeline", "target", "function"), ("server", "frame", "function")):
        with tempfile.TemporaryDirectory() as folder:
            before, after = written(folder, name, name)
            with sqlite3.connect(after) as profile:
                profile.execute(f"UPDATE {table} SET {column} = 'other_' || hex(rowid * 7919 + 104729), file = '/other.c', line = 9000 + rowid * 37, content = NULL"
                                f" WHERE {column} IS NOT NULL")
            result = lever("diff", before, after)
            equal((result.returncode, result.stdout), (2, ""), name)
            check("of different programs" in result.stderr and result.stderr.count("\n") == 1, result.stderr)


@test("a recording of samples and a causal profile are one sentence and 2")
def _():
    with tempfile.TemporaryDirectory() as folder:
        before, after = written(folder, "server", "pipeline")
        result = lever("diff", before, after)
        equal((result.returncode, result.stdout), (2, ""))
        check("no common kind" in result.stderr and result.stderr.count("\n") == 1, result.stderr)


@test("history shows each profile of a folder, in text, JSON and as a page")
def _():
    with tempfile.TemporaryDirectory() as folder:
        written(folder, "pipeline", "pipeline", "pipeline")
        text = lever("history", folder)
        equal(text.returncode, 0, text.stderr)
        check(text.stdout.startswith("3 profiles, 0 changes of the rate of block"), text.stdout)
        answer = json.loads(lever("history", "--format", "json", folder).stdout)
        equal([entry["profile"] for entry in answer["profiles"]], ["0", "1", "2"])
        equal(answer["changes"], 0)
        page = lever("history", "--format", "html", folder).stdout
        check("<svg" in page and "<script" not in page, page[:80])


@test("history names the commits of a change's sources, and believes no other text")
def _():
    commits = ("1" * 40, "2" * 40, "<b>\033[1m")
    with tempfile.TemporaryDirectory() as folder:
        for path, commit in zip(written(folder, "pipeline", "pipeline", "pipeline"), commits):
            with sqlite3.connect(path) as profile:
                profile.execute("UPDATE run SET source_commit = ?", (commit,))
        answer = json.loads(lever("history", "--format", "json", folder).stdout)
        equal([entry["commit"] for entry in answer["profiles"]], [*commits[:2], None])
        text = lever("history", folder).stdout
        check("0                     111111111  " in text and "\033" not in text, text)
        page = lever("history", "--format", "html", folder).stdout
        check("222222222" in page and "<b>" not in page, page[-500:])
        before, after = (os.path.join(folder, f"{i}.lever") for i in (0, 1))
        notes = lever("diff", before, after).stdout
        check(f"the commit differs: {commits[0][:12]} before, {commits[1][:12]} after" in notes, notes)


@test("a history leaves out profiles of another program, and takes a progress point of another name")
def _():
    with tempfile.TemporaryDirectory() as folder:
        for path, command in zip(written(folder, "pipeline", "pipeline", "pipeline")[1:], ('["./pack"]', '["./other"]')):
            with sqlite3.connect(path) as profile:
                profile.execute("UPDATE point SET name = 'renamed'")
                profile.execute("UPDATE run SET command = ?", (command,))
        result = lever("history", "--format", "json", folder)
        answer = json.loads(result.stdout)
        equal(([entry["profile"] for entry in answer["profiles"]], answer["left_out"]), (["0", "1"], 1), result.stderr)


@test("CPU time is a point of every program: a history of it holds one program's profiles")
def _():
    with tempfile.TemporaryDirectory() as folder:
        for path, command in zip(written(folder, "pipeline", "pipeline", "pipeline"), ('["./pack"]', '["./pack"]', '["./other"]')):
            with sqlite3.connect(path) as profile:
                profile.execute("UPDATE point SET name = 'sampled:*', kind = 'sampled'")
                profile.execute("UPDATE run SET command = ?", (command,))
        result = lever("history", "--format", "json", folder)
        answer = json.loads(result.stdout)
        equal(([entry["profile"] for entry in answer["profiles"]], answer["left_out"]), (["0", "1"], 1), result.stderr)


@test("history of nothing, or of what is no profile, is one sentence and 2")
def _():
    with tempfile.TemporaryDirectory() as folder:
        for words in ((), (folder,), (os.path.join(folder, "missing.lever"),)):
            result = lever("history", *words)
            equal(result.returncode, 2, words)
            equal(result.stderr.count("\n"), 1, result.stderr)


main()
