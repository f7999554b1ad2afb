#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""servers - does a configuration change of a real server bring what lever predicted for it?

    tests/accuracy/servers.py LEVER [SERVER...]

For each server: requests per second under a local load, before and after the change, in turns and without lever; then
one profile under each configuration, and `lever diff` of the two, which predicts the gain from the first profile's
curve and from how much less the changed code costs for each request. Needs root and the servers' packages; a server
that is not installed is left out. Prints what docs/servers.md tells, and the rates as JSON.
"""
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

TURNS, TURN_SECONDS = 3, 3
BEFORE_SECONDS, AFTER_SECONDS = 30, 12
PAGE = b"".join(b"%d plain words of the page, as many as it takes\n" % (i * i) for i in range(2000))


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)


class Nginx:
    """Two servers of one worker, which differ in gzip's level."""
    name, change, needs = "nginx, wrk -c 8", "gzip_comp_level 9 → 1", ("nginx", "wrk")

    def __init__(self, place):
        self.place = place
        os.chmod(place, 0o755)
        with open(os.path.join(place, "page.txt"), "wb") as file:
            file.write(PAGE)
        for port, level in ((18081, 9), (18082, 1)):
            with open(f"{place}/{port}.conf", "w", encoding="utf-8") as file:
                file.write(f"daemon on; pid {place}/{port}.pid; error_log {place}/{port}.log; worker_processes 1;\n"
                           "events { worker_connections 512; }\nhttp { access_log off; default_type text/plain; gzip on;\n"
                           f"gzip_types text/plain; gzip_comp_level {level}; keepalive_requests 100000000;\n"
                           f"server {{ listen 127.0.0.1:{port}; root {place}; }} }}\n")
            run("nginx", "-c", f"{place}/{port}.conf")

    def load(self, is_after, seconds):
        return subprocess.Popen(["wrk", "-t1", "-c8", f"-d{seconds}", "-H", "Accept-Encoding: gzip",
                                 f"http://127.0.0.1:{18081 + is_after}/page.txt"], stdout=subprocess.PIPE, text=True)

    def rate(self, is_after):
        said = self.load(is_after, TURN_SECONDS).communicate()[0]
        return float(re.search(r"Requests/sec: *([\d.]+)", said).group(1))

    def options(self, is_after):
        return ["--port", 18081 + is_after, "-g", "function"]

    def close(self):
        for port in (18081, 18082):
            with open(f"{self.place}/{port}.pid", encoding="utf-8") as file:
                os.kill(int(file.read()), signal.SIGTERM)


class Redis:
    """One server, whose fsync is switched; the target is that system call."""
    name, change, needs = "Redis, redis-benchmark -c 20 -t set", "appendfsync always → no", ("redis-server", "redis-benchmark", "redis-cli")

    def __init__(self, place):
        self.process = subprocess.Popen(["redis-server", "--port", "18083", "--save", "", "--appendonly", "yes", "--dir", place],
                                        stdout=subprocess.DEVNULL)
        time.sleep(1)

    def set(self, is_after):
        run("redis-cli", "-p", 18083, "config", "set", "appendfsync", "no" if is_after else "always")

    def load(self, is_after, seconds):
        self.set(is_after)
        return subprocess.Popen(["timeout", str(seconds), "redis-benchmark", "-p", "18083", "-c", "20", "-t", "set", "-r", "10000",
                                 "-d", "100", "-n", "1000000000"], stdout=subprocess.DEVNULL)

    def rate(self, is_after):
        def commands():
            return int(re.search(r"total_commands_processed:(\d+)", run("redis-cli", "-p", 18083, "info", "stats").stdout).group(1))

        load = self.load(is_after, TURN_SECONDS)
        time.sleep(0.5)
        began, first = time.monotonic(), commands()
        time.sleep(TURN_SECONDS - 1)
        rate = (commands() - first) / (time.monotonic() - began)
        load.wait()
        return rate

    def options(self, is_after):
        return ["--port", 18083, "-g", "syscall", "-t", "syscall:fdatasync"]

    def close(self):
        self.process.terminate()
        self.process.wait()


class Postgres:
    """One server, whose commits wait for the log or not; the target is the system call."""
    name, change, needs = "PostgreSQL, pgbench -c 4", "synchronous_commit on → off", ("pgbench", "psql", "su")

    def __init__(self, place):
        self.place = place
        programs = sorted(os.listdir("/usr/lib/postgresql"))[-1]
        self.programs = f"/usr/lib/postgresql/{programs}/bin"
        shutil.chown(place, "postgres")
        self.sh(f"{self.programs}/initdb -D {place}/d -A trust")
        self.sh(f"{self.programs}/pg_ctl -w -D {place}/d -o '-p 18084 -k {place}' -l {place}/log start")
        self.sh(f"pgbench -h {place} -p 18084 -i -s 5 postgres")

    def sh(self, command):
        return run("su", "postgres", "-c", command, cwd="/").stdout

    def set(self, is_after):
        self.sh(f"psql -h {self.place} -p 18084 -c \"alter system set synchronous_commit={'off' if is_after else 'on'}\" "
                "-c 'select pg_reload_conf()' postgres")
        time.sleep(0.3)

    def load(self, is_after, seconds):
        self.set(is_after)
        return subprocess.Popen(["su", "postgres", "-c", f"pgbench -h {self.place} -p 18084 -c 4 -T {seconds} postgres"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd="/")

    def rate(self, is_after):
        said = self.load(is_after, TURN_SECONDS).communicate()[0]
        return float(re.search(r"tps = ([\d.]+)", said).group(1))

    def options(self, is_after):
        return ["--port", 18084, "-g", "syscall", "-t", "syscall:fdatasync"]

    def close(self):
        self.sh(f"{self.programs}/pg_ctl -D {self.place}/d -m fast stop")


SERVERS = {"nginx": Nginx, "redis": Redis, "postgres": Postgres}


def profile(lever, server, is_after, output):
    seconds = AFTER_SECONDS if is_after else BEFORE_SECONDS
    load = server.load(is_after, seconds + 4)
    time.sleep(1)
    said = run(lever, "run", "-o", output, "--fresh", *server.options(is_after), "--seconds", seconds)
    load.communicate()
    return said


def main():
    lever = sys.argv[1]
    for word in sys.argv[2:] or SERVERS:
        kind = SERVERS[word]
        if not all(shutil.which(need) for need in kind.needs):
            print(f"{word} is not installed here", flush=True)
            continue
        with tempfile.TemporaryDirectory(prefix="lever-servers-") as place:
            server = kind(place)
            try:
                rates = [[server.rate(is_after) for is_after in (False, True)] for _ in range(TURNS)]
                gains = [100 * (1 - before / after) for before, after in rates]
                files = [os.path.join(tempfile.gettempdir(), f"lever-{word}-{state}.lever") for state in ("before", "after")]
                for is_after, file in enumerate(files):
                    print(profile(lever, server, bool(is_after), file).stderr, flush=True)
            finally:
                server.close()
        print(run(lever, "report", files[0]).stdout)
        print(run(lever, "diff", *files).stdout)
        print(json.dumps({"server": kind.name, "change": kind.change, "rates": rates, "measured_gain_percent": gains,
                          "mean": statistics.mean(gains), "half": (max(gains) - min(gains)) / 2}), flush=True)


if __name__ == "__main__":
    main()
