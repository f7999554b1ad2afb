#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""security - what the owner of a profile or of a folder could make a root's lever do, tried from outside.

Usage: security.py PATH-OF-LEVER PATH-OF-test_recording
"""
import base64
import contextlib
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import zlib

from check import LEVER, Skip, check, equal, lever, main, test

RECORDER = os.path.abspath(sys.argv[2])
USER = 65534
SUDO = {**os.environ, "SUDO_UID": str(USER), "SUDO_GID": str(USER)}
SECRET = "root:$6$secret\n"


class Folder:
    """A folder of user nobody, and beside it a secret of root."""

    def __enter__(self):
        if os.geteuid() != 0:
            raise Skip("needs root: it plays root and another user")
        self.held = tempfile.TemporaryDirectory()
        os.chmod(self.held.name, 0o755)
        self.path = os.path.join(self.held.name, "user")
        os.mkdir(self.path)
        os.chown(self.path, USER, USER)
        self.secret = os.path.join(self.held.name, "secret")
        with open(self.secret, "w") as file:
            file.write(SECRET * 40)
        os.chmod(self.secret, 0o600)
        return self

    def __exit__(self, *ignored):
        self.held.cleanup()

    def file(self, name):
        return os.path.join(self.path, name)

    def profile(self, source=None, name="p.lever"):
        """Of the user; `source` is the path of the first targets' sources."""
        path = self.file(name)
        subprocess.run([RECORDER, "pipeline", path], check=True)
        if source:
            with sqlite3.connect(path) as database:
                database.execute("UPDATE target SET file = ?, line = 3", (source,))
            database.close()
        os.chown(path, USER, USER)
        return path

    def link(self, name, target):
        os.symlink(target, self.file(name))
        os.lchown(self.file(name), USER, USER)
        return self.file(name)

    def is_untouched(self):
        status = os.stat(self.secret)
        with open(self.secret) as file:
            return (status.st_uid, stat.S_IMODE(status.st_mode), file.read()) == (0, 0o600, SECRET * 40)


def page_texts(page):
    """The page's packed data, unpacked."""
    texts = page
    for packed in re.findall(r"[A-Za-z0-9+/=]{200,}", page):
        for bits in (zlib.MAX_WBITS, -zlib.MAX_WBITS, zlib.MAX_WBITS | 16):
            try:
                texts += zlib.decompress(base64.b64decode(packed + "==="[:-len(packed) % 4]), bits).decode(errors="replace")
            except (ValueError, zlib.error):
                pass
    return texts


def page_of(profile, **options):
    result = lever("report", profile, "--format", "html", **options)
    if "built without the HTML report" in result.stderr:
        raise Skip("built without the HTML report")
    equal(result.returncode, 0, result.stderr)
    return page_texts(result.stdout)


@test("a page has the sources that the user can read")
def _():
    with Folder() as folder:
        with open(folder.file("main.c"), "w") as file:
            file.write("int open_source;\n" * 9)
        for environment in (SUDO, os.environ):
            check("open_source" in page_of(folder.profile(folder.file("main.c")), env=environment))


@test("a source path that is a link to root's file puts nothing of it into the page of a root")
def _():
    with Folder() as folder:
        for environment in (SUDO, os.environ):
            name = "one.c" if environment is SUDO else "other.c"
            check("$6$secret" not in page_of(folder.profile(folder.link(name, folder.secret)), env=environment), name)


@test("a root's file that is named as a source stays out of the page of another user's profile")
def _():
    with Folder() as folder:
        os.rename(folder.secret, folder.secret + ".c")
        for environment in (SUDO, os.environ):
            check("$6$secret" not in page_of(folder.profile(folder.secret + ".c"), env=environment))


@test("root's own page follows no link to a source")
def _():
    with Folder() as folder:
        profile = folder.profile(folder.link("main.c", folder.secret))
        os.chown(profile, 0, 0)
        check("$6$secret" not in page_of(profile))


@test("a source that is a pipe does not stop the report")
def _():
    with Folder() as folder:
        os.mkfifo(folder.file("main.c"), 0o666)
        page_of(folder.profile(folder.file("main.c")), timeout=20)


def write_outputs(folder, output, environment):
    """By each verb that writes what -o names; their exit codes."""
    profile = folder.profile()
    run = ["--", "/bin/true"]
    return [lever("report", profile, "--format", "json", "-o", output, env=environment).returncode,
            lever("diff", "--runs", "2", "--format", "json", "-o", output, *run, *run, env=environment).returncode,
            lever("record", "-q", "-o", output, *run, env=environment).returncode,
            lever("record", "-q", "--fresh", "-o", output, *run, env=environment).returncode]


@test("-o of a link to root's file neither changes the file nor gives it away, under sudo")
def _():
    with Folder() as folder:
        codes = write_outputs(folder, folder.link("out", folder.secret), SUDO)
        check(folder.is_untouched(), codes)
        check(0 not in codes, codes)
        equal(os.readlink(folder.file("out")), folder.secret)


@test("-o of a file in a linked folder of root makes nothing there, under sudo")
def _():
    with Folder() as folder:
        folder.link("folder", folder.held.name)
        os.chmod(folder.held.name, 0o755)
        codes = write_outputs(folder, folder.file("folder/new"), SUDO)
        check(0 not in codes, codes)
        check(not os.path.exists(os.path.join(folder.held.name, "new")))


@test("-o of another user's link is refused to root without sudo")
def _():
    with Folder() as folder:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SUDO_")}
        codes = write_outputs(folder, folder.link("out", folder.secret), environment)
        check(folder.is_untouched(), codes)
        check(0 not in codes, codes)


