#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""requests - requests on accepted connections as progress points, of servers with a known number of them."""
import contextlib
import os
import re
import resource
import signal
import socket
import sqlite3
import subprocess
import sys
import time

from kernel import LEVER, RAN, check, children_of, connect, equal, folder, free_port, lever, main, program, report, test, visits

SAMPLE = ("--speedups", "0")  # only look

# Accepts on each address (a port, udp:PORT, or a Unix socket's path) and answers lines, each in two pieces and with work before.
# A line "ask PORT" is answered after a question to another server. "quit" ends it, without an answer.
SERVER = """
import os, socket, sys, threading
def work():
    return sum(range(20000))
def serve(connection):
    backend = None
    while True:
        line = b''
        while not line.endswith(b'\\n'):
            piece = connection.recv(4096)
            if not piece:
                return
            line += piece
        words = line.split()
        if words[0] == b'quit':
            os._exit(0)
        if words[0] == b'ask':
            backend = backend or socket.create_connection(('127.0.0.1', int(words[1])))
            backend.sendall(b'question\\n')
            backend.recv(4096)
        work()
        if connection.family == socket.AF_INET:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.sendall(b'an')
        connection.sendall(b'swer\\n')
def datagrams(port):
    own = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    own.bind(('127.0.0.1', port))
    while True:
        line, client = own.recvfrom(4096)
        work()
        own.sendto(line, client)
def accept(address):
    if address.startswith('udp:'):
        datagrams(int(address[4:]))
    own = socket.socket(socket.AF_UNIX if '/' in address else socket.AF_INET, socket.SOCK_STREAM)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    own.bind(address if '/' in address else ('127.0.0.1', int(address)))
    own.listen(64)
    while True:
        threading.Thread(target=serve, args=(own.accept()[0],), daemon=True).start()
for address in sys.argv[1:]:
    threading.Thread(target=accept, args=(address,)).start()
"""


