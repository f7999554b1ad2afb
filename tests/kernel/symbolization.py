#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""symbolization - names of sampled code, with complete, partial and no debug information."""
import contextlib
import ctypes.util
import http.server
import os
import re
import shutil
import socket
import subprocess
import threading
import time
import urllib.request

from kernel import Skip, check, equal, folder, lever, main, profile_of, program, run, shares, test, visits

UNITS = "4000"
LATE_UNITS = "40000"  # a binary counts from when it has been read


@test("lines are named by file and line, with their function, object and build id")
def _():
    _, told = profile_of("-g", "line", "--", program("exits"), "plain", UNITS)
    best = told["targets"][0]
    check(re.fullmatch(r"unit\.h:\d+", best["name"]), best)
    equal((best["kind"], best["function"], best["object"]), ("line", "unit", program("exits")))
    check(best["file"].endswith("/programs/unit.h"), best)
    check(re.fullmatch("[0-9a-f]{40}", best["build_id"] or ""), best)


@test("--granularity function names functions")
def _():
    _, told = profile_of("-g", "function", "--", program("exits"), "plain", UNITS)
    check(shares(told).get("unit", 0) > 0.8, shares(told))
    equal({target["kind"] for target in told["targets"]}, {"function"})


@test("without debug information, functions are targets, points and names")
def _():
    for words in (("-g", "function"), ("-g", "function", "-t", "unit", "-p", "unit")):
        _, told = profile_of(*words, "--", program("exits-no-debug"), "plain", UNITS)
        check(shares(told).get("unit", 0) > 0.8, f"{words}: {shares(told)}")
        equal(visits(told, "unit" if "-p" in words else "units"), int(UNITS))


@test("without debug information, lines are replaced by functions")
def _():
    _, told = profile_of("-g", "line", "--", program("exits-no-debug"), "plain", UNITS)
    check(shares(told).get("unit", 0) > 0.8, shares(told))


@test("a stripped program's code is named by its file and an offset")
def _():
    _, told = profile_of("-g", "line", "--", program("exits-stripped"), "plain", UNITS)
    equal(visits(told, "units"), int(UNITS))
    check(told["targets"], "no target")
    for target in told["targets"]:
        is_call = target["file"] and ".so" in target["file"]
        check(is_call or re.fullmatch(r"exits-stripped\+0x[0-9a-f]+", target["name"]), target)
    check(sum(shares(told).values()) > 0.5, shares(told))


@test("what a stripped program calls in a library is named by the library's function")
def _():
    path = shutil.which("bzip2")
    if not path or "libbz2" not in run("ldd", path).stdout:
        raise Skip("bzip2 is not here, or has its library inside")
    with folder() as place:
        page = os.path.join(place, "page")
        with open(page, "wb") as file:
            file.write(os.urandom(3000000))
        _, told = profile_of("-g", "function", "--", path, "-k", page)
    best = told["targets"][0]
    equal((best["name"], best["function"], best["object"]), ("BZ2_bzWrite", "BZ2_bzWrite", path))
    check("libbz2" in best["file"] and best["share"] > 0.5, best)


@test("a program that was started through a link has the link's name")
def _():
    with folder() as place:
        link = os.path.join(place, "another-name")
        os.symlink(program("exits-stripped"), link)
        _, told = profile_of("--", link, "plain", UNITS)
    check(any(target["name"].startswith("another-name+0x") for target in told["targets"]), shares(told))


class Server(http.server.SimpleHTTPRequestHandler):
    """A debuginfod server of one file, under /buildid/ID/debuginfo, that keeps the requests."""
    file, asked = None, []

    def do_GET(self):
        self.asked.append(self.path)
        if self.path != f"/buildid/{self.file[0]}/debuginfo":
            self.send_error(404)
            return
        with open(self.file[1], "rb") as file:
            content = file.read()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


@test("debug information is fetched from servers, of programs and of the kernel")
def _():
    if not ctypes.util.find_library("debuginfod"):
        raise Skip("libdebuginfod1 is not installed")
    with folder() as place:
        copy, debug = os.path.join(place, "far"), os.path.join(place, "far.debug")
        for words in (["objcopy", "--only-keep-debug", program("exits"), debug], ["objcopy", "--strip-debug", program("exits"), copy]):
            equal(run(*words).returncode, 0)
        build_id = re.search("Build ID: ([0-9a-f]+)", run("readelf", "-n", copy).stdout).group(1)
        Server.file = (build_id, debug)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            environment = dict(os.environ, DEBUGINFOD_URLS=f"http://127.0.0.1:{server.server_port}/",
                               DEBUGINFOD_CACHE_PATH=os.path.join(place, "cache"), HOME=place)
            said, told = profile_of("--kernel", "--", copy, "plain", UNITS, env=environment)
            server.shutdown()
        check(any(re.fullmatch(r"unit\.h:\d+", name) for name in shares(told)), (shares(told), Server.asked, said.stderr))
        if os.path.exists(f"/usr/lib/debug/boot/vmlinux-{os.uname().release}"):
            return
        with open("/sys/kernel/notes", "rb") as file:
            notes = file.read().hex()
        if b"GNU".hex() not in notes:
            return  # it does not tell its build id
        asked = [path.split("/")[2] for path in Server.asked if path.startswith("/buildid/")]
        check(any(one != build_id and one in notes for one in asked), Server.asked)


