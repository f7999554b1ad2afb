#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""continuous - recordings that follow each other in a folder, and reports of a time in them.

Usage: continuous.py PATH-OF-LEVER PATH-OF-PROGRAMS SERVICE-FILE SERVE-SERVICE-FILE
"""
import calendar
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from kernel import PROGRAMS, Skip, check, equal, lever, main, test
from check import LEVER

FOLDER = tempfile.TemporaryDirectory()
SERVICE, SERVE = sys.argv[3:5]
NAME = re.compile(r"\d{8}T\d{6}Z\.lever")


def archive_of(name="archive"):
    return os.path.join(FOLDER.name, name)


def profiles(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith(".lever"))


def start_of(name):
    return time.strptime(name, "%Y%m%dT%H%M%SZ.lever")


def clock(name, more_s=0):
    """The time in a file's name, as an argument."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(calendar.timegm(start_of(name)) + more_s))


def report(folder, *options):
    result = lever("report", "--format", "json", folder, *options)
    equal(result.returncode, 0, result.stderr)
    return json.loads(result.stdout), result.stderr


def record(folder, seconds, end, *options, environment=None):
    """Records the process until the signal. Returns what was printed."""
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as busy:
        command = [LEVER, "record", "--continuous", "--output", folder, "--rotate", "5s", "--period", "5ms",
                   "--pid", str(busy.pid), *options]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as recorder:
            time.sleep(seconds)
            recorder.send_signal(end)
            told = recorder.communicate(timeout=30)[1]
        busy.kill()
    return told, recorder.returncode


@test("files begin at multiples of the rotation time; a signal ends the last one in order")
def _():
    told, code = record(archive_of(), 12, signal.SIGTERM)
    equal((told, code), ("", 0))
    files = profiles(archive_of())
    check(len(files) in (3, 4), files)
    for name in files:
        check(NAME.fullmatch(name), name)
    for name in files[1:]:
        check(start_of(name).tm_sec % 5 <= 2, files)
    equal(sorted(os.listdir(archive_of())), files)


@test("a clock that is set back ends no recorder, and no file is written over")
def _():
    folder = archive_of("set-back")
    library = os.path.join(PROGRAMS, "libfailing.so")
    if not os.path.exists(library):
        raise Skip("libfailing.so could not be built here")
    began = time.monotonic()
    told, code = record(folder, 13, signal.SIGTERM, environment={**os.environ, "LD_PRELOAD": library, "FAILING_CLOCK": "6 -5"})
    equal((told, code), ("", 0))
    whole, _told = report(folder)
    check(whole["recorded_ns"] > 0.8e9 * (time.monotonic() - began - 1), (whole["recorded_ns"], profiles(folder)))


def reads_of(pid):
    with open(f"/proc/{pid}/io", encoding="ascii") as file:
        return int(re.search(r"syscr: (\d+)", file.read()).group(1))


@test("while all of the machine is recorded, /proc is not read again and again")
def _():
    command = [LEVER, "record", "--system", "--continuous", "--quiet", "--output", archive_of("reads"), "--period", "20ms"]
    with subprocess.Popen(command) as recorder:
        time.sleep(5)  # the first names
        before = reads_of(recorder.pid)
        time.sleep(4)
        reads = reads_of(recorder.pid) - before
        recorder.send_signal(signal.SIGTERM)
    processes = sum(name.isdigit() for name in os.listdir("/proc"))
    check(reads < 2 * processes, f"{reads} reads in 4 s beside {processes} processes")


@test("a folder's report adds up all; a time's report has the files of that time only")
def _():
    files = profiles(archive_of())
    whole, told = report(archive_of())
    check(f"{len(files)} recordings, from " in told, told)
    parts = [report(os.path.join(archive_of(), name))[0]["recorded_ns"] for name in files]
    equal(whole["recorded_ns"], sum(parts))
    check(sum(parts) > 7e9, parts)
    one, told = report(archive_of(), "--from", clock(files[1]), "--to", clock(files[2]))
    check("1 recording, from " in told, told)
    equal(one["recorded_ns"], parts[1])
    later, _told = report(archive_of(), "--from", clock(files[1], 1))
    equal(later["recorded_ns"], sum(parts[1:]))
    earlier, _told = report(archive_of(), "--to", clock(files[2]))
    equal(earlier["recorded_ns"], sum(parts[:2]))


@test("equal functions of several files are one row")
def _():
    text = lever("report", archive_of()).stdout
    rows = [line.split("function", 1)[-1].strip() for line in text.splitlines() if " [.] " in line]
    functions = [re.sub(r"^.*\[\.\]\s+", "", row) for row in rows[1:]]
    equal(len(functions), len(set(functions)), text)


