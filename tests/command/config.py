#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""config - options from files, from outside."""
import contextlib
import os
import subprocess
import tempfile

from check import LEVER, Skip, check, equal, main, test


@contextlib.contextmanager
def files(user=None, project=None):
    """A project's folder, with these files in it and in the user's configuration."""
    with tempfile.TemporaryDirectory() as place:
        inner = os.path.join(place, "project", "source")
        os.makedirs(inner)
        os.makedirs(os.path.join(place, "config", "lever"))
        for path, text in ((os.path.join(place, "config", "lever", "config"), user), (os.path.join(place, "project", ".lever"), project)):
            if text is not None:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
        yield place, inner


def lever_in(place, inner, *words, **environment):
    known = {name: value for name, value in os.environ.items() if name != "LEVER_CONFIG"}
    known |= {"XDG_CONFIG_HOME": os.path.join(place, "config")} | environment
    return subprocess.run([LEVER, *words], cwd=inner, env=known, capture_output=True, text=True, check=False)


@test("the project's options come before the user's, and lists tell where each stands")
def _():
    with files("[run]\nseconds = 20\nscope = a\nscope = b\n", "# ours\n[run]\n  seconds=30 ; enough\n") as (place, inner):
        listed = lever_in(place, inner, "config")
        equal((listed.returncode, listed.stderr), (0, ""))
        rows = [line.split("\t")[0] for line in listed.stdout.splitlines()]
        equal(rows, ["run.scope = a", "run.scope = b", "run.seconds = 30"])
        check(f"{place}/project/.lever:3" in listed.stdout, listed.stdout)
        equal(lever_in(place, inner, "config", "run.scope").stdout, "a\nb\n")
        missing = lever_in(place, inner, "config", "run.period")
        equal((missing.returncode, missing.stdout), (1, ""))


@test("a name that is no option tells what was probably meant")
def _():
    with files() as (place, inner):
        for words, why in ((("run.secnds",), "did you mean '--seconds'?"), (("rnu.seconds",), "did you mean 'run.seconds'?"),
                           (("secnds",), "did you mean 'run.seconds'?"), (("get", "run"), "lever help run lists them"),
                           (("nosuch",), "COMMAND.OPTION"), (("unset", "run.secnds"), "did you mean '--seconds'?"),
                           (("sett", "run.seconds", "3"), "did you mean 'set'?")):
            result = lever_in(place, inner, "config", *words)
            equal((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), result.stderr)
            check(why in result.stderr, result.stderr)


@test("an option of a file counts, and the command line's counts in its place")
def _():
    with files(project="[diff]\nformat = json\nall-runs\n") as (place, inner):
        words = ("--quiet", "--runs", "12", "--", "true", "--vs", "true")
        check(lever_in(place, inner, "diff", *words).stdout.startswith("{"), "format = json is not used")
        csv = lever_in(place, inner, "diff", "--format", "csv", *words).stdout
        check(not csv.startswith("{") and "," in csv, csv)
        check(not lever_in(place, inner, "diff", *words, LEVER_CONFIG="").stdout.startswith("{"), "LEVER_CONFIG= reads a file")


@test("quotes, escapes and truth values are read")
def _():
    with files(project='[run]\ntarget = "a b;c.c:3" # why\nscope = "\\"x\\\\y\\""\nquiet = no\nverbose = yes\n') as (place, inner):
        equal(lever_in(place, inner, "config", "run.target").stdout, "a b;c.c:3\n")
        equal(lever_in(place, inner, "config", "run.scope").stdout, '"x\\y"\n')


@test("a mistake in a file is one sentence with its place, and 2")
def _():
    for text, words, why in (
        ("[run]\nsecnds = 3\n", ("run", "--", "true"), ".lever:2: unknown option '--secnds'; did you mean '--seconds'?"),
        ("[run]\nseconds = soon\n", ("run", "--", "true"), ".lever:2: --seconds: "),
        ("[run]\nquiet = perhaps\n", ("run", "--", "true"), "'perhaps' is neither true nor false"),
        ("[run]\nseconds\n", ("run", "--", "true"), "--seconds needs an argument"),
        ("[run]\nsecnds = 3\n", ("config",), ".lever:2: unknown option '--secnds'; did you mean '--seconds'?"),
        ("[report]\nformat = jsn\n", ("check",), ".lever:2: --format: 'jsn' is not one of "),
        ("[run]\nseconds = soon\n", ("config",), ".lever:2: --seconds: "),
        ("[run]\nquiet = perhaps\n", ("config",), ".lever:2: 'perhaps' is neither true nor false"),
        ("[rum]\nseconds = 3\n", ("config",), "no command [rum]; did you mean [run]?"),
        ("seconds = 3\n", ("config",), ".lever:1: an option stands before the first section"),
        ("[run\n", ("config",), ".lever:1: a section is written as [run]"),
        ('[run]\ntarget = "x\n', ("config",), ".lever:2: a quote is not closed"),
        ("[run]\n--seconds = 3\n", ("config",), "without dashes"),
        ("SQLite format 3\0", ("config",), "it is binary"),
        ("#" * 70000, ("config",), "it is too long"),
    ):
        with files(project=text) as (place, inner):
            result = lever_in(place, inner, *words)
            equal((result.returncode, result.stdout), (2, ""), text[:40])
            equal(result.stderr.count("\n"), 1, result.stderr)
            check(why in result.stderr, result.stderr)
            equal(lever_in(place, inner, "version").returncode, 0)


