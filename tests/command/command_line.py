#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""command_line - commands, options and exit codes that need no profile and no rights."""
import os
import shutil
import subprocess
import tempfile

from check import LEVER, Skip, check, equal, lever, main, test


@test("without a command, lever explains itself on stderr and ends with 2")
def _():
    said = lever()
    equal(said.returncode, 2)
    equal(said.stdout, "")
    check("Commands:" in said.stderr, said.stderr)


@test("help goes to stdout and names every command that works, and none that does not")
def _():
    said = lever("--help")
    equal((said.returncode, said.stderr), (0, ""))
    for command in ("run", "record", "trace", "report", "check"):
        check(f"\n  {command} " in said.stdout, command)
    for command in ("diff",):
        check(f"\n  {command} " not in said.stdout, command)


@test("each command has its help, in both ways of asking")
def _():
    for command in ("run", "record", "trace", "report", "check", "help", "version"):
        asked, told = lever("help", command), lever(command, "--help")
        equal((asked.returncode, told.returncode), (0, 0), command)
        equal(asked.stdout, told.stdout)
        check(told.stdout.startswith(f"Usage: lever {command}"), told.stdout)
        check(all(len(line) <= 80 for line in told.stdout.splitlines()), told.stdout)


@test("the version is told in all three ways")
def _():
    lines = {lever(word).stdout for word in ("version", "--version", "-V")}
    equal(len(lines), 1)
    check(lines.pop().startswith("lever 0."), "")


@test("commands of the design that do not exist yet are refused, not pretended")
def _():
    for command in ("diff",):
        said = lever(command, "--", "true")
        equal(said.returncode, 2)
        check("not part of this version" in said.stderr, said.stderr)


@test("lever record wants to know whom to record, and only once")
def _():
    for words, why in (((), "needs a program"), (("--pid", "1", "--", "true"), "exclude each other"),
                       (("--pid", "1", "--system"), "exclude each other"), (("--pid", "x"), "process id"),
                       (("--period", "1us", "--", "true"), "50us"), (("--call-graph", "lbr", "--", "true"), "dwarf, fp or none"),
                       (("--quiet", "--live", "--", "true"), "exclude each other")):
        said = lever("record", *words)
        equal((said.returncode, said.stdout), (2, ""), words)
        check(why in said.stderr, said.stderr)


@test("lever scale wants a program, and numbers of cores that make sense")
def _():
    for words, why in (((), "needs a program"), (("--cores", "1,x", "--", "true"), "number of cores"), (("--cores", "0", "--", "true"), "number of cores"),
                       (("--on", "0", "--", "true"), "needs a core"), (("--on", "9999", "--", "true"), "not 9999"), (("--runs", "0", "true"), "--runs"),
                       (("--quiet", "--verbose", "true"), "exclude each other")):
        said = lever("scale", *words)
        equal((said.returncode, said.stdout), (2, ""), words)
        check(why in said.stderr, said.stderr)
    equal(lever("scale", "--", "/no/such/program").returncode, 127)
    equal(lever("scale", "--", "/etc").returncode, 126)


@test("reports on samples refuse what is for causal profiles, and the other way round")
def _():
    for words, why in ((("--class", "X"), "cpu, I, L, S or B"), (("--by", "moon"), "function"), (("--tree", "up"), "callers")):
        said = lever("report", *words)
        equal((said.returncode, said.stdout), (2, ""), words)
        check(why in said.stderr, said.stderr)


@test("a mistyped command or option is answered with the nearest one, and 2")
def _():
    for words, nearest in ((("reprot",), "'report'"), (("run", "--progess", "x", "true"), "--progress"),
                           (("report", "--fromat", "json"), "--format")):
        said = lever(*words)
        equal((said.returncode, said.stdout), (2, ""))
        check(nearest in said.stderr, said.stderr)


