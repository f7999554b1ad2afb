#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""hosts_programs - Redis, haproxy and Python on hosts of their own (namespaces.py): what a faster process of one of them would bring.

Gains are compared with runs in which Redis has half of the work, or hardly any.
"""
import contextlib
import os
import shutil
import subprocess
import time

from kernel import LEVER, RAN, Skip, check, folder, main, program, report, run, test
import namespaces
from namespaces import ADDRESSES, NAMES, inside, several_hosts

DELAY_US = 200
SECONDS = 12

# A page for each request, with what the store says.
WEB = """
import http.server, socket, sys, threading
own = threading.local()
class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    wbufsize = 65536
    def do_GET(self):
        store = own.store = getattr(own, 'store', None) or socket.create_connection((sys.argv[2], 6379))
        store.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        store.sendall(self.path[1:].encode().replace(b'~', b'\\r\\n').replace(b'_', b' '))
        store.recv(100)
        text = ''.join(str(i) for i in range(4000)).encode() + b'END'
        self.send_response(200)
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)
        self.wfile.flush()
    def log_message(self, *unused):
        pass
http.server.ThreadingHTTPServer((sys.argv[1], 8000), Page).serve_forever()
"""
PROXY = """
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend all
  bind {own}:8080
  default_backend web
backend web
  server web {web}:8000
"""


def evaluated(loops, line="\\r\\n", space=" "):
    """A command of Redis: a loop in Lua."""
    script = f"for i=1,{int(loops)} do end return 1".replace(" ", space)
    return line.join(["*3", "$4", "EVAL", f"${len(script)}", script, "$1", "0", ""])


def need(*names):
    missing = [name for name in names if not shutil.which(name)]
    if missing:
        raise Skip(f"{missing} not installed")


def redis(host):
    return ["redis-server", "--port", "6379", "--bind", ADDRESSES[host], "--save", "", "--appendonly", "no", "--protected-mode", "no"]


class Job:
    """What each host runs, as the words of one command each; the first is the client."""

    def __init__(self, place, *commands):
        self.place = place
        self.commands = commands

    def script(self, works, seconds):
        path = os.path.join(self.place, "job")
        lines = ["#!/bin/sh", "exec 2>/dev/null", "case $LEVER_HOST_INDEX in"]
        for host, command in enumerate(self.commands):
            words = " ".join("'" + word.replace("'", "'\\''") + "'" for word in command(works, seconds))
            lines.append(f"{host}) exec {words} {'' if host == 0 else '>/dev/null'};;")
        with open(path, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o755)) as file:
            file.write("\n".join([*lines, "esac", ""]))
        return path

    @contextlib.contextmanager
    def servers(self):
        started = [subprocess.Popen(inside(host, *command((1, 1), 1)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                   for host, command in enumerate(self.commands) if host]
        try:
            time.sleep(0.5)
            yield
        finally:
            for one in started:
                one.kill()
                one.wait()

    def bare(self, works):
        """Requests a second without lever."""
        said = run(*inside(0, *self.commands[0](works, 1)))
        return float(said.stdout.split()[0])


def truths(job, index, works):
    """Gains of half and all of the work at `index` less, in points: of each the least disturbed of four runs, in turn."""
    rates = [0, 0, 0]
    with job.servers():
        for _ in range(4):
            for at, left in enumerate((1, 0.5, 0)):
                less = [work * left if i == index else work for i, work in enumerate(works)]
                rates[at] = max(rates[at], job.bare(less))
    return [100 * (1 - rates[0] / rate) for rate in rates[1:]]


def told_of(job, name, works):
    output = os.path.join(job.place, "job.lever")
    others = ",".join(f"{NAMES[i]}={ADDRESSES[i]}" for i in range(1, len(job.commands)))
    said = run(*inside(0, LEVER, "run", "--fresh", "--output", output, "--progress", "request", "--target", name, "--speedups", "50,100",
                       "--hosts", others, "--launch", "ip netns exec %h", "--", job.script(works, SECONDS)))
    check(said.returncode in RAN, said.stderr)
    target, = [one for one in report(output)["targets"] if one["name"] == name and one["effects"]]
    points = {round(one["speedup"], 2): one for one in target["effects"][0]["points"]}
    return [tuple(100 * points[at][key] for key in ("program_speedup", "low", "high")) for at in (0.5, 1.0)]


def compare(job, name, index, works):
    namespaces.compare(name, lambda: truths(job, index, works), lambda: told_of(job, name, works))


@test("the slower of two shards, both asked at once, gains until the other one is the slower")
def _():
    need("redis-server")
    with several_hosts(3, DELAY_US), folder() as place:
        job = Job(place,
                  lambda works, seconds: [program("asks"), str(seconds), ":1\\r\\n", ADDRESSES[1], "6379", evaluated(works[0]),
                                          ADDRESSES[2], "6379", evaluated(works[1])],
                  lambda works, seconds: redis(1), lambda works, seconds: redis(2))
        compare(job, f"process:redis-server@{NAMES[2]}", 1, (400000, 700000))


@test("a database behind a web server behind a proxy gains what a page takes less")
def _():
    need("redis-server", "haproxy", "python3")
    with several_hosts(4, DELAY_US), folder() as place:
        web, proxy = os.path.join(place, "web.py"), os.path.join(place, "proxy.cfg")
        with open(web, "w", encoding="utf-8") as file:
            file.write(WEB)
        with open(proxy, "w", encoding="utf-8") as file:
            file.write(PROXY.format(own=ADDRESSES[1], web=ADDRESSES[2]))
        job = Job(place,
                  lambda works, seconds: [program("asks"), str(seconds), "END", ADDRESSES[1], "8080",
                                          f"GET /{evaluated(works[0], '~', '_')} HTTP/1.1\\r\\nHost: web\\r\\n\\r\\n"],
                  lambda works, seconds: ["haproxy", "-f", proxy], lambda works, seconds: ["python3", web, ADDRESSES[2], ADDRESSES[3]],
                  lambda works, seconds: redis(3))
        compare(job, f"process:redis-server@{NAMES[3]}", 0, (700000,))


if __name__ == "__main__":
    main()
