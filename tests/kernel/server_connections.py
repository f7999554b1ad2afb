#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""server_connections - nginx and Redis lose no connection and answer all requests while lever comes, goes and is killed."""
import collections
import contextlib
import os
import resource
import shutil
import signal
import socket
import subprocess
import threading
import time

from kernel import LEVER, RAN, Skip, check, connect, equal, folder, free_port, main, run, test

PATIENCE = 10  # seconds for an answer, pauses included
CLIENTS = 6


def need(*names):
    for name in names:
        if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin"):
            raise Skip(f"{name} is not installed")


@contextlib.contextmanager
def process_of(*command):
    with subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.terminate()


@contextlib.contextmanager
def nginx(port):
    need("nginx")
    with folder() as place:
        os.chmod(place, 0o755)
        for name, text in (("page.txt", "a page\n" * 50), ("conf", f"""
daemon off; pid {place}/pid; error_log {place}/error; worker_processes 2; worker_rlimit_nofile 24000;
events {{ worker_connections 12000; }}
http {{ access_log off; keepalive_requests 100000000; keepalive_timeout 1h;
server {{ listen 127.0.0.1:{port} backlog=4096; root {place}; }} }}""")):
            with open(os.path.join(place, name), "w", encoding="utf-8") as file:
                file.write(text)
        with process_of("nginx", "-c", f"{place}/conf") as server:
            yield server, b"GET /page.txt HTTP/1.1\r\nHost: localhost\r\n\r\n", b"a page\n" * 50


@contextlib.contextmanager
def redis(port):
    need("redis-server")
    with process_of("redis-server", "--port", port, "--save", "", "--maxclients", "11000") as server:
        yield server, b"*1\r\n$4\r\nPING\r\n", b"+PONG\r\n"


def exchange(link, question, answer_end):
    link.sendall(question)
    answer = b""
    while not answer.endswith(answer_end):
        piece = link.recv(65536)
        if not piece:
            raise ConnectionError("the server closed the connection")
        answer += piece


class Load:
    """Half of its clients keep their connection, the others make a new one for each request. Nobody tries anything twice."""

    def __init__(self, port, question, answer_end):
        self.words = port, question, answer_end
        self.counts = collections.Counter()
        self.is_over = False
        self.threads = [threading.Thread(target=self.ask, args=(number % 2,)) for number in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def ask(self, keeps):
        port, question, answer_end = self.words
        link = None
        while not self.is_over:
            try:
                link = link or socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
                exchange(link, question, answer_end)
                self.counts["answered"] += 1
                if not keeps:
                    link.close()
                    link = None
            except OSError as error:
                self.counts[f"{type(error).__name__}: {error}"] += 1
                link = None

    def goes_on(self):
        """More is answered within a second."""
        before = self.counts["answered"]
        time.sleep(1)
        return self.counts["answered"] > before

    def end(self):
        self.is_over = True
        for thread in self.threads:
            thread.join()
        return {what: times for what, times in self.counts.items() if what != "answered"}


def whole_run(*words):
    """From its start to its end; what it said."""
    with folder() as place:
        said = run(LEVER, "run", "-o", os.path.join(place, "test.lever"), *words, "--seconds", "4")
    check(said.returncode in RAN, said)
    return said.stderr


def ended_run(number, *words):
    """Three seconds after its start, when it makes experiments."""
    with folder() as place:
        with subprocess.Popen([LEVER, "run", "-o", os.path.join(place, "test.lever"), *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as at_work:
            time.sleep(3)
            equal(at_work.poll(), None)
            at_work.send_signal(number)
            at_work.wait(20)


def loses_nothing(server_of):
    port = free_port()
    with server_of(port) as (server, question, answer_end):
        connect(port).close()
        load = Load(port, question, answer_end)
        try:
            check(load.goes_on())
            check("accepts connections" in whole_run("--pid", str(server.pid)))
            check(load.goes_on(), "after a run with --pid")
            whole_run("--port", str(port), "--speedups", "0,100")
            check(load.goes_on(), "after a run with --port")
            for number in signal.SIGKILL, signal.SIGINT, signal.SIGKILL:
                ended_run(number, "--port", str(port))
                check(load.goes_on(), f"after signal {number}")
        finally:
            failed = load.end()
        equal(failed, {})
        equal(server.poll(), None)


@test("nginx loses no connection and answers each request while lever comes, goes, is interrupted and killed")
def _():
    loses_nothing(nginx)


@test("Redis likewise")
def _():
    loses_nothing(redis)


def keeps_all(server_of, count):
    port, (soft, hard) = free_port(), resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (count + 2000, max(hard, count + 2000)))
    with server_of(port) as (server, question, answer_end):
        links = [connect(port) for _ in range(count)]
        for link in links:
            link.settimeout(PATIENCE)
        with folder() as place:
            with subprocess.Popen([LEVER, "run", "-o", os.path.join(place, "test.lever"), "--port", str(port)],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as at_work:
                for _ in range(2):
                    for link in links:
                        exchange(link, question, answer_end)
                equal(at_work.poll(), None)
                at_work.kill()
        for link in links:
            exchange(link, question, answer_end)
            link.close()
        equal(server.poll(), None)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@test("10,000 connections to nginx are all answered beside a run, and after it was killed")
def _():
    keeps_all(nginx, 10000)


@test("10,000 connections to Redis likewise")
def _():
    keeps_all(redis, 10000)


main()