@test("a server that never answers costs its time once, and is told")
def _():
    if not ctypes.util.find_library("debuginfod"):
        raise Skip("libdebuginfod1 is not installed")
    with folder() as place, socket.create_server(("127.0.0.1", 0)) as silent:
        copies = [os.path.join(place, name) for name in ("far", "away")]
        for copy in copies:
            equal(run("objcopy", "--strip-debug", program("exits"), copy).returncode, 0)
        environment = dict(os.environ, DEBUGINFOD_URLS=f"http://127.0.0.1:{silent.getsockname()[1]}/", DEBUGINFOD_TIMEOUT="3",
                           DEBUGINFOD_CACHE_PATH=os.path.join(place, "cache"), HOME=place)
        begin = time.monotonic()
        said = lever("record", "-o", os.path.join(place, "x.lever"), "--", "sh", "-c",
                     f"{copies[0]} plain 20; {copies[1]} plain 20; {copies[0]} plain 20", env=environment)
        equal(said.returncode, 0, said.stderr)
        equal(said.stderr.count("no server of DEBUGINFOD_URLS answers"), 1, said.stderr)
        check(time.monotonic() - begin < 30, said.stderr)


@test("elfutils' own server has the lines, and the fetch is told; without DEBUGINFOD_URLS nothing is asked")
def _():
    if not shutil.which("debuginfod") or not ctypes.util.find_library("debuginfod"):
        raise Skip("debuginfod is not installed (Debian: apt-get install debuginfod)")
    with folder() as place:
        copy, served = os.path.join(place, "far"), os.path.join(place, "served")
        os.mkdir(served)
        for words in (["objcopy", "--only-keep-debug", program("exits"), os.path.join(served, "far.debug")],
                      ["objcopy", "--strip-debug", program("exits"), copy]):
            equal(run(*words).returncode, 0)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        environment = dict(os.environ, DEBUGINFOD_CACHE_PATH=os.path.join(place, "cache"), HOME=place)
        environment.pop("DEBUGINFOD_URLS", None)
        with open(os.path.join(place, "log"), "w+b") as log, \
                subprocess.Popen(["debuginfod", "-d", ":memory:", "-p", str(port), "-F", served], stdout=log,
                                 stderr=subprocess.STDOUT, env=environment) as server:
            try:
                _, alone = profile_of("--", copy, "plain", UNITS, env=environment)
                check(not any(re.fullmatch(r"unit\.h:\d+", name) for name in shares(alone)), shares(alone))
                url = f"http://127.0.0.1:{port}/"
                for _try in range(100):  # until it has found the file
                    with contextlib.suppress(OSError):
                        metrics = urllib.request.urlopen(url + "metrics", timeout=5).read().decode()
                        if re.search(r"^groom\{statistic=\"debuginfo\S* [1-9]|scanned_files_total\S* [1-9]", metrics, re.M):
                            break
                    time.sleep(0.1)
                time.sleep(1)
                said, told = profile_of("--", copy, "plain", UNITS, env=dict(environment, DEBUGINFOD_URLS=url))
            finally:
                server.terminate()
        check(any(re.fullmatch(r"unit\.h:\d+", name) for name in shares(told)), (shares(told), said.stderr))
        check(f"for debug information of {copy}\n" in said.stderr, said.stderr)


@test("code made at run time is named by its perf map")
def _():
    _, told = profile_of("--scope", "bin:*", "--progress", "called", "--", program("jit"), "10000")
    equal(visits(told, "called"), 10000)
    check(shares(told).get("made_at_run_time", 0) > 0.5, shares(told))


@test("code made at run time that no map tells is one place, and a warning says so")
def _():
    _, told = profile_of("--progress", "called", "--", program("jit"), "30000", "untold")
    equal(visits(told, "called"), 30000)
    check(shares(told).get("JIT code", 0) > 0.5, shares(told))
    check(any("no jitdump or perf map tells its functions" in warning for warning in told["warnings"]), told["warnings"])


@test("the kernel's own library is no code that the program made, and its time is its caller's")
def _():
    for engine in ("kernel", "runtime"):
        _, told = profile_of("-g", "function", "--engine", engine, "--speedups", "0,50", "--", program("clock"), "60000")
        check(shares(told).get("look_at_clock", 0) > 0.8 and "JIT code" not in shares(told), (engine, shares(told)))


@test("a library that is loaded later is profiled, and can be the whole scope")
def _():
    _, told = profile_of("--scope", "bin:libplug*", "--", program("loads"), program("libplugin.so"),
                         LATE_UNITS)
    equal(visits(told, "units"), int(LATE_UNITS))
    equal(set(shares(told, "object")), {program("libplugin.so")})
    check(shares(told, "function").get("unit", 0) > 0.1, shares(told, "function"))


@test("a function that is asked for is found in a library, too, and nothing else is a target")
def _():
    _, told = profile_of("-g", "function", "--scope", "func:unit", "--", program("loads"),
                         program("libplugin.so"), LATE_UNITS)
    equal(visits(told, "units"), int(LATE_UNITS))
    equal({(target["name"], target["object"]) for target in told["targets"]},
          {("unit", program("libplugin.so"))})


@test("a pattern of --target has each function that matches as a target, and no other")
def _():
    _, told = profile_of("--target", "u?it*", "--", program("exits"), "plain", UNITS)
    equal([target["name"] for target in told["targets"]], ["unit"])
    check(shares(told)["unit"] > 0.5, shares(told))
    said = lever("run", "--target", "uniit*", "--", program("exits"), "plain", "1")
    equal(said.returncode, 2)
    check("'uniit*'; nearest: unit" in said.stderr, said.stderr)


@test("excluded code is no target, and its time goes to its caller")
def _():
    _, told = profile_of("-g", "function", "--exclude", "func:unit", "--", program("exits"), "plain",
                         UNITS)
    check("unit" not in shares(told), shares(told))
    check(sum(shares(told).values()) > 0.5, shares(told))


main()
