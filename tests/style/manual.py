#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""manual - the manual pages and the option tables tell the same options, and examples parse.

Usage: manual.py PATH-OF-LEVER
"""
import itertools
import os
import re
import shlex
import subprocess
import sys
import tempfile

import style

LEVER = os.path.abspath(sys.argv[1])
OPTION = re.compile(r"^(?:\*(-\w)\*, )?\*(--[a-z-]+)\*(?: _([^_]+)_)?$")


def run(*arguments):
    """In a folder without a profile: completion offers the names of one."""
    with tempfile.TemporaryDirectory() as empty:
        return subprocess.run([LEVER, *arguments], capture_output=True, text=True, cwd=empty)


def page_of(command):
    path = style.ROOT / "man" / f"lever-{command}.1.scd"
    return path if path.exists() else style.ROOT / "man" / "lever.1.scd"


def options_in_tables():
    """{(command, name, letter, argument)}"""
    lines = run("help", "--options").stdout.splitlines()
    return {tuple(line.split("\t")) for line in lines}


def options_in_page(path):
    """{(name, letter, argument)} of the lines that head an option's paragraph"""
    found = set()
    for line in path.read_text().splitlines():
        head = OPTION.match(line)
        if head:
            found.add((head.group(2), head.group(1) or "-", head.group(3) or "-"))
    return found


def option_complaints():
    table = options_in_tables()
    commands = {row[0] for row in table}
    if len(commands) < 4:
        yield page_of("run"), 1, f"only {sorted(commands)} in lever help --options"
    for path in sorted({page_of(command) for command in commands}):
        here = {row[1:] for row in table if page_of(row[0]) == path}
        written = options_in_page(path)
        for name, letter, argument in sorted(here - written):
            yield path, 1, f"does not tell {letter}, {name} {argument}"
        for name, letter, argument in sorted(written - here - {("--version", "-V", "-")}):
            yield path, 1, f"tells {letter}, {name} {argument}, which does not exist"


def commands(path):
    """(number, line) of the file, with lines that a backslash goes on joined to their first."""
    first, so_far = 1, ""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not so_far:
            first = number
        if line.endswith("\\"):
            so_far += line[:-1]
            continue
        yield first, so_far + line
        so_far = ""


def words_of(line):
    """The words of a shell's line, up to a pipe, a redirection or a comment that is not quoted."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    return list(itertools.takewhile(lambda word: not set(word) & set("|<>&;") or " " in word, lexer))


WHOM = {"--pid", "--port", "--cgroup", "--system", "--comm"}  # of processes that run already


def example_complaints():
    """Each line "$ lever ..." is given to lever with --help after its options: they must parse."""
    for path in style.files(["man"], {".scd"}) + style.files(["docs"], {".md"}) + [style.ROOT / "README.md"]:
        for number, line in commands(path):
            found = re.match(r"\s*\$ (?:sudo )?lever (.*)", line)
            if not found:
                continue
            words = words_of(found.group(1))
            if words[0] == "run" and "--" not in words and not WHOM & set(words):
                yield path, number, "in examples of run, write -- before the program"
                continue
            end = words.index("--") if "--" in words else len(words)
            said = run(*words[:end], "--help")
            if said.returncode:
                yield path, number, said.stderr.strip()


def choice_complaints():
    """Each value that completion offers for an option stands in the manual page as *value*."""
    for row in options_in_tables():
        if row[3] == "-":
            continue
        choices = run("help", "--complete", "--", row[0], row[1], "").stdout.split("\n")[:-1]
        text = page_of(row[0]).read_text()
        for choice in choices:
            if not choice.startswith(":") and f"*{choice}*" not in text:
                yield page_of(row[0]), 1, f"does not tell {row[1]} {choice}"


def command_complaints():
    overview = (style.ROOT / "man" / "lever.1.scd").read_text()
    for command in {row[0] for row in options_in_tables()}:
        if f"*lever {command}*" not in overview and f"*{command}*" not in overview:
            yield style.ROOT / "man" / "lever.1.scd", 1, f"does not tell the command {command}"


failed = 0
for check in (option_complaints, choice_complaints, example_complaints, command_complaints):
    failed |= style.report(check())
sys.exit(failed)
