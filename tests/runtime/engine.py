# SPDX-License-Identifier: BSD-2-Clause
"""engine - `lever run --engine runtime`: the same program, the same output, as an ordinary user.

Where it is run as root, Lever is started as nobody, since that is whom this engine is for.
LEVER_STRESS_SECONDS=600 makes the stress test as long as in CI's nightly mode.
"""
import json
import os
import pwd
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "command"))
from check import LEVER, Skip, check, equal, main, test  # noqa: E402

PROGRAMS = os.path.abspath(sys.argv[2])
STRESS = os.path.join(PROGRAMS, "stress")
SECONDS = float(os.environ.get("LEVER_STRESS_SECONDS", "8"))


def become_nobody():
    if os.getuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setgid(nobody.pw_gid)
        os.setuid(nobody.pw_uid)


def run(*command, timeout=120, **options):
    """Runs a command as an ordinary user."""
    if os.getuid() == 0 and subprocess.run(["true"], preexec_fn=become_nobody, cwd="/", check=False).returncode:
        raise Skip("no user nobody")
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=timeout, preexec_fn=become_nobody, check=False, **options)


class Folder(tempfile.TemporaryDirectory):
    """A folder that nobody may write to, too."""

    def __enter__(self):
        name = super().__enter__()
        os.chmod(name, 0o777)
        return name


def profile(folder, *words, **options):
    """Runs lever run --engine runtime; returns the process and the report as JSON."""
    output = os.path.join(folder, "out.lever")
    said = run(LEVER, "run", "--quiet", "--fresh", "-o", output, "--engine", "runtime", *words, **options)
    if not os.path.exists(output):
        return said, None
    told = run(LEVER, "report", output, "--format", "json")
    return said, json.loads(told.stdout) if told.stdout else None


@test("a program that does all that is hard for a library prints the same with and without Lever")
def _():
    plain = run(STRESS, "1", "100", timeout=60)
    equal((plain.returncode, plain.stderr), (0, ""), plain.stdout)
    with Folder() as folder:
        said, report = profile(folder, "--", STRESS, str(SECONDS), "100", timeout=SECONDS + 120)
        check(said.returncode in (0, 3), f"{said.returncode}: {said.stderr}")
        equal(said.stdout, plain.stdout)
        equal(report["engine"], "runtime")
        check(report["sampling"]["samples"] > 100, report["sampling"])
        check(report["progress"][0]["visits"] >= 100 * 20, report["progress"])


@test("a thousand threads at once are created and joined, and print the same")
def _():
    plain = run(STRESS, "0", "1000", timeout=60)
    with Folder() as folder:
        said, _ = profile(folder, "--", STRESS, "0", "1000")
        check(said.returncode in (0, 3), f"{said.returncode}: {said.stderr}")
        equal(said.stdout, plain.stdout)


@test("where perf_event_open is refused, timers sample instead, and the report says so")
def _():
    refuse = os.path.join(PROGRAMS, "refuse")
    if run(refuse, "true").returncode:
        raise Skip("no seccomp filters here")
    with Folder() as folder:
        output = os.path.join(folder, "out.lever")
        said = run(refuse, LEVER, "run", "-q", "--fresh", "-o", output, "--engine", "runtime", "--", STRESS, "3", "50")
        check(said.returncode in (0, 3), f"{said.returncode}: {said.stderr}")
        check("exact: yes" in said.stdout, said.stdout)
        report = run(LEVER, "report", output)
        check("perf_event_open is refused" in report.stdout, report.stdout)
        samples = json.loads(run(LEVER, "report", output, "--format", "json").stdout)["sampling"]["samples"]
        check(samples > 20, samples)


@test("when Lever is killed by -9, the program goes on to its end, and the same")
def _():
    with Folder() as folder:
        said = os.path.join(folder, "said")
        with open(said, "w", encoding="utf-8") as out:
            started = subprocess.Popen([LEVER, "run", "-q", "-o", os.path.join(folder, "out.lever"), "--engine", "runtime",
                                        "--", STRESS, "3", "50"], stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.DEVNULL, preexec_fn=become_nobody)
        time.sleep(1)
        started.kill()
        started.wait()
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and "exact" not in open(said, encoding="utf-8").read():
            time.sleep(0.1)
        check("exact: yes" in open(said, encoding="utf-8").read(), "the program did not end in order")


@test("a statically linked program is refused with the name of the other engine, and not run")
def _():
    with Folder() as folder:
        said, _ = profile(folder, "--", os.path.join(PROGRAMS, "static"))
        equal((said.returncode, said.stdout), (1, ""), said.stderr)
        check("statically linked" in said.stderr and "--engine kernel" in said.stderr, said.stderr)


@test("a point that needs rights is refused, naming the remedy")
def _():
    with Folder() as folder:
        said, _ = profile(folder, "--progress", "visit_locks", "--", STRESS, "0", "10")
        check(said.returncode != 0 and "LEVER_PROGRESS" in said.stderr, said.stderr)


@test("--engine auto takes the runtime engine where the kernel engine is refused, and says so")
def _():
    with Folder() as folder:
        output = os.path.join(folder, "out.lever")
        said = run(LEVER, "run", "--fresh", "-o", output, "--", STRESS, "2", "50")
        check(said.returncode in (0, 3), said.stderr)
        told = run(LEVER, "report", output, "--format", "json")
        equal(json.loads(told.stdout)["engine"], "runtime")
        check("runtime engine" in said.stderr, said.stderr)


main()