def ask(client, times, line=b"question\n", pieces=1):
    for _ in range(times):
        for part in range(pieces):
            client.sendall(line[part * len(line) // pieces:(part + 1) * len(line) // pieces])
            if part + 1 < pieces:
                time.sleep(0.005)
        answer = b""
        while not answer.endswith(b"\n"):
            answer += client.recv(4096)


def quit_server(address):
    with connect(address) as client:
        client.sendall(b"quit\n")


@contextlib.contextmanager
def profiled(*options, addresses, environment=None):
    """The server under lever, as a function that waits for the end: (stderr, JSON report)."""
    with folder() as place:
        output = os.path.join(place, "test.lever")
        command = [LEVER, "run", "-o", output, *options, "--", sys.executable, "-c", SERVER, *map(str, addresses)]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=dict(os.environ, **(environment or {}))) as process:

            def finish():
                said = process.communicate(timeout=60)
                check(process.returncode in RAN, said)
                return said[1], report(output)

            try:
                yield finish
            finally:
                process.kill()


@contextlib.contextmanager
def server(*addresses):
    """The server alone, listening; its process."""
    with subprocess.Popen([sys.executable, "-c", SERVER, *map(str, addresses)], stdin=subprocess.DEVNULL) as process:
        try:
            connect(addresses[0]).close()
            yield process
        finally:
            process.kill()


def count_of_three_connections(environment):
    port = free_port()
    with profiled("-p", f"requests:{port}", *SAMPLE, addresses=[port], environment=environment) as finish:
        with connect(port) as one, connect(port) as two, connect(port) as three:
            ask(one, 100)
            ask(two, 20, pieces=2)
            ask(three, 30)
            ask(one, 7)
        quit_server(port)
        _, told = finish()
        equal(visits(told, f"requests:{port}"), 157)


@test("each request on a port is counted once, however many pieces it and its answer have")
def _():
    count_of_three_connections({})


@test("the same on kernels whose sockets have no tracepoints")
def _():
    count_of_three_connections({"LEVER_ASSUME_OLD_KERNEL": "1"})


@test("ports and Unix sockets are told apart, and what the server asks of others is no request")
def _():
    with folder() as place:
        path, other = os.path.join(place, "one.sock"), os.path.join(place, "two.sock")
        port = free_port()
        backend = free_port(after=port)
        points = [word for address in (port, path, "@none") for word in ("-p", f"requests:{address}")]
        with server(backend):
            with profiled("-p", "requests", *points, *SAMPLE, addresses=[port, path, other]) as finish:
                with connect(port) as one, connect(path) as two, connect(other) as three:
                    time.sleep(1)  # until lever has found the port
                    ask(one, 40)
                    ask(two, 20)
                    ask(three, 10)
                    ask(one, 5, line=b"ask %d\n" % backend)
                quit_server(port)
                _, told = finish()
        equal([visits(told, name) for name in ("requests", f"requests:{port}", f"requests:{path}", "requests:@none")],
              [75, 45, 20, 0])


@test("each answered datagram is a request")
def _():
    port, other = free_port(socket.SOCK_DGRAM), free_port()
    with profiled("-p", f"requests:{port}", *SAMPLE, addresses=[f"udp:{port}", other]) as finish:
        connect(other).close()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
            client.connect(("127.0.0.1", port))
            client.settimeout(5)
            for _ in range(10):  # four are there before the first is answered
                for _ in range(4):
                    client.send(b"question")
                for _ in range(4):
                    client.recv(100)
        quit_server(other)
        _, told = finish()
    equal(visits(told, f"requests:{port}"), 40)


@test("a program that accepts connections is measured by its requests without being asked")
def _():
    port = free_port()
    with server(port) as process, folder() as place:
        output = os.path.join(place, "test.lever")
        with subprocess.Popen([LEVER, "run", "-o", output, "--pid", str(process.pid), "--seconds", "7", *SAMPLE],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as at_work:
            first, second = at_work.stderr.readline(), at_work.stderr.readline()
            with connect(port) as client:
                ask(client, 200)
            said = at_work.communicate(timeout=60)[1]
        check(at_work.returncode in RAN, said)
        check(f"accepts connections (port {port})" in first, first)
        check("waiting for the first request" in second and "start the load" in second, second)
        equal(visits(report(output), "requests"), 200)
        equal(process.poll(), None)


# Naps for each request; its child only does housekeeping, every 3 ms.
NAPPER = """
import os, select, socket, sys, time
if not os.fork():
    while os.getppid() > 1:
        select.select([], [], [], 0.003)
    os._exit(0)
own = socket.socket()
own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
own.bind(('127.0.0.1', int(sys.argv[1])))
own.listen(8)
while True:
    connection = own.accept()[0]
    poll = select.epoll()
    poll.register(connection, select.EPOLLIN)
    while poll.poll() and connection.recv(100):
        time.sleep(0.002)
        connection.sendall(b'answer\\n')
"""


@test("waits for requests and of background processes are no targets, sleeping in a request is one")
def _():
    port = free_port()
    with subprocess.Popen([sys.executable, "-c", NAPPER, str(port)], stdin=subprocess.DEVNULL) as process, folder() as place:
        output = os.path.join(place, "test.lever")
        with connect(port) as client:
            command = [LEVER, "run", "-o", output, "--pid", str(process.pid), "--no-peers", "-g", "syscall", "-p", "requests", "--seconds", "4",
                       *SAMPLE]
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as at_work:
                while at_work.poll() is None:
                    ask(client, 1)
                    time.sleep(0.004)
        process.kill()
        told = report(output)
    times = {target["name"]: target["share"] for target in told["targets"]}
    check(visits(told, "requests") > 100, told["progress"])
    check(times.get("syscall:clock_nanosleep", 0) > 0.6, times)
    check(sum(times.get(f"syscall:{name}", 0) for name in ("epoll_wait", "select", "pselect6", "accept4")) < 0.05, times)
    idle = [line for line in told["warnings"] if "threads that serve requests (1) wait for the next one" in line]
    check(len(idle) == 1 and "add clients" in idle[0], told["warnings"])
    share, p50 = re.search(r"one (\d+) % .* begins ([\d.]+) ms \(p50\)", idle[0]).groups()
    check(50 <= int(share) <= 75 and 1.9 < float(p50) < 3.5, idle)  # it naps for 2 of at least 6 ms


def told_of_client(*words, options=(), server_verb="serve"):
    """What lever says of a server that has this client, and the client's process id."""
    port, loop = free_port(), program("request_loop")
    with subprocess.Popen([loop, server_verb, str(port), "20000"]) as process, folder() as place:
        connect(port).close()
        with subprocess.Popen([loop, words[0], str(port), *words[1:], "60"], stdout=subprocess.DEVNULL) as client:
            said = lever("run", "-o", os.path.join(place, "test.lever"), "--pid", str(process.pid), "--seconds", "3", *options)
            ended = client.poll(), process.poll()
            client.kill()
        process.kill()
    check(said.returncode in RAN, said)
    equal(ended, (None, None))
    return said.stderr, client.pid


@test("a client that waits for answers pauses with the server, unless it shall not")
def _():
    said, pid = told_of_client("ask", "20000")
    check(f"request_loop (process {pid}) waits for the program's messages" in said, said)
    said, pid = told_of_client("ask", "20000", options=["--no-peers"])
    check(f"process {pid}" not in said, said)


@test("the same where the server's answers leave with the end of TCP_CORK")
def _():
    said, pid = told_of_client("ask", "20000", server_verb="cork")
    check(f"request_loop (process {pid}) waits for the program's messages" in said, said)


@test("clients that pause set no pace, and no window is spent on that; those that do not may")
def _():
    for options, client, is_tried in ([], "ask", False), (["--no-peers"], "ask", True), ([], "tick", True):
        port, loop = free_port(), program("request_loop")
        with subprocess.Popen([loop, "serve", str(port), "20000"]) as process, folder() as place:
            connect(port).close()
            output = os.path.join(place, "test.lever")
            with subprocess.Popen([loop, client, str(port), "20000" if client == "ask" else "3000", "60"],
                                  stdout=subprocess.DEVNULL) as asks:
                time.sleep(0.5)
                said = lever("run", "-o", output, "--pid", str(process.pid), "--seconds", "4", *options)
                asks.kill()
            process.kill()
            with sqlite3.connect(output) as profile:
                outside = profile.execute("SELECT count(*) FROM target WHERE kind = 'outside'").fetchone()[0]
        check(said.returncode in RAN, said)
        equal(bool(outside), is_tried, f"{options} {client}: {said}")


@test("a client that asks by the clock is told, and does not pause")
def _():
    said, pid = told_of_client("tick", "3000")
    check(f"request_loop (process {pid}) sends to the program at times of its own" in said, said)


@test("a thread that serves no request pays no pause for a wait that has timed out")
def _():
    port, loop = free_port(), program("request_loop")
    with subprocess.Popen([loop, "tend", str(port), "20000"], stdout=subprocess.PIPE, text=True) as process, folder() as place:
        connect(port).close()
        with subprocess.Popen([loop, "ask", str(port), "20000", "60"], stdout=subprocess.DEVNULL) as client:
            said = lever("run", "-o", os.path.join(place, "test.lever"), "--pid", str(process.pid), "--seconds", "5",
                         "--target", "work", "--granularity", "function", "--speedups", "0,50")
            client.kill()
        process.kill()
        used = float(process.stdout.read().split()[-1])
    check(said.returncode in RAN, said)
    check(used < 0.15, f"it used {used:.2f} s of a core within 5 s")


@test("sleeping between waits for a lock is housekeeping, too")
def _():
    port, loop = free_port(), program("request_loop")
    with subprocess.Popen([loop, "sweep", str(port), "50000"]) as process, folder() as place:
        connect(port).close()
        output = os.path.join(place, "test.lever")
        with subprocess.Popen([loop, "ask", str(port), "20000", "60"], stdout=subprocess.DEVNULL) as client:
            said = lever("run", "-o", output, "--pid", str(process.pid), "--seconds", "4", "-g", "syscall")
            client.kill()
        process.kill()
        told = report(output)
    check(said.returncode in RAN, said)
    times = {target["name"]: target["share"] for target in told["targets"]}
    check(visits(told, "requests") > 100, told["progress"])
    check(times.get("syscall:clock_nanosleep", 0) < 0.1, times)


@test("a wait for a condition is idle after the answer, and a target before it")
def _():
    port, loop = free_port(), program("request_loop")
    with subprocess.Popen([loop, "hand", str(port), "20000"]) as process, folder() as place:
        connect(port).close()
        output = os.path.join(place, "test.lever")
        with subprocess.Popen([loop, "ask", str(port), "10000000", "60"], stdout=subprocess.DEVNULL) as client:  # seldom
            said = lever("run", "-o", output, "--pid", str(process.pid), "--no-peers", "--class", "L", "--seconds", "8", *SAMPLE)
            client.kill()
        process.kill()
        told = report(output)
    check(said.returncode in RAN, said)
    times = {target["name"]: target["share"] for target in told["targets"]}
    check(visits(told, "requests") > 30, told["progress"])
    check(0.2 < times.get("class:L", 0) < 0.75, times)  # as long as the committer's nap; with idle waits nearly all
    # None is told if a wait after the answer does not count as idle; how large it is depends on the machine.
    idle = [line for line in told["warnings"] if "threads that serve requests (2) wait for the next one" in line]
    check(len(idle) == 1 and int(re.search(r"one (\d+) %", idle[0]).group(1)) > 40, told["warnings"])


# Answers on any number of connections. With "fork" a worker does, and each SIGHUP replaces it.
MANY = """
import os, resource, select, signal, socket, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (12000, 12000))
own = socket.socket()
own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
own.bind(('127.0.0.1', int(sys.argv[1])))
own.listen(4096)
def work():
    poll, connections = select.epoll(), {}
    poll.register(own, select.EPOLLIN)
    while True:
        for number, _ in poll.poll():
            if number == own.fileno():
                connection = own.accept()[0]
                connections[connection.fileno()] = connection
                poll.register(connection, select.EPOLLIN)
            elif connections[number].recv(100):
                connections[number].sendall(b'answer\\n')
            else:
                connections.pop(number).close()
if sys.argv[2:] != ['fork']:
    work()
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
worker = 0
while True:
    older, worker = worker, os.fork()
    if not worker:
        work()
    if older:
        os.kill(older, signal.SIGKILL)
        os.waitpid(older, 0)
    signal.sigwait([signal.SIGHUP])
"""


def many(port, *words):
    process = subprocess.Popen([sys.executable, "-c", MANY, str(port), *words], stdin=subprocess.DEVNULL, start_new_session=True)
    connect(port).close()
    return process


@contextlib.contextmanager
def looked_at(process, seconds, *options):
    """A running server under lever, which counts its requests; (stderr, JSON report) are added to the list at the end."""
    end = []
    with folder() as place:
        output = os.path.join(place, "test.lever")
        command = [LEVER, "run", "-o", output, *options, "--seconds", str(seconds), "-p", "requests", *SAMPLE]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as at_work:
            first = at_work.stderr.readline()  # that it waits for the first request
            yield end
            said = first + at_work.communicate(timeout=60)[1]
        check(at_work.returncode in RAN, said)
        end.extend((said, report(output)))
    if process.poll() is None:
        os.killpg(process.pid, 9)
    process.wait()


@test("10,000 connections are counted, and none is lost")
def _():
    port, (soft, hard) = free_port(), resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (12000, max(hard, 12000)))
    process = many(port)
    with looked_at(process, 8, "--port", str(port)) as end:
        clients = [connect(port) for _ in range(10000)]
        for client in clients * 2:
            ask(client, 1)
        equal(process.poll(), None)
    for client in clients:
        client.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    equal(visits(end[1], "requests"), 20000)


@test("a server that replaces its worker is counted on")
def _():
    port = free_port()
    process = many(port, "fork")
    with looked_at(process, 8, "--pid", str(process.pid)) as end:
        for _ in range(3):
            with connect(port) as client:
                ask(client, 50)
            process.send_signal(signal.SIGHUP)
            time.sleep(0.5)
    equal(visits(end[1], "requests"), 150)


def end_of(process):
    os.killpg(process.pid, 9)
    process.wait()


@test("with --port a server that is started anew is counted on, and one that is not ends measuring")
def _():
    port = free_port()
    process = many(port)
    with looked_at(process, 40, "--port", str(port)) as end:
        with connect(port) as client:
            ask(client, 50)
        end_of(process)
        time.sleep(1)
        process = many(port)
        time.sleep(1)  # until lever has found it
        with connect(port) as client:
            ask(client, 30)
        end_of(process)
        began = time.monotonic()
    check(9 < time.monotonic() - began < 20, "it has not ended")
    check(f"(process {process.pid}) listens on the port now" in end[0], end[0])
    check("the server has ended and none has been started on its port" in end[0], end[0])
    equal(visits(end[1], "requests"), 80)


@test("with --pid a server that ends ends measuring, with a sentence")
def _():
    port = free_port()
    process = many(port)
    with looked_at(process, 30, "--pid", str(process.pid)) as end:
        with connect(port) as client:
            ask(client, 50)
        end_of(process)
        began = time.monotonic()
    check(time.monotonic() - began < 10, "it has not ended")
    check("the server has ended, and so has measuring, after" in end[0] and "with --port or --cgroup" in end[0], end[0])
    equal(visits(end[1], "requests"), 50)


# Answers on each connection by a worker of its own. "many": it forks 60 of these while it begins; "once": it listens no
# more once it is connected.
WORKERS = """
import os, signal, socket, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
own = socket.socket()
own.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
own.bind(('127.0.0.1', int(sys.argv[1])))
own.listen(64)
for _ in range(60 if sys.argv[2] == 'many' else 1):
    time.sleep(0.01)
    if sys.argv[2] == 'once' or not os.fork():
        connection = own.accept()[0]
        own.close()
        while connection.recv(100):
            connection.sendall(b'answer\\n')
        os._exit(0)
time.sleep(100)
"""

# Asks for three seconds on a connection, and then on another one, which it waits for.
TWO_CONNECTIONS = """
import socket, sys, time
kept = []
while len(kept) < 2:
    link = socket.socket()
    if link.connect_ex(('127.0.0.1', int(sys.argv[1]))):
        time.sleep(0.05)
        continue
    kept.append(link)
    end = time.monotonic() + 3
    while time.monotonic() < end:
        link.sendall(b'question\\n')
        link.recv(100)
"""


def python(text, *words):
    return subprocess.Popen([sys.executable, "-c", text, *map(str, words)], stdin=subprocess.DEVNULL, start_new_session=True)


@test("a server that is started anew is counted on with the workers that it forks meanwhile")
def _():
    port = free_port()
    process = many(port)
    with looked_at(process, 16, "--port", str(port)) as end:
        with connect(port) as client:
            ask(client, 50)
        end_of(process)
        process = python(WORKERS, port, "many")
        time.sleep(3)
        for _ in range(60):
            with connect(port) as client:
                ask(client, 1)
        end_of(process)
    equal(visits(end[1], "requests"), 110)


@test("a server that takes over the port while the one before lives on belongs to the program, and is no client")
def _():
    port = free_port()
    process = python(WORKERS, port, "once")
    time.sleep(0.5)
    with looked_at(process, 12, "--port", str(port)) as end:
        client = python(TWO_CONNECTIONS, port)
        time.sleep(3.5)
        successor = python(WORKERS, port, "one")
        time.sleep(1)
        workers = children_of(successor.pid)
        equal(client.wait(), 0)
        end_of(successor)
    said = end[0]
    equal(len(workers), 1)
    check(f"(process {successor.pid}) listens on the port now, and belongs to the program" in said, said)
    check(f"(process {client.pid}) waits for the program's messages" in said, said)
    for one in successor.pid, *workers:
        check(f"(process {one}) waits for the program's messages" not in said, said)


@test("a load that ends is told")
def _():
    port = free_port()
    with profiled("-p", "requests", *SAMPLE, addresses=[port]) as finish:
        with connect(port) as client:
            for _ in range(20):
                ask(client, 1)
                time.sleep(0.1)
            time.sleep(12)  # a window may have begun before
        quit_server(port)
        said, _ = finish()
        check("no request has come for 5 s" in said, said)
        check("the load ended after about " in said, said)


@test("a port that nobody listens on, a wrong form, and an engine that cannot are refused with a sentence")
def _():
    port = free_port()
    with server(port) as process:
        said = lever("run", "--pid", str(process.pid), "-p", f"requests:{free_port(after=port)}")
        equal(said.returncode, 2, said.stderr)
        check(f"no process that is profiled listens there (they do on port {port})" in said.stderr, said.stderr)
    said = lever("run", "--port", str(port))
    equal(said.returncode, 2, said.stderr)
    check(f"no process listens on port {port}" in said.stderr, said.stderr)
    for words, sentence in ((("-p", "requests:http"), "not of the form requests:PORT"), (("-p", "requests:70000"), "not of the form"),
                            (("-p", "requests", "-e", "runtime"), "cannot count requests"), (("-l", "requests,main"), "nor can requests")):
        said = lever("run", *words, "--", "true")
        equal(said.returncode, 2, said.stderr)
        check(sentence in said.stderr, said.stderr)


main()
