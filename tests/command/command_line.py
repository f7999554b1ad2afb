#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""command_line - commands, options and exit codes that need no profile and no rights."""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile

from check import LEVER, Skip, check, equal, lever, main, test

# The header of a program for a machine that nothing emulates.
FOREIGN = struct.pack("<4sBBB9xHHIQQQIHHHHHH", b"\x7fELF", 2, 1, 1, 2, 0x1234, 1, 64, 64, 0, 0, 64, 56, 0, 0, 0, 0)


@test("without a command, the overview goes to stderr and the exit code is 2")
def _():
    result = lever()
    equal(result.returncode, 2)
    equal(result.stdout, "")
    check("Commands:" in result.stderr, result.stderr)


@test("help goes to stdout and lists every command")
def _():
    result = lever("--help")
    equal((result.returncode, result.stderr), (0, ""))
    for command in ("run", "record", "trace", "report", "diff", "history", "check"):
        check(f"\n  {command} " in result.stdout, command)


@test("lever help COMMAND and lever COMMAND --help print the same")
def _():
    for command in ("run", "record", "trace", "report", "check", "help", "version"):
        asked, told = lever("help", command), lever(command, "--help")
        equal((asked.returncode, told.returncode), (0, 0), command)
        equal(asked.stdout, told.stdout)
        check(told.stdout.startswith(f"Usage: lever {command}"), told.stdout)
        check(all(len(line) <= 80 for line in told.stdout.splitlines()), told.stdout)


@test("lever help TOPIC prints the page, a mistyped one names the nearest")
def _():
    page = lever("help", "sets")
    equal((page.returncode, page.stderr), (0, ""))
    check(page.stdout.startswith("SETS OF TARGETS\n"), page.stdout[:80])
    prose = [line for line in page.stdout.splitlines() if not line.startswith("    ")]
    check(all(len(line) <= 80 for line in prose), max(prose, key=len))
    check("](" not in page.stdout and "**" not in page.stdout, "Markdown is left over")
    topics = lever("help").stdout.split("Topics (lever help TOPIC):\n")[1].split("\n\n")[0].split()
    check(len(topics) > 10, topics)
    for topic in topics:
        equal(lever("help", topic).returncode, 0, topic)
    mistyped = lever("help", "servrs")
    equal((mistyped.returncode, mistyped.stdout), (2, ""))
    check("did you mean 'servers'?" in mistyped.stderr, mistyped.stderr)


@test("help takes one command or topic; a process that is not there is told with what lists them")
def _():
    more = lever("help", "run", "record")
    equal((more.returncode, more.stdout, more.stderr), (2, "", "lever: unexpected argument 'record' after 'run'\n"))
    gone = lever("record", "--pid", "4194000")
    equal((gone.returncode, gone.stdout), (2, ""))
    check('there is no process 4194000; "ps -e" lists them' in gone.stderr, gone.stderr)


@test("version, --version and -V print the same")
def _():
    lines = {lever(word).stdout for word in ("version", "--version", "-V")}
    equal(len(lines), 1)
    check(lines.pop().startswith("lever 0."), "")


@test("lever record needs a program, or a choice of running processes")
def _():
    for words, why in (((), "no program to run"), (("--pid", "1", "--", "true"), "exclude each other"),
                       (("--pid", "1", "--system"), "exclude each other"), (("--comm", "x", "--", "true"), "--comm exclude"),
                       (("--no-children", "--", "true"), "needs --pid or --port"), (("--port", "http"), "not a port"), (("--system", "--comm", "x"), "--comm alone"), (("--pid", "x"), "process id"),
                       (("--period", "1us", "--", "true"), "50us"), (("--call-graph", "lbr", "--", "true"), "dwarf, fp or none"),
                       (("--quiet", "--live", "--", "true"), "exclude each other")):
        result = lever("record", *words)
        equal((result.returncode, result.stdout), (2, ""), words)
        check(why in result.stderr, result.stderr)