@test("wrong values end with 2 and one sentence")
def _():
    for words in (("run", "--speedups", "0,200", "true"), ("run", "--period", "5", "true"),
                  ("run", "--runs", "3", "true"), ("run",), ("report", "a", "b"), ("check", "x"),
                  ("report", "--format", "pdf"), ("run", "--engine", "steam", "true")):
        said = lever(*words)
        equal((said.returncode, said.stdout), (2, ""), words)
        equal(len(said.stderr.splitlines()), 1, words)
        check(said.stderr.startswith("lever: "), said.stderr)


@test("a profile that is missing, no profile, or a folder ends report with 1 and a sentence")
def _():
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "text.lever")
        with open(text, "w", encoding="utf-8") as file:
            file.write("this is not a profile\n" * 100)
        for path in (os.path.join(folder, "missing.lever"), text, folder, "/dev/null"):
            said = lever("report", path)
            equal((said.returncode, said.stdout), (1, ""), path)
            check(path in said.stderr and said.stderr.startswith("lever: "), said.stderr)


@test("check tells about both engines and ends with 0 or 1 accordingly")
def _():
    said = lever("check")
    works = "kernel engine:  works here" in said.stdout
    equal(said.returncode, 0 if works else 1)
    check("runtime engine: works here" in said.stdout, said.stdout)
    equal("\nmissing " in "\n" + said.stdout, not works, said.stdout)


@test("a full disk is a failure, not a silent loss")
def _():
    with open("/dev/full", "w", encoding="utf-8") as full:
        said = subprocess.run([LEVER, "help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    equal(said.returncode, 1)
    check("standard output" in said.stderr, said.stderr)


@test("a program that cannot be started ends with 127 or 126, and leaves no profile")
def _():
    if lever("check").returncode:
        raise Skip("the kernel engine does not work here (lever check)")
    with tempfile.TemporaryDirectory() as folder:
        plain, output = os.path.join(folder, "plain"), os.path.join(folder, "out.lever")
        with open(plain, "w", encoding="utf-8"):
            pass
        for program, code in ((os.path.join(folder, "none"), 127), ("no-such-program-anywhere", 127),
                              (plain, 126), (folder, 126)):
            said = lever("run", "-o", output, "--", program)
            equal((said.returncode, said.stdout), (code, ""), program)
            check(program in said.stderr, said.stderr)
            check(not os.path.exists(output), program)


@test("without rights, run says what it needs and ends with 1")
def _():
    if os.geteuid() == 0 and not shutil.which("setpriv"):
        raise Skip("root, and no setpriv to become somebody else")
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "lever")
        shutil.copy(LEVER, program)
        os.chmod(folder, 0o755)
        other = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        words = [program, "run", "--engine", "kernel", "-o", "/tmp/lever-test-no-rights.lever", "--", "true"]
        said = subprocess.run((other if os.geteuid() == 0 else []) + words, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        equal((said.returncode, said.stdout), (1, ""), said.stderr)
        check("root" in said.stderr and "CAP_BPF" in said.stderr, said.stderr)


def complete(line):
    """What bash offers after this line."""
    script = lever("help", "--bash-completion").stdout
    words = line.split(" ")
    ask = ("COMP_WORDS=(%s); COMP_CWORD=%d; _lever; printf '%%s\\n' \"${COMPREPLY[@]}\""
           % (" ".join(f"'{word}'" for word in words), len(words) - 1))
    said = subprocess.run(["bash", "-c", script + ask], capture_output=True, text=True, check=True)
    equal(said.stderr, "")
    return said.stdout.split()


@test("bash completes commands, options and their values")
def _():
    equal(complete("lever rep"), ["report"])
    equal(complete("lever run --gran"), ["--granularity"])
    equal(sorted(complete("lever run --granularity ")), ["function", "line", "span", "syscall"])
    equal(complete("lever report --format = js"), ["json"])
    equal(complete("lever report -f co"), ["coz"])
    equal(complete("lever run -q -- ls --gran"), [])


main()