@test("-o of an empty file of root under sudo leaves it root's")
def _():
    with Folder() as folder:
        path = os.path.join(folder.held.name, "report.json")
        open(path, "w").close()
        os.chmod(path, 0o640)
        equal(lever("report", folder.profile(), "--format", "json", "-o", path, env=SUDO).returncode, 0)
        status = os.stat(path)
        equal((status.st_uid, stat.S_IMODE(status.st_mode)), (0, 0o640))
        check(status.st_size > 100)


@test("a new file under sudo belongs to the user, an existing one keeps its mode, and nothing else is left")
def _():
    with Folder() as folder:
        profile, path = folder.profile(), folder.file("report.json")
        for mode in (None, 0o604):
            if mode:
                os.chmod(path, mode)
            equal(lever("report", profile, "--format", "json", "-o", path, env=SUDO).returncode, 0)
            status = os.stat(path)
            equal(status.st_uid, USER)
            check(not mode or stat.S_IMODE(status.st_mode) == mode, oct(status.st_mode))
        equal(sorted(os.listdir(folder.path)), ["p.lever", "report.json"])


@test("a new file in root's folder can be written under sudo")
def _():
    with Folder() as folder:
        path = os.path.join(folder.held.name, "report.json")
        equal(lever("report", folder.profile(), "--format", "json", "-o", path, env=SUDO).returncode, 0)
        check(os.path.getsize(path) > 100)


@test("-o writes to pipes, devices and standard output")
def _():
    with Folder() as folder:
        profile = folder.profile()
        text = lever("report", profile, "--format", "json").stdout
        equal(lever("report", profile, "--format", "json", "-o", "/dev/stdout").stdout, text)
        equal(lever("report", profile, "--format", "json", "-o", "/dev/null").returncode, 0)
        with tempfile.TemporaryFile("w+") as file:
            subprocess.run([LEVER, "report", profile, "--format", "json", "-o", "/dev/stdout"], stdout=file, check=True)
            file.seek(0)
            equal(file.read(), text)


HOSTILE = "a\x1b]0;title\x07\x1b[2Jb\u009b31m\u202ec"


def is_harmless(text):
    """No character of `text` controls a terminal."""
    return not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", text)


@test("names in messages cannot control the terminal")
def _():
    for arguments in (["report", "/nowhere/" + HOSTILE], ["report", "x", HOSTILE], ["run", "--" + HOSTILE, "x"],
                      ["run", "--progress", HOSTILE, "true"], ["run", "/nowhere/" + HOSTILE], [HOSTILE],
                      ["record", "/nowhere/" + HOSTILE], ["record", "--comm", HOSTILE, "--pid", HOSTILE],
                      ["trace", "--probe", HOSTILE, "true"], ["diff", HOSTILE, HOSTILE], ["history", HOSTILE],
                      ["run", "--target", HOSTILE, "/bin/true"], ["run", "--scope", HOSTILE, "/bin/true"],
                      ["scale", "--cores", HOSTILE, "true"], ["check", HOSTILE]):
        with tempfile.TemporaryDirectory() as folder:
            result = lever(*arguments, cwd=folder)
        check(result.stderr, arguments)
        check(is_harmless(result.stderr), (arguments, result.stderr))


def on_terminal(*arguments):
    """What lever writes to a terminal, without its carriage returns."""
    leader, terminal = os.openpty()
    with subprocess.Popen([LEVER, *arguments], stdin=subprocess.DEVNULL, stdout=terminal, env={**os.environ, "NO_COLOR": "1"}) as run:
        os.close(terminal)
        written = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while piece := os.read(leader, 65536):
                written += piece
        os.close(leader)
        equal(run.wait(), 0, arguments)
    return written.decode().replace("\r\n", "\n").replace("\r\n", "\n")


@test("names in a profile cannot control the terminal by any format that may go to one")
def _():
    with tempfile.TemporaryDirectory() as folder:
        for recording, formats in (("hostile", ("text", "csv", "json", "coz")), ("names", ("text", "folded", "json")),
                                   ("timeline-names", ("text", "csv", "json"))):
            path = os.path.join(folder, recording)
            subprocess.run([RECORDER, recording, path], check=True)
            for name in formats:
                check(is_harmless(on_terminal("report", path, "--format", name)), (recording, name))


SET_USER_ID = r"""
#include <lever.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	LEVER_PROGRESS;
	return getuid() == geteuid() ? 2 : 0;
}
"""


@test("a set-user-ID program with lever.h does not open memory that its caller names")
def _():
    include = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "include")
    if not shutil.which("gcc"):
        raise Skip("gcc is not installed")
    with Folder() as folder:
        source, program, fifo = (folder.file(name) for name in ("set.c", "set", "marks"))
        with open(source, "w") as file:
            file.write(SET_USER_ID)
        subprocess.run(["gcc", "-I", include, source, "-o", program], check=True)
        os.chown(program, USER, USER)
        os.chmod(program, 0o4755)
        os.mkfifo(fifo, 0o666)
        os.chmod(fifo, 0o666)
        environment = {**os.environ, "LEVER_LISTEN": "2", "LEVER_TRACE": fifo}
        # A program that opens it to read its head waits for ever.
        result = subprocess.run([program], env=environment, timeout=20, check=False)
        if result.returncode == 2:
            raise Skip("set-user-ID has no effect here")
        equal(result.returncode, 0)


main()