@test("lever scale says why it takes no running processes")
def _():
    for option in ("--pid", "--port", "--comm", "--cgroup"):
        said = lever("scale", option, "1")
        equal(said.returncode, 2)
        check(f"lever scale has no {option}: it compares whole runs" in said.stderr, said.stderr)


@test("lever scale needs a program, and valid numbers of cores")
def _():
    for words, why in (((), "no program to run"), (("--cores", "1,x", "--", "true"), "number of cores"), (("--cores", "0", "--", "true"), "number of cores"),
                       (("--on", "0", "--", "true"), "needs a core"), (("--on", "9999", "--", "true"), "not 9999"), (("--runs", "0", "true"), "--runs"),
                       (("--quiet", "--verbose", "true"), "exclude each other")):
        result = lever("scale", *words)
        equal((result.returncode, result.stdout), (2, ""), words)
        check(why in result.stderr, result.stderr)
    equal(lever("scale", "--", "/no/such/program").returncode, 127)
    equal(lever("scale", "--", "/etc").returncode, 126)


@test("wrong values of --class, --by and --tree are wrong usage")
def _():
    for words, why in ((("--class", "X"), "cpu, I, L, S or B"), (("--by", "moon"), "function"), (("--tree", "up"), "callers")):
        result = lever("report", *words)
        equal((result.returncode, result.stdout), (2, ""), words)
        check(why in result.stderr, result.stderr)


@test("a mistyped command or option is wrong usage, and the nearest one is named")
def _():
    for words, nearest in ((("reprot",), "'report'"), (("run", "--progess", "x", "true"), "--progress"),
                           (("report", "--fromat", "json"), "--format")):
        result = lever(*words)
        equal((result.returncode, result.stdout), (2, ""))
        check(nearest in result.stderr, result.stderr)


@test("wrong values exit with 2 and one line")
def _():
    for words in (("run", "--speedups", "0,200", "true"), ("run", "--period", "5", "true"),
                  ("run", "--runs", "3", "true"), ("run",), ("report", "a", "b"), ("check", "x"),
                  ("report", "--format", "pdf"), ("run", "--engine", "steam", "true"),
                  ("run", "--roadmap", "4", "true"), ("run", "--roadmap", "2", "--target", "f", "true"), ("run", "--roadmap", "2", "--pid", "1")):
        result = lever(*words)
        equal((result.returncode, result.stdout), (2, ""), words)
        equal(len(result.stderr.splitlines()), 1, words)
        check(result.stderr.startswith("lever: "), result.stderr)


@test("report of a missing file, of no profile or of a folder exits with 1 and one line")
def _():
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "text.lever")
        with open(text, "w", encoding="utf-8") as file:
            file.write("this is not a profile\n" * 100)
        for path in (os.path.join(folder, "missing.lever"), text, folder, "/dev/null"):
            result = lever("report", path)
            equal((result.returncode, result.stdout), (1, ""), path)
            check(path in result.stderr and result.stderr.startswith("lever: "), result.stderr)


@test("check names both engines, and its exit code says whether the kernel engine works")
def _():
    result = lever("check")
    works = "kernel engine:  works here" in result.stdout
    equal(result.returncode, 0 if works else 1)
    check("runtime engine: works here" in result.stdout, result.stdout)
    equal("\nmissing " in "\n" + result.stdout, not works, result.stdout)
    # One of the mapped files is lever itself.
    check(re.search(r"^ok +names +code of [1-9]\d* mapped files ", result.stdout, re.M), result.stdout)


