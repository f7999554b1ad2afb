#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""serve - lever serve: who may ask, from where, and that answers are what lever report writes.

Usage: serve.py PATH-OF-LEVER PATH-OF-test_recording
"""
import calendar
import contextlib
import http.client
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
import tempfile
from datetime import datetime

from check import LEVER, Skip, check, equal, lever, main, test

RECORDER = os.path.abspath(sys.argv[2])
FOLDER = tempfile.TemporaryDirectory()
ARCHIVE = os.path.join(FOLDER.name, "archive")
TIMES = ("20231114T221320Z", "20231114T222320Z")


def profile(name, path=None):
    path = path or os.path.join(FOLDER.name, name + ".lever")
    if not os.path.exists(path):
        subprocess.run([RECORDER, name, path], check=True)
    return path


def archive():
    if not os.path.isdir(ARCHIVE):
        os.mkdir(ARCHIVE)
        for time in TIMES:
            path = profile("server", os.path.join(ARCHIVE, time + ".lever"))
            with contextlib.closing(sqlite3.connect(path)) as file, file:
                file.execute("UPDATE run SET started_s = ?", (calendar.timegm(datetime.strptime(time, "%Y%m%dT%H%M%SZ").timetuple()),))
    return ARCHIVE


class UnixConnection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self.host)


class Server:
    def __init__(self, told):
        found = re.search(r"served at (?:http://([^/ ]+)(?:/\?token=(\w+))?|unix:(\S+?));", told)
        check(found, told)
        self.host, self.token, self.path = found.groups()

    def ask(self, path, token=None, method="GET", **headers):
        """(status, type, content)"""
        connection = UnixConnection(self.path) if self.path else http.client.HTTPConnection(self.host, timeout=20)
        token = token if token is not None else self.token
        if token:
            headers["Authorization"] = "Bearer " + token
        connection.request(method, path, headers=headers)
        response = connection.getresponse()
        return response.status, response.getheader("Content-Type"), response.read()


@contextlib.contextmanager
def serving(*words):
    with subprocess.Popen([LEVER, "serve", *words], stderr=subprocess.PIPE, text=True) as process:
        told = process.stderr.readline()
        if "without its HTTP server" in told:
            process.wait()
            raise Skip("built without libmicrohttpd")
        try:
            yield Server(told)
        finally:
            process.send_signal(signal.SIGTERM)
            equal(process.wait(timeout=20), 0)


@test("each format has the bytes that lever report writes")
def _():
    for name, forms in (("pipeline", ("json", "text", "csv", "coz", "lsp", "prometheus")),
                        ("server", ("json", "folded", "pprof", "speedscope", "callgrind", "otlp", "prometheus"))):
        with serving(profile(name)) as server:
            for form in forms:
                written = subprocess.run([LEVER, "report", profile(name), "--format", form], capture_output=True, check=True)
                equal(server.ask("/report?format=" + form)[::2], (200, written.stdout), form)


@test("requests without the token, or with another one, are refused")
def _():
    with serving(profile("pipeline")) as server:
        for token in ("", "0" * 32, server.token + "0", server.token[:-1]):
            for path in ("/", "/metrics", "/report?format=json", "/nowhere", "/?token=" + token):
                status, _, content = server.ask(path, token)
                equal(status, 401, (token, path))
                check(b"token" in content and b"main" not in content, content)
        equal(server.ask("/metrics?token=" + server.token, "")[0], 200)


@test("a socket in the file system is for its group, needs no token, and goes with the server")
def _():
    path = os.path.join(FOLDER.name, "socket")
    with serving(profile("server"), "--listen", "unix:" + path) as server:
        equal(stat.S_IMODE(os.stat(path).st_mode), 0o660)
        equal(server.ask("/report?format=json")[0], 200)
    check(not os.path.exists(path))


@test("a socket whose server is gone is taken over; another's, or a file, is not")
def _():
    path = os.path.join(FOLDER.name, "left")
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(path)
    with serving(profile("server"), "--listen", "unix:" + path):
        second = lever("serve", profile("server"), "--listen", "unix:" + path)
        equal(second.returncode, 1)
        check("another server listens there" in second.stderr, second.stderr)
    with open(path, "w", encoding="ascii"):
        pass
    for where, reason in (("unix:" + path, "is no socket"), ("unix:/nowhere/socket", "its folder does not exist")):
        result = lever("serve", profile("server"), "--listen", where)
        equal((result.returncode, result.stdout), (1, ""))
        check(reason in result.stderr, result.stderr)


@test("a port of another program is refused, with the remedy")
def _():
    with socket.create_server(("127.0.0.1", 0)) as other:
        result = lever("serve", profile("server"), "--listen", f"127.0.0.1:{other.getsockname()[1]}")
    equal((result.returncode, result.stdout), (1, ""))
    check("another program listens there; choose another port" in result.stderr, result.stderr)


@test("addresses that other machines reach are refused, with the remedy")
def _():
    for address in ("0.0.0.0:8080", "[::]:8080", "192.168.1.1:80", "example.com:80"):
        result = lever("serve", profile("server"), "--listen", address)
        equal((result.returncode, result.stdout), (2, ""), address)
        check("refusing to listen" in result.stderr and "127.0.0.1" in result.stderr, result.stderr)
    for address in ("port", "127.0.0.1:99999", "", "unix:"):
        equal(lever("serve", profile("server"), "--listen", address).returncode, 2, address)


@test("the token may stand in a file, if it is long enough")
def _():
    path = os.path.join(FOLDER.name, "token")
    for text, works in (("short\n", False), ("0123456789abcdef\nrest", True)):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        if not works:
            result = lever("serve", profile("server"), "--token-file", path)
            equal(result.returncode, 1)
            check("openssl rand" in result.stderr, result.stderr)
            continue
        with serving(profile("server"), "--token-file", path) as server:
            equal(server.token, None)
            equal(server.ask("/metrics", "0123456789abcdef")[0], 200)
            equal(server.ask("/metrics", "0123456789abcdeg")[0], 401)


@test("a time of a folder is what was recorded then")
def _():
    with serving(archive()) as server:
        whole = json.loads(server.ask("/report?format=json")[2])
        part = json.loads(server.ask("/report?format=json&from=2023-11-14T22:13:20Z&to=2023-11-14T22:15Z")[2])
        equal(whole["recorded_ns"], 2 * part["recorded_ns"])
        pprof = server.ask("/debug/pprof/profile?from=2023-11-14T22:13:20Z&to=2023-11-14T22:15Z")
        equal(pprof[:2], (200, "application/octet-stream"))
        status, _, sentence = server.ask("/pprof?from=1999-01-01T00:00Z&to=1999-01-02T00:00Z")
        equal(status, 503)
        check(b"no recording of that time" in sentence, sentence)
        equal(server.ask("/pprof?from=noon")[0], 400)


@test("metrics are Prometheus' text format, with the last complete recording's time by class, and the folder's size")
def _():
    with serving(archive()) as server:
        status, kind, content = server.ask("/metrics")
    equal((status, kind), (200, "text/plain; version=0.0.4; charset=utf-8"))
    text = content.decode()
    if shutil.which("promtool"):
        result = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
        equal((result.returncode, result.stderr), (0, ""))
    values, helped = {}, set()
    for line in text.splitlines():
        if line.startswith("#"):
            helped.add(line.split()[2])
            continue
        found = re.fullmatch(r"([a-z_]+)(\{(?:[a-z_]+=\"(?:[^\"\\]|\\.)*\",?)+\})? (\S+)", line)
        check(found and found.group(1) in helped, line)
        values[found.group(1) + (found.group(2) or "")] = float(found.group(3))
    equal(values["lever_archive_recordings"], 2)
    equal(values["lever_archive_bytes"], sum(os.path.getsize(os.path.join(ARCHIVE, name)) for name in os.listdir(ARCHIVE)))
    report = json.loads(lever("report", "--format", "json", profile("server")).stdout)
    locks = sum(entry["weight_ns"] for entry in report["entries"] if entry["class"] == "L")
    equal(values['lever_sampled_seconds{class="L"}'], locks / 1e9)


@test("what does not exist, or cannot be, has an answer of one sentence")
def _():
    with serving(profile("pipeline")) as server:
        for path, status in (("/nowhere", 404), ("/report", 400), ("/report?format=word", 400), ("/pprof", 503)):
            found = server.ask(path)
            equal((found[0], found[2].count(b"\n")), (status, 1), path)
        equal(server.ask("/stop", method="POST")[0], 404)
        equal(server.ask("/", method="DELETE")[0], 405)


@test("a profile that is not there, or is none, is told at the start")
def _():
    result = lever("serve", __file__)
    equal((result.returncode, result.stdout), (1, ""))
    check("is not a Lever profile" in result.stderr, result.stderr)
    result = lever("serve", "/nowhere.lever")
    equal((result.returncode, result.stdout), (1, ""))
    check("/nowhere.lever" in result.stderr, result.stderr)


main()
