#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""completion - bash, zsh and fish at a terminal: a line is typed, and Tab.

Usage: completion.py PATH-OF-LEVER PATH-OF-TEST-RECORDING SOURCE-FOLDER
"""
import contextlib
import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

from check import LEVER, Skip, equal, main, test

RECORDING, SOURCE = sys.argv[2], sys.argv[3]
FOLDER = tempfile.TemporaryDirectory()
# The words that start a shell, and lines that load the completion; Ctrl-X p shows the line, Ctrl-X e empties it.
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], [
        "bind 'set enable-bracketed-paste off' 'set show-all-if-ambiguous off' 2>/dev/null",
        f". {SOURCE}/completion/lever.bash", "show() { echo; echo \"<<$READLINE_LINE>>\"; }; empty() { READLINE_LINE=; }",
        r"""bind -x '"\C-xp": show'; bind -x '"\C-xe": empty'"""]),
    "zsh": (["zsh", "-f", "-i"], [
        f"fpath=({SOURCE}/completion $fpath); autoload -Uz compinit; compinit -u -D; unsetopt automenu",
        "show() { print -r \"<<$BUFFER>>\" }; zle -N show; bindkey '^Xp' show",
        "empty() { BUFFER= }; zle -N empty; bindkey '^Xe' empty"]),
    "fish": (["fish", "-N", "-i"], [
        f"source {SOURCE}/completion/lever.fish; function fish_prompt; echo '$ '; end",
        "function show; echo; echo '<<'(commandline)'>>'; end; bind \\cxp show; bind \\cxe \"commandline ''\""]),
}


class Shell:
    """An interactive shell in FOLDER."""

    def __init__(self, name):
        words, lines = SHELLS[name]
        self.pid, self.terminal = pty.fork()
        if not self.pid:
            os.chdir(FOLDER.name)
            path = f"{os.path.dirname(LEVER)}:{os.environ['PATH']}"
            os.execvpe(words[0], words, {"TERM": "xterm", "PATH": path, "HOME": FOLDER.name, "LEVER_CONFIG": "", "PS1": "$ ",
                                         "LC_ALL": "C.UTF-8", "XDG_CONFIG_HOME": FOLDER.name, "XDG_DATA_HOME": FOLDER.name})
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 100, 200, 0, 0))
        for number, line in enumerate(lines):
            self.type(f"{line}; echo do''ne{number}\r")
            self.read_until(f"done{number}\r")

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.close(self.terminal)
        os.waitpid(self.pid, 0)

    def type(self, text):
        os.write(self.terminal, text.encode())

    def read_until(self, end, seconds=60):
        """All up to `end`; "" for end: until nothing comes for a moment."""
        got, last = "", time.monotonic() + seconds
        while time.monotonic() < last:
            if select.select([self.terminal], [], [], 0.3)[0]:
                part = os.read(self.terminal, 65536).decode(errors="replace")
                if "\x1b[c" in part or "\x1b[0c" in part:
                    self.type("\x1b[?62;c")  # fish asks which terminal this is
                got += part
                if end and end in got:
                    return got
            elif not end:
                return got
        raise AssertionError(f"the shell does not print {end!r}: {got[-2000:]!r}")

    def tab(self, line):
        """The line after Tab at "|", or at its end; without blanks that the shell adds."""
        before, _, behind = line.partition("|")
        self.type(before + behind + "\x02" * len(behind) + "\t\x18p")
        told = re.search("<<(.*)>>", self.read_until(">>"), re.S)[1]
        self.type("\x18e")
        self.read_until("")
        return re.sub(" +", " ", told).strip()


@contextlib.contextmanager
def shell_named(name):
    if not shutil.which(name):
        raise Skip(f"{name} is not installed")
    shell = Shell(name)
    try:
        yield shell
    finally:
        shell.close()


PROGRAM = """#include <lever.h>
#include <unistd.h>
namespace bank {
template <class T> __attribute__((noinline)) T add(T value) { LEVER_PROGRESS_NAMED("added"); return value; }
struct Table { int find(int); };
__attribute__((noinline)) int Table::find(int value) { /* LEVER_PROGRESS_NAMED(name) */ return add<int>(value); } }
int main(int count, char **) {
__asm__("90: nop\\n.pushsection .note.stapsdt,\\"\\",\\"note\\"\\n.balign 4\\n.4byte 2f-1f,4f-3f,3\\n1: .asciz \\"stapsdt\\"\\n"
        "2: .balign 4\\n3: .8byte 90b,_.stapsdt.base,0\\n.asciz \\"bank\\"\\n.asciz \\"transfer\\"\\n.asciz \\"\\"\\n"
        "4: .balign 4\\n.popsection\\n.pushsection .stapsdt.base,\\"aG\\",\\"progbits\\",.stapsdt.base,comdat\\n"
        ".weak _.stapsdt.base\\n_.stapsdt.base: .space 1\\n.popsection");
return bank::Table().find(count) + (int)read(0, &count, 1); }
"""
OPTIONS = (
    ("lever rep", "lever report"),
    ("lever run --granul", "lever run --granularity"),
    ("lever report --format js", "lever report --format json"),
    ("lever report --format=js", "lever report --format=json"),
    ("lever report -f co", "lever report -f coz"),
    ("lever config run.gran", "lever config run.granularity"),
    ("lever config set report.tree ca", "lever config set report.tree calle"),
    ("lever config unse", "lever config unset"),
    ("lever help tut", "lever help tutorial"),
    ("lever run -q -- ls --gran", "lever run -q -- ls --gran"),
    ("lever run --target syscall:fsyn", "lever run --target syscall:fsync"),
    ("lever run --target=syscall:fsyn", "lever run --target=syscall:fsync"),
    ("lever run --target syscall:fsy| -q", "lever run --target syscall:fsync -q"),
    ("lever report my\\ pro", "lever report my\\ profile.lever"),
    # Of the profile lever.lever in this folder.
    ("lever run --progress bl", "lever run --progress block"),
    ("lever run --target pipeline.c:4", "lever run --target pipeline.c:42"),
)
LINES = (  # "-- PROGRAM" or --pid is added
    ("--progress add", "--progress added"),
    ("--progress usdt:", "--progress usdt:bank:transfer"),
    ("--progress=usdt:ba", "--progress=usdt:bank:transfer"),
    ("--progress us", "--progress usdt:bank:transfer"),
    ("--target bank::a", "--target bank::add"),
    ("--target func:bank::T", "--target func:bank::Table::find"),
    ("--target=bank::Ta", "--target=bank::Table::find"),
    ("--with inclusive:ba", "--with inclusive:bank::"),
    ("--focus mai", "--focus main"),
)


def prepare():
    subprocess.run([RECORDING, "pipeline", f"{FOLDER.name}/lever.lever"], check=True)
    shutil.copy(f"{FOLDER.name}/lever.lever", f"{FOLDER.name}/my profile.lever")
    pathlib.Path(f"{FOLDER.name}/source.cc").write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["c++", "-g", "-O1", "-I", f"{SOURCE}/include", "-o", f"{FOLDER.name}/a program",
                    f"{FOLDER.name}/source.cc"], check=True)


def checks_of(name):
    @test(f"{name} completes commands, options, their values, and names of the profile in this folder")
    def _():
        with shell_named(name) as shell:
            for line, expected in OPTIONS:
                if name == "fish" and "|" in line:
                    line, expected = line.replace("|", ""), line.replace("|", "")
                equal(shell.tab(line), expected, f"for {line}")

    @test(f"{name} completes points and targets of the program on the line, or of the process")
    def _():
        with shell_named(name) as shell, subprocess.Popen([f"{FOLDER.name}/a program"], stdin=subprocess.PIPE) as process:
            for line, expected in LINES:
                before = f"lever run -q --pid {process.pid} "
                equal(shell.tab(before + line), before + expected)
                if name == "fish":
                    continue  # it tells a completion nothing of what stands behind the cursor
                for program in ("'./a program'", "./a\\ program", "~/a\\ program"):
                    equal(shell.tab(f"lever run -q {line}| -- {program} 1"), f"lever run -q {expected} -- {program} 1")
            process.stdin.close()


prepare()
for one in SHELLS:
    checks_of(one)
main()