@test("a full disk is a failure")
def _():
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = subprocess.run([LEVER, "help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    equal(result.returncode, 1)
    check("standard output" in result.stderr, result.stderr)


@test("a program that cannot be started exits with 127 or 126, and leaves no profile")
def _():
    if lever("check").returncode:
        raise Skip("the kernel engine does not work here (lever check)")
    with tempfile.TemporaryDirectory() as folder:
        plain, lost, windows, empty, foreign, output = (
            os.path.join(folder, name) for name in ("plain", "lost", "windows", "empty", "foreign", "out.lever"))
        for path, mode, data in ((plain, 0o644, b""), (lost, 0o755, b"#!/no/such/shell\n"), (empty, 0o755, b""),
                                 (windows, 0o755, b"#!/bin/sh\r\ntrue\r\n"), (foreign, 0o755, FOREIGN)):
            with open(path, "wb") as file:
                file.write(data)
            os.chmod(path, mode)
        for program, code, remedy in ((os.path.join(folder, "none"), 127, "; check its path"),
                                      ("no-such-program-anywhere", 127, "in no folder of PATH; install it"),
                                      (plain, 126, "not executable; make it so by chmod +x"),
                                      (folder, 126, "is a folder; give a program in it"),
                                      (lost, 127, "its interpreter /no/such/shell is missing; install it"),
                                      (windows, 127, "its lines end as those of Windows"),
                                      (empty, 126, "it is empty; build or copy it again"),
                                      (foreign, 126, "; build it for this one")):
            # A page of a program that never runs is not announced.
            for words in (["run"], ["record"], ["trace"], ["scale"], ["run", "--serve"]):
                if program == foreign and "--serve" in words:
                    continue  # binfmt_misc may run it: known only when it is tried
                result = lever(*words, "-o", output, "--", program)
                equal((result.returncode, result.stdout, result.stderr.count("\n")), (code, "", 1), result.stderr)
                check(program in result.stderr and remedy in result.stderr, result.stderr)
                check(not os.path.exists(output), program)


@test("a recording that cannot begin leaves a profile as it was")
def _():
    if lever("check").returncode:
        raise Skip("the kernel engine does not work here (lever check)")
    with tempfile.TemporaryDirectory() as folder:
        output, foreign = os.path.join(folder, "out.lever"), os.path.join(folder, "foreign")
        equal(lever("trace", "-q", "-o", output, "--", "true").returncode, 0)
        with open(foreign, "wb") as file:
            file.write(FOREIGN)
        os.chmod(foreign, 0o755)
        before = lever("report", output).stdout
        check(before.startswith("Timeline of"), before)
        for words, code in ((("trace", "--", foreign), 126), (("record", "--", foreign), 126), (("scale", "--", foreign), 126),
                            (("run", "--", foreign), 126), (("record", "--comm", "no-such-name"), 2)):
            equal(lever(words[0], "-o", output, *words[1:]).returncode, code, words)
            equal(lever("report", output).stdout, before, words)


@test("a program in this folder, and a script that names no interpreter, are as in a shell")
def _():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "here-only"), "w", encoding="utf-8") as file:
            file.write("exit $(($1 + ${#0}))\n")
        os.chmod(file.name, 0o755)
        result = lever("scale", "--", "here-only", cwd=folder)
        equal(result.returncode, 127)
        check("did you mean './here-only'?" in result.stderr, result.stderr)
        if lever("check").returncode:
            raise Skip("the kernel engine does not work here (lever check)")
        result = lever("scale", "--", "./here-only", "30", cwd=folder)
        check(f"exit code {30 + len('./here-only')}" in result.stdout + result.stderr, result.stdout + result.stderr)


@test("without rights, run names them and exits with 1")
def _():
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        raise Skip("root, and no setpriv to become somebody else")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "lever")
        shutil.copy(LEVER, program)
        os.chmod(folder, 0o755)
        other = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        words = [program, "run", "--engine", "kernel", "-o", "/tmp/lever-test-no-rights.lever", "--", "true"]
        result = subprocess.run((other if os.geteuid() == 0 else []) + words, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        equal((result.returncode, result.stdout), (1, ""), result.stderr)
        check("root" in result.stderr and "CAP_BPF" in result.stderr, result.stderr)


main()
