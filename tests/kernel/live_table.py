#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""live_table - `lever run --tui` on a pseudo terminal: its table, its keys, and what is left afterwards.

Usage: live_table.py PATH-OF-LEVER PATH-OF-PROGRAMS EXAMPLE
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

from kernel import Skip, check, equal, lever, main, test
from check import LEVER

ORDERS = sys.argv[3]
FOLDER = tempfile.TemporaryDirectory()
PROFILE = os.path.join(FOLDER.name, "live.lever")
KEYS = {"up": "\x1bOA", "down": "\x1bOB", "F1": "\x1bOP", "F6": "\x1b[17~", "F10": "\x1b[21~", "escape": "\x1b", "enter": "\r"}


class Terminal:
    """A program in a terminal of its own; `text` is all that it wrote, without escape sequences."""

    def __init__(self, *words):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.environ.update(TERM="xterm-256color", LC_ALL="C.UTF-8")
            os.execv(words[0], words)
        self.modes = termios.tcgetattr(self.fd)  # before lever has begun
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 110, 0, 0))
        self.raw = b""
        self.is_over = False

    def read(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.raw += os.read(self.fd, 65536)
                except OSError:
                    return

    @property
    def text(self):
        text = self.raw.decode("utf-8", "replace")
        return re.sub(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\([A-Z0-9]|[=>]|\][^\a]*\a)", " ", text)

    def wait_for(self, pattern, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if re.search(pattern, self.text):
                return
            self.read(0.2)
        raise AssertionError(f"no {pattern!r} in {self.text[-3000:]!r}")

    def look(self, pattern):
        """Waits for it on the screen, drawn anew: what changes is drawn alone otherwise."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            self.press("\x0c")
            self.read(0.6)
            if re.search(pattern, self.text):
                return
        raise AssertionError(f"no {pattern!r} on {self.text[-3000:]!r}")

    def press(self, key):
        self.raw = b""
        os.write(self.fd, KEYS.get(key, key).encode())

    def end(self):
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            self.read(0.1)  # at once, where the other end is closed
            time.sleep(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.is_over = True
                return os.waitstatus_to_exitcode(status)
        self.kill()
        raise AssertionError(f"it does not end: {self.text[-2000:]!r}")

    def kill(self):
        if not self.is_over:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self.is_over = True


TERMINALS = []  # what a test that failed has left is ended before the next


def start():
    for left in TERMINALS:
        left.kill()
    TERMINALS.clear()
    if os.path.exists(PROFILE):
        os.remove(PROFILE)
    terminal = Terminal(LEVER, "run", "--tui", "--then-stop", "-g", "function", "--fresh", "-o", PROFILE, "--",
                        "/bin/sh", "-c", f"echo from $((3 - 1)) programs; exec {ORDERS} 90")
    TERMINALS.append(terminal)
    terminal.read(1)
    if "without --tui" in terminal.text:
        terminal.end()
        raise Skip("built without ncurses")
    return terminal


@test("the table grows, keys sort, filter and open a place, and q ends the recording with its report")
def _():
    terminal = start()
    terminal.wait_for(r"find_customer")
    check("PLACE" in terminal.text and "if 25 % faster" in terminal.text, terminal.text[-2000:])
    check("from 2 programs" not in terminal.text, "the program's output is on the screen")
    terminal.press("F6")
    terminal.look(r"PLACE +SHARE%\*")
    terminal.press("F1")
    terminal.look(r"end measuring; report when the program ends")
    terminal.press("escape")
    terminal.read(0.3)
    terminal.press("/")
    terminal.press("find")
    terminal.press("enter")
    terminal.look(r"filter: find\s")
    check("find_customer" in terminal.text and "write_receipt" not in terminal.text, terminal.text)
    terminal.look(r"find_customer +[1-9]\d\.\d ")  # its share, of a run that has not ended
    terminal.press("enter")
    terminal.look(r"find_customer.*, progress point")
    check(re.search(r"0 % +[+\u2212]\d", terminal.text), terminal.text)
    fcntl.ioctl(terminal.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 14, 40, 0, 0))
    number = r"[+\u2212]\d+\.\d %"
    terminal.look(rf"25 % +{number} +{number} to {number}\s")  # whole, in 40 columns
    terminal.press("escape")
    terminal.look(r"find_customer +[1-9]\d\.\d +[+\u2212]\d")
    terminal.press("q")
    equal(terminal.end(), 0)
    text = terminal.text
    check("All targets: lever report" in text, text[-2000:])
    check("from 2 programs" in text, text[-2000:])


@test("Ctrl-C ends the recording, and the terminal is as before")
def _():
    terminal = start()
    terminal.wait_for(r"find_customer")
    check(termios.tcgetattr(terminal.fd)[:4] != terminal.modes[:4], "the table does not change the terminal's modes")
    terminal.press("\x03")
    code = terminal.end()
    check(code in (0, 3), (code, terminal.text[-1500:]))
    check(b"\x1b[?1049l" in terminal.raw, terminal.raw[-500:])
    equal(termios.tcgetattr(terminal.fd)[:4], terminal.modes[:4])


@test("Ctrl-Z gives the terminal back before the shell has it, and fg goes on")
def _():
    start().kill()
    terminal = Terminal("/bin/bash", "--norc", "--noediting", "-i")
    TERMINALS.append(terminal)
    terminal.press(f"{LEVER} run --tui -g function --fresh -o {PROFILE} -- {ORDERS} 90\n")
    terminal.wait_for(r"find_customer +[1-9]\d\.\d ")
    terminal.press("\x1a")
    terminal.wait_for("Stopped")
    check(0 < terminal.raw.find(b"\x1b[?1049l") < terminal.raw.find(b"Stopped"), terminal.raw[-500:])
    terminal.read(1.5)
    check(b"?1049h" not in terminal.raw and "find_customer" not in terminal.text, "the table is drawn on: " + terminal.text)
    terminal.press("fg\n")
    terminal.look(r"find_customer +[1-9]\d\.\d ")
    terminal.press("\x03")
    terminal.wait_for("All targets: lever report")
    terminal.press("exit\n")
    terminal.end()


@test("without a terminal --tui is refused, with another way")
def _():
    dumb = subprocess.run(["script", "-qec", f"{LEVER} run --tui -o {PROFILE} -- /bin/true", "/dev/null"], capture_output=True,
                          text=True, check=False, timeout=30, stdin=subprocess.DEVNULL, env={**os.environ, "TERM": "dumb"})
    equal(dumb.returncode, 2, dumb.stdout)
    check("TERM is 'dumb'" in dumb.stdout or "without --tui" in dumb.stdout, dumb.stdout)
    result = lever("run", "--tui", "-o", PROFILE, "--", "/bin/true", start_new_session=True)
    equal(result.returncode, 2)
    check("--serve" in result.stderr or "without --tui" in result.stderr, result.stderr)


main()