@test("a time without recordings, and a folder without any, are told")
def _():
    result = lever("report", archive_of(), "--to", "2001-01-01T00:00")
    equal(result.returncode, 1)
    check("its first begins at" in result.stderr, result.stderr)
    os.mkdir(archive_of("empty"))
    result = lever("report", archive_of("empty"))
    equal(result.returncode, 1)
    check("lever record --continuous makes them" in result.stderr, result.stderr)


@test("a recorder that is killed leaves what it had written a second before")
def _():
    folder = archive_of("killed")
    record(folder, 4, signal.SIGKILL)
    killed, _told = report(folder)
    check(killed["recorded_ns"] > 1e9, killed["recorded_ns"])
    check(any("cut short" in one for one in killed["warnings"]), killed["warnings"])


@test("a damaged file is told, and does not hide the others")
def _():
    folder = archive_of("damaged")
    shutil.copytree(archive_of(), folder)
    first = profiles(folder)[0]
    with open(os.path.join(folder, first), "wb") as file:
        file.write(b"no profile")
    whole, told = report(folder)
    check("left out: " in told and first in told, told)
    check(whole["recorded_ns"] > 0)


@test("the oldest files go when all are larger than --keep; other files stay")
def _():
    folder = archive_of("kept")
    shutil.copytree(archive_of(), folder)
    shutil.copy(os.path.join(folder, profiles(folder)[0]), os.path.join(folder, "mine.lever"))
    before = [name for name in profiles(folder) if name != "mine.lever"]
    record(folder, 2, signal.SIGINT, "--keep", "1kB")
    after = profiles(folder)
    check("mine.lever" in after, after)
    equal([name for name in before[:-1] if name in after], [])


@test("the service is hardened, and what it may do suffices")
def _():
    if not shutil.which("systemd-analyze") or not shutil.which("setpriv"):
        raise Skip("systemd-analyze or setpriv is missing")
    rated = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", SERVICE], check=True,
                           capture_output=True, text=True).stdout
    level = float(re.search(r"exposure level for .*: ([0-9.]+)", rated)[1])
    check(level <= 4, rated[-300:])
    with open(SERVICE, encoding="utf-8") as file:
        service = file.read()
    capabilities = re.search(r"^CapabilityBoundingSet=(.*)$", service, re.M)[1].lower().replace("cap_", "+").split()
    command = re.search(r"^ExecStart=/usr/bin/lever (.*)$", service, re.M)[1].split()
    folder = archive_of("service")
    command[command.index("/var/lib/lever")] = folder
    with subprocess.Popen(["setpriv", "--bounding-set", ",".join(["-all", *capabilities]), "--no-new-privs", LEVER,
                           *command], stderr=subprocess.PIPE, text=True) as recorder:
        time.sleep(4)
        recorder.terminate()
        told = recorder.communicate(timeout=30)[1]
    equal((recorder.returncode, told), (0, ""))
    check("kernel engine" in lever("report", folder).stdout)
    check(report(folder)[0]["sampling"]["samples"] > 20)


@test("the service that answers for it needs no capability, and is hardened")
def _():
    if not shutil.which("systemd-analyze") or not shutil.which("setpriv") or not shutil.which("curl"):
        raise Skip("systemd-analyze, setpriv or curl is missing")
    rated = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", SERVE], check=True,
                           capture_output=True, text=True).stdout
    check(float(re.search(r"exposure level for .*: ([0-9.]+)", rated)[1]) <= 4, rated[-300:])
    with open(SERVE, encoding="utf-8") as file:
        service = file.read()
    equal(re.search(r"^CapabilityBoundingSet=(.*)$", service, re.M)[1], "")
    socket = os.path.join(FOLDER.name, "socket")
    command = re.search(r"^ExecStart=/usr/bin/lever (.*)$", service, re.M)[1].split()
    command = [{"/var/lib/lever": archive_of(), "unix:/run/lever/lever.sock": "unix:" + socket}.get(word, word)
               for word in command]
    with subprocess.Popen(["setpriv", "--bounding-set", "-all", "--inh-caps", "-all", "--no-new-privs", LEVER, *command],
                          stderr=subprocess.PIPE, text=True) as server:
        told = server.stderr.readline()
        if "without its HTTP server" in told:
            raise Skip("built without libmicrohttpd")
        answers = [subprocess.run(["curl", "-s", "-f", "--unix-socket", socket, "http://lever" + path], check=True,
                                  capture_output=True).stdout for path in ("/metrics", "/pprof", "/report?format=json")]
        server.terminate()
    equal(server.returncode, 0)
    check(b'lever_sampled_seconds{class="user"}' in answers[0], answers[0])
    equal(answers[1][:2], bytes([0x1f, 0x8b]))
    equal(json.loads(answers[2])["recorded_ns"], report(archive_of())[0]["recorded_ns"])


main()