def text_of(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


@test("set and unset change one option of the project's file, and leave the rest as it is")
def _():
    kept = "# ours\n[report]\n  format = json\n\n[run]\n    # how long\n    seconds = 20\n    scope = a ; here\n"
    with files(project=kept) as (place, inner):
        project = os.path.join(place, "project", ".lever")
        result = lever_in(place, inner, "config", "set", "run.seconds", "60")
        equal((result.returncode, result.stderr), (0, ""))
        equal(result.stdout, f"run.seconds = 60\t# {project}:7\n")
        equal(text_of(project), kept.replace("seconds = 20", "seconds = 60"))
        equal(lever_in(place, inner, "config", "set", "--append", "run.scope", 'b #"\\').returncode, 0)
        equal(lever_in(place, inner, "config", "run.scope").stdout, 'a\nb #"\\\n')
        equal(lever_in(place, inner, "config", "set", "run.scope", " c").returncode, 0)
        equal(lever_in(place, inner, "config", "run.scope").stdout, " c\n")
        equal(lever_in(place, inner, "config", "set", "run.quiet").returncode, 0)
        equal(lever_in(place, inner, "config", "set", "diff.all-runs", "no").returncode, 0)
        for name in ("run.scope", "run.quiet", "diff.all-runs"):
            equal(lever_in(place, inner, "config", "unset", name).returncode, 0)
        equal(text_of(project), kept.replace("seconds = 20", "seconds = 60").replace("    scope = a ; here\n", "") + "[diff]\n")
        missing = lever_in(place, inner, "config", "unset", "run.quiet")
        equal((missing.returncode, missing.stderr), (1, f"lever: {project} does not give 'run.quiet'\n"))


@test("set makes the file that is missing: the user's, or the project's for --local; --global tells what the project gives")
def _():
    with files() as (place, inner):
        config = {"XDG_CONFIG_HOME": os.path.join(place, "new", "home")}
        equal(lever_in(place, inner, "config", "set", "run.seconds", "9", **config).returncode, 0)
        equal(text_of(place, "new", "home", "lever", "config"), "[run]\n\tseconds = 9\n")
        equal(lever_in(place, inner, "config", "set", "--local", "run.seconds", "8", **config).returncode, 0)
        equal(text_of(inner, ".lever"), "[run]\n\tseconds = 8\n")
        result = lever_in(place, inner, "config", "set", "--global", "run.seconds", "7", **config)
        equal(result.stderr, f"lever: here {inner}/.lever:2 counts in its place\n")
        equal(lever_in(place, inner, "config", "run.seconds", **config).stdout, "8\n")
        other = os.path.join(place, "other")
        equal(lever_in(place, inner, "config", "set", "run.seconds", "6", LEVER_CONFIG=other).returncode, 0)
        equal(text_of(other), "[run]\n\tseconds = 6\n")
        check("LEVER_CONFIG is empty" in lever_in(place, inner, "config", "set", "run.seconds", "6", LEVER_CONFIG="").stderr)


@test("a wrong option or value is told, and the file stays")
def _():
    for words, why in ((("run.secnds", "3"), "did you mean '--seconds'?"), (("rum.seconds", "3"), "did you mean 'run.seconds'?"),
                       (("run.seconds", "soon"), "--seconds: "), (("run.target",), "--target needs an argument"),
                       (("report.format", "jsn"), "'jsn' is not one of "), (("run.quiet", "perhaps"), "neither true nor false"),
                       (("seconds", "3"), "did you mean 'run.seconds'?"), (("run.scope", "a\nb"), "a value is one line"),
                       ((), "set takes an option and its value"), (("--local", "--global", "run.seconds", "3"), "different files")):
        with files(project="# ours\n") as (place, inner):
            result = lever_in(place, inner, "config", "set", *words)
            equal((result.returncode, result.stdout, text_of(place, "project", ".lever")), (2, "", "# ours\n"), words)
            check(why in result.stderr and result.stderr.count("\n") == 1, result.stderr)
    with files(project="# ours\n") as (place, inner):
        os.chmod(os.path.join(place, "project", ".lever"), 0o666)
        result = lever_in(place, inner, "config", "set", "run.seconds", "3")
        equal((result.returncode, text_of(place, "project", ".lever")), (1, "# ours\n"))
        check("all may write it" in result.stderr, result.stderr)


@test("a file of another user, one that all may write, and a link do not count, and it is told")
def _():
    with files(project="[report]\nformat = nonsense\n") as (place, inner):
        path = os.path.join(place, "project", ".lever")
        os.chmod(path, 0o666)
        result = lever_in(place, inner, "config")
        check(".lever is not used: " in result.stderr and result.stdout == "", result.stderr)
        os.rename(path, path + "-other")
        os.symlink(path + "-other", path)
        result = lever_in(place, inner, "config")
        check(".lever is not used: " in result.stderr and result.stdout == "", result.stderr)


@test("root does not read a file of another user, but one of the user who called sudo")
def _():
    if os.geteuid():
        raise Skip("needs root")
    with files(project="[run]\nseconds = 3\n") as (place, inner):
        os.chown(os.path.join(place, "project", ".lever"), 65534, 65534)
        equal(lever_in(place, inner, "config", "run.seconds").returncode, 1)
        called = lever_in(place, inner, "config", "run.seconds", SUDO_UID="65534", SUDO_GID="65534")
        equal((called.returncode, called.stdout), (0, "3\n"), called.stderr)


main()
