# SPDX-License-Identifier: BSD-2-Clause
"""server_programs - real servers in two configurations, each with a local load, for servers.py.

State 0 is the first configuration, state 1 the changed one. Each state is a server of its own, with a port and a folder
of its own; one without load takes no time. A place is found again by later processes by its name.
State 0 runs with leave_out/leave_out.c, which leaves out a percentage of `calls`, 0 at first.
"""
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

PAGE = b"".join(b"%d plain words of the page, as many as it takes\n" % (i * i) for i in range(2000))


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)


def is_listening(port, kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as probe:
        return not probe.connect_ex(("127.0.0.1", port))


class Server:
    name = change = target = ""
    needs = ()
    removed = True    # the change takes the target away
    calls = ""        # that it takes away, as leave_out.c names them
    first_port = 0
    load_words = []   # with {port} and {seconds}
    pattern = r"^$"   # of the rate in what the load prints

    @classmethod
    def is_installed(cls):
        return all(shutil.which(need, path=os.environ["PATH"] + ":/usr/sbin:/sbin") for need in cls.needs)

    def place(self, state):
        return os.path.join(tempfile.gettempdir(), f"lever-servers-{type(self).__name__.lower()}-{state}")

    def file(self, state):
        """Of a profile."""
        return self.place(state) + ".lever"

    def port(self, state):
        return self.first_port + state

    def pid(self, state):
        with open(os.path.join(self.place(state), "pid"), encoding="utf-8") as file:
            return int(file.read())

    def command(self, state):
        raise NotImplementedError

    def prepare(self, state):
        pass

    def launch(self, state):
        """What a command cannot start."""

    def fill(self, state):
        pass

    def leave_out(self, percent):
        with open(os.path.join(self.place(0), "percent"), "r+b") as file:
            file.write(struct.pack("i", percent))

    def set_environment(self, state):
        """For what is started now."""
        library, percent = os.path.join(self.place(0), "leave_out.so"), os.path.join(self.place(0), "percent")
        for name in ("LD_PRELOAD", "LEAVE_OUT", "LEAVE_OUT_FILE"):
            os.environ.pop(name, None)
        if state or not self.calls:
            return
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "leave_out", "leave_out.c")
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
        self.write(0, "percent", struct.pack("i", 0))
        os.environ.update(LD_PRELOAD=library, LEAVE_OUT=f" {self.calls} ", LEAVE_OUT_FILE=percent)

    def start(self):
        for state in (0, 1):
            self.set_environment(1)
            shutil.rmtree(self.place(state), ignore_errors=True)
            os.makedirs(self.place(state))
            os.chmod(self.place(state), 0o755)
            self.prepare(state)
            self.set_environment(state)
            self.launch(state)
            with open(os.path.join(self.place(state), "log"), "w", encoding="utf-8") as log:
                process = subprocess.Popen([str(word) for word in self.command(state)], stdout=log, stderr=log,
                                           stdin=subprocess.DEVNULL, cwd="/", start_new_session=True)
            self.write(state, "pid", process.pid)
            for _ in range(300):
                if is_listening(self.port(state)):
                    break
                time.sleep(0.1)
            self.set_environment(1)
            self.fill(state)

    def stop(self):
        for state in (0, 1):
            try:
                os.kill(self.pid(state), signal.SIGTERM)
            except (OSError, ValueError):
                pass
        time.sleep(2)
        for state in (0, 1):
            shutil.rmtree(self.place(state), ignore_errors=True)

    def write(self, state, name, text):
        with open(os.path.join(self.place(state), name), "wb") as file:
            file.write(text if isinstance(text, bytes) else str(text).encode())

    def load(self, state, seconds):
        words = [str(word).format(port=self.port(state), seconds=seconds, place=self.place(state)) for word in self.load_words]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd="/",
                                start_new_session=True)

    def end(self, load):
        os.killpg(load.pid, signal.SIGTERM)
        load.communicate()

    def rate(self, state, seconds):
        return float(re.search(self.pattern, self.load(state, seconds).communicate()[0]).group(1))


class Nginx(Server):
    name, change, target = "nginx, page of 100 kB, wrk -c 8", "gzip_comp_level 9 → 1", "deflate|nginx\\+"
    needs, first_port, removed = ("nginx", "wrk"), 18100, False
    load_words = ["wrk", "-t1", "-c8", "-d{seconds}", "-H", "Accept-Encoding: gzip", "http://127.0.0.1:{port}/page.txt"]
    pattern = r"Requests/sec: *([\d.]+)"
    extra = ("gzip_comp_level 9;", "gzip_comp_level 1;")

    def prepare(self, state):
        self.write(state, "page.txt", PAGE)
        place = self.place(state)
        self.write(state, "conf", f"daemon off; pid {place}/nginx.pid; error_log {place}/error; worker_processes 1;\n"
                   "events { worker_connections 512; }\nhttp { access_log off; default_type text/plain; gzip on;\n"
                   f"gzip_types text/plain; keepalive_requests 100000000; {self.extra[state]}\n"
                   f"server {{ listen 127.0.0.1:{self.port(state)}; root {place}; }} }}\n")

    def command(self, state):
        return ["nginx", "-c", f"{self.place(state)}/conf"]


class Redis(Server):
    name, change, target = "Redis, redis-benchmark -c 20 -t set", "appendfsync always → no", "fdatasync|flushAppendOnlyFile"
    needs, first_port = ("redis-server", "redis-benchmark", "redis-cli"), 18110
    load_words = ["timeout", "{seconds}", "redis-benchmark", "-p", "{port}", "-c", "20", "-t", "set", "-r", "10000", "-d", "100",
                  "-n", "1000000000"]
    policies = ("always", "no")
    calls = "fdatasync"

    def command(self, state):
        return ["redis-server", "--port", self.port(state), "--save", "", "--appendonly", "yes", "--appendfsync",
                self.policies[state], "--auto-aof-rewrite-percentage", "0", "--dir", self.place(state)]

    def commands(self, state):
        said = run("redis-cli", "-p", self.port(state), "info", "stats").stdout
        return int(re.search(r"total_commands_processed:(\d+)", said).group(1))

    def rate(self, state, seconds):
        load = self.load(state, seconds)
        time.sleep(0.5)
        began, first = time.monotonic(), self.commands(state)
        time.sleep(seconds - 1)
        rate = (self.commands(state) - first) / (time.monotonic() - began)
        load.wait()
        return rate


class RedisNull(Redis):
    """The fdatasync of a second thread, once a second, keeps no command waiting."""
    name, change = "Redis, redis-benchmark -c 20 -t set (null)", "appendfsync everysec → no"
    target, first_port, policies, calls = "fdatasync|fsync", 18112, ("everysec", "no"), ""


class Postgres(Server):
    name, change, target = "PostgreSQL, pgbench -c 4", "synchronous_commit on → off", "fdatasync|issue_xlog_fsync|XLogFlush"
    needs, first_port = ("pgbench", "psql", "su"), 18120
    load_words = ["su", "postgres", "-c", "pgbench -n -h 127.0.0.1 -p {port} -c 4 -T {seconds} postgres"]
    pattern = r"tps = ([\d.]+)"
    extra = ("synchronous_commit=on", "synchronous_commit=off")
    calls = "fdatasync"

    @property
    def programs(self):
        return f"/usr/lib/postgresql/{sorted(os.listdir('/usr/lib/postgresql'))[-1]}/bin"

    def sh(self, command):
        return run("su", "postgres", "-c", command, cwd="/")

    def prepare(self, state):
        shutil.chown(self.place(state), "postgres")
        self.sh(f"{self.programs}/initdb -D {self.place(state)}/d -A trust")

    def launch(self, state):
        self.sh(f"{self.programs}/pg_ctl -w -D {self.place(state)}/d -o '-p {self.port(state)} -k {self.place(state)} "
                f"-c {self.extra[state]}' -l {self.place(state)}/server.log start")

    def command(self, state):
        return ["true"]

    def fill(self, state):
        self.sh(f"pgbench -h 127.0.0.1 -p {self.port(state)} -i -s 5 postgres")

    def pid(self, state):
        with open(os.path.join(self.place(state), "d/postmaster.pid"), encoding="utf-8") as file:
            return int(file.readline())


class PostgresFsync(Postgres):
    """Commits write the log as before; only the call that waits for the disk goes."""
    change, target, first_port = "fsync on → off", "fdatasync", 18124
    extra = ("fsync=on", "fsync=off")


class PostgresNull(Postgres):
    name, change, target = "PostgreSQL, pgbench -S -c 4 (null)", "log_min_duration_statement -1 → 10 s", "fdatasync|log"
    extra = ("log_min_duration_statement=-1", "log_min_duration_statement=10000")
    first_port, calls = 18122, ""
    load_words = ["su", "postgres", "-c", "pgbench -n -S -h 127.0.0.1 -p {port} -c 4 -T {seconds} postgres"]


class MariaDB(Server):
    """The changed one also writes its log through the page cache, not with O_DIRECT."""
    name, change = "MariaDB, sysbench oltp_update_non_index, 4 threads", "innodb_flush_log_at_trx_commit 1 → 2"
    target = r"class:I$|log_write_up_to|ha_commit_trans"
    calls = "fdatasync pwrite64"
    needs, first_port = ("mariadbd", "sysbench", "mariadb-install-db"), 18130
    load_words = ["sysbench", "oltp_update_non_index", "--mysql-host=127.0.0.1", "--mysql-port={port}", "--mysql-user=lever",
                  "--mysql-password=", "--mysql-db=test", "--tables=1", "--table-size=10000", "--threads=4", "--time={seconds}",
                  "run"]
    pattern = r"transactions: +\d+ +\(([\d.]+) per sec"
    extra = ("--innodb-flush-log-at-trx-commit=1", "--innodb-flush-log-at-trx-commit=2")

    def prepare(self, state):
        shutil.chown(self.place(state), "mysql")
        run("mariadb-install-db", "--user=mysql", f"--datadir={self.place(state)}/d", "--auth-root-authentication-method=normal")

    def command(self, state):
        place = self.place(state)
        return ["mariadbd", "--no-defaults", "--user=mysql", f"--datadir={place}/d", f"--port={self.port(state)}",
                f"--socket={place}/sock", "--bind-address=127.0.0.1", self.extra[state]]

    def fill(self, state):
        run("mariadb", "-u", "root", f"--socket={self.place(state)}/sock", "-e",
            "create user lever@'127.0.0.1'; create user lever@localhost; grant all on *.* to lever@'127.0.0.1'; "
            "grant all on *.* to lever@localhost; create database if not exists test")
        words = [word.format(port=self.port(state), seconds=1) for word in self.load_words[:-1]]
        run(*words, "prepare")


class Memcached(Server):
    name, change, target = "memcached -t 2, memcaslap", "-vv (a log line for each command) → none", ":fputc$|fprintf"
    calls = "stdio"
    needs, first_port = ("memcached", "memcaslap"), 18140
    load_words = ["memcaslap", "-s", "127.0.0.1:{port}", "-T", "1", "-c", "16", "-t", "{seconds}s"]
    pattern = r"TPS: (\d+)"
    verbosity = (["-vv"], [])

    def command(self, state):
        return ["memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", self.port(state), "-t", "2", *self.verbosity[state]]


class Apache(Server):
    name, change, target = "Apache, file 8 folders deep, wrk -c 8", "AllowOverride All → None (.htaccess)", "htaccess"
    calls = "htaccess"
    needs, first_port = ("apache2", "wrk"), 18150
    load_words = ["wrk", "-t1", "-c8", "-d{seconds}", "http://127.0.0.1:{port}/a/b/c/d/e/f/g/h/page.txt"]
    pattern = r"Requests/sec: *([\d.]+)"

    def prepare(self, state):
        place = self.place(state)
        os.makedirs(f"{place}/a/b/c/d/e/f/g/h")
        self.write(state, "a/b/c/d/e/f/g/h/page.txt", PAGE[:1000])
        modules = "/usr/lib/apache2/modules"
        self.write(state, "conf", f"ServerRoot {place}\nListen 127.0.0.1:{self.port(state)}\nServerName localhost\n"
                   f"LoadModule mpm_event_module {modules}/mod_mpm_event.so\nLoadModule authz_core_module {modules}/mod_authz_core.so\n"
                   f"PidFile {place}/apache.pid\nErrorLog {place}/error\nDocumentRoot {place}\nMaxKeepAliveRequests 0\nUser nobody\n"
                   f"StartServers 1\nServerLimit 1\nThreadsPerChild 8\nMaxRequestWorkers 8\n"
                   f"<Directory {place}>\nRequire all granted\nAllowOverride {'None' if state else 'All'}\n</Directory>\n")

    def command(self, state):
        return ["apache2", "-DFOREGROUND", "-f", f"{self.place(state)}/conf"]


NODE = """const crypto = require('crypto'), http = require('http');
const page = Buffer.alloc(200000, 'plain words of the page, as many as it takes ');
function body(id) { const rows = []; for (let i = 0; i < 150; i++) rows.push({ id: i, name: 'row ' + i * id, at: [i, id] });
  return JSON.stringify(rows); }
let id = 0;
http.createServer((request, response) => { id++; const text = body(id);
  response.setHeader('etag', crypto.createHash('sha256').update(page.subarray(0, TAGGED)).digest('hex'));
  response.end(text); }).listen(PORT, '127.0.0.1');
"""


class Node(Server):
    name, change, target = "Node.js, page with an ETag, wrk -c 8", "ETag by SHA-256 of 200 kB → of 20 kB", "sha256_block"
    needs, first_port, removed = ("node", "wrk"), 18160, False
    load_words = ["wrk", "-t1", "-c8", "-d{seconds}", "http://127.0.0.1:{port}/"]
    pattern = r"Requests/sec: *([\d.]+)"

    def prepare(self, state):
        self.write(state, "server.js", NODE.replace("PORT", str(self.port(state))).replace("TAGGED", "20000" if state else "200000"))

    def command(self, state):
        return ["node", f"{self.place(state)}/server.js"]


class Unbound(Server):
    name, change, target = "Unbound, local zone, dnsperf -c 8 -q 100", "log-queries yes → no", "fprintf|fflush|:write"
    calls = "stdio"
    needs, first_port = ("unbound", "dnsperf"), 18170
    load_words = ["dnsperf", "-s", "127.0.0.1", "-p", "{port}", "-d", "{place}/queries", "-c", "8", "-q", "100", "-l", "{seconds}"]
    pattern = r"Queries per second: +([\d.]+)"

    def prepare(self, state):
        place = self.place(state)
        names = [f"host{i}.example." for i in range(500)]
        self.write(state, "queries", "".join(f"{name} A\n" for name in names))
        zone = "".join(f'  local-data: "{name} A 192.0.2.{i % 250}"\n' for i, name in enumerate(names))
        self.write(state, "conf", f"server:\n  interface: 127.0.0.1@{self.port(state)}\n  chroot: \"\"\n  username: \"\"\n"
                   f"  do-daemonize: no\n  pidfile: {place}/unbound.pid\n  logfile: {place}/queries.log\n  use-syslog: no\n"
                   f"  log-queries: {'no' if state else 'yes'}\n  num-threads: 1\n  local-zone: \"example.\" static\n{zone}"
                   "remote-control:\n  control-enable: no\n")

    def command(self, state):
        return ["unbound", "-d", "-c", f"{self.place(state)}/conf"]


class ApacheRules(Server):
    """Each request reads .htaccess and compiles its rules; those of the configuration are compiled once."""
    name, change = "Apache, 200 rewrite rules, wrk -c 8", "rules in .htaccess → in the configuration"
    target = "pcre2_compile|ap_pregcomp|ap_parse_htaccess|ap_regcomp"
    needs, first_port = ("apache2", "wrk"), 18180
    load_words = ["wrk", "-t1", "-c8", "-d{seconds}", "http://127.0.0.1:{port}/page.txt"]
    pattern = r"Requests/sec: *([\d.]+)"
    rules = "RewriteEngine On\n" + "".join(f"RewriteRule ^old{i}/(.*)$ /new{i}/$1 [R=301,L]\n" for i in range(200))

    def prepare(self, state):
        place, modules = self.place(state), "/usr/lib/apache2/modules"
        os.makedirs(f"{place}/root")
        self.write(state, "root/page.txt", PAGE[:1000])
        if not state:
            self.write(state, "root/.htaccess", self.rules)
        loaded = "".join(f"LoadModule {name}_module {modules}/mod_{name}.so\n" for name in ("mpm_event", "authz_core", "rewrite"))
        self.write(state, "conf", f"ServerRoot {place}\nListen 127.0.0.1:{self.port(state)}\nServerName localhost\n{loaded}"
                   f"PidFile {place}/apache.pid\nErrorLog {place}/error\nDocumentRoot {place}/root\nMaxKeepAliveRequests 0\n"
                   f"User nobody\nStartServers 1\nServerLimit 1\nThreadsPerChild 8\nMaxRequestWorkers 8\n<Directory {place}/root>\n"
                   f"Require all granted\nOptions FollowSymLinks\nAllowOverride {'None' if state else 'All'}\n"
                   f"{self.rules if state else ''}</Directory>\n")

    def command(self, state):
        return ["apache2", "-DFOREGROUND", "-f", f"{self.place(state)}/conf"]


GETS = """import random, socket, sys, time
port, seconds = int(sys.argv[1]), float(sys.argv[2])
def link():
    return socket.create_connection(('127.0.0.1', port))
if seconds == 0:
    one = link()
    for at in range(0, 600000, 1000):
        one.sendall(b''.join(b'set key%07d 0 0 20 noreply\\r\\n%020d\\r\\n' % (i, i) for i in range(at, at + 1000)))
    one.sendall(b'version\\r\\n')
    one.recv(100)
    sys.exit()
links = [link() for _ in range(4)]
words = [b'get ' + b' '.join(b'key%07d' % random.randrange(600000) for _ in range(50)) + b'\\r\\n' for _ in range(1000)]
end, done = time.monotonic() + seconds, 0
left = [b''] * 4
for one in links: one.sendall(words[0])
while time.monotonic() < end:
    for i, one in enumerate(links):
        while not left[i].endswith(b'END\\r\\n'): left[i] = left[i][-4:] + one.recv(65536)
        left[i] = b''
        done += 1
        one.sendall(words[done % 1000])
print('rate', done / seconds)
"""


class MemcachedHash(Server):
    """600,000 keys in 4,096 chains, which do not become more; the change has a chain for each key."""
    name, change = "memcached, 50 of 600,000 keys for each request", "-o no_hashexpand,hashpower=12 → 20"
    target = r"assoc_find|memcached\+"
    needs, first_port, removed = ("memcached", "python3"), 18190, False
    load_words = ["python3", "{place}/load.py", "{port}", "{seconds}"]
    pattern = r"rate ([\d.]+)"

    def prepare(self, state):
        self.write(state, "load.py", GETS)

    def fill(self, state):
        run("python3", f"{self.place(state)}/load.py", self.port(state), 0)

    def command(self, state):
        return ["memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", self.port(state), "-t", "1", "-m", "1000",
                "-o", f"no_hashexpand,hashpower={20 if state else 12}"]


class BeforeNginx(Server):
    """One that takes what it serves from nginx, at the port four above its own."""
    page = PAGE

    def prepare(self, state):
        place = self.place(state)
        self.write(state, "page.txt", self.page)
        self.write(state, "nginx.conf", f"pid {place}/nginx.pid; error_log {place}/error; worker_processes 1;\n"
                   "events { worker_connections 512; }\nhttp { access_log off; keepalive_requests 100000000;\n"
                   f"server {{ listen 127.0.0.1:{self.port(state) + 4}; root {place}; }} }}\n")

    def launch(self, state):
        run("nginx", "-c", f"{self.place(state)}/nginx.conf")

    def stop(self):
        for state in (0, 1):
            run("nginx", "-c", f"{self.place(state)}/nginx.conf", "-s", "stop")
        super().stop()


class HAProxy(BeforeNginx):
    """Each request's agent is compared with 500 patterns."""
    name, change = "HAProxy before nginx, wrk -c 8", "500 forbidden agents: regular expressions → words"
    target = r"pcre2?_|pat_match_reg|regex_exec|haproxy\+"
    needs, first_port, page = ("haproxy", "nginx", "wrk"), 18200, PAGE[:1000]
    load_words = ["wrk", "-t1", "-c8", "-d{seconds}", "-H", "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101",
                  "http://127.0.0.1:{port}/page.txt"]
    pattern = r"Requests/sec: *([\d.]+)"

    def prepare(self, state):
        super().prepare(state)
        place = self.place(state)
        self.write(state, "agents", "".join(f"bot{i}\n" if state else f".*bot{i}.*\n" for i in range(500)))
        self.write(state, "conf", "global\n  nbthread 1\ndefaults\n  mode http\n  timeout connect 5s\n  timeout client 30s\n"
                   f"  timeout server 30s\nfrontend f\n  bind 127.0.0.1:{self.port(state)}\n"
                   f"  http-request deny if {{ req.hdr(user-agent) -m {'sub' if state else 'reg'} -f {place}/agents }}\n  default_backend b\n"
                   f"backend b\n  server s 127.0.0.1:{self.port(state) + 4}\n")

    def command(self, state):
        return ["haproxy", "-db", "-f", f"{self.place(state)}/conf"]


class Lighttpd(Server):
    """A connection, and so a handshake, for each request."""
    name, change = "lighttpd, TLS, a connection for each request", "key RSA of 4096 bits → ECDSA P-256"
    target = r"libcrypto|RSA|EVP_PKEY_sign|SSL_|bn_"
    needs, first_port = ("lighttpd", "wrk", "openssl"), 18210
    load_words = ["wrk", "-t1", "-c8", "-d{seconds}", "-H", "Connection: close", "https://127.0.0.1:{port}/page.txt"]
    pattern = r"Requests/sec: *([\d.]+)"

    def prepare(self, state):
        place = self.place(state)
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"] if state else ["-newkey", "rsa:4096"]
        run("openssl", "req", "-x509", *key, "-nodes", "-subj", "/CN=localhost", "-keyout", f"{place}/pem", "-out", f"{place}/crt")
        with open(f"{place}/pem", "a", encoding="utf-8") as pem, open(f"{place}/crt", encoding="utf-8") as crt:
            pem.write(crt.read())
        self.write(state, "page.txt", PAGE[:1000])
        self.write(state, "conf", f'server.modules = ("mod_openssl")\nserver.document-root = "{place}"\n'
                   f'server.port = {self.port(state)}\nserver.bind = "127.0.0.1"\nserver.errorlog = "{place}/error"\n'
                   f'ssl.engine = "enable"\nssl.pemfile = "{place}/pem"\n')

    def command(self, state):
        return ["lighttpd", "-D", "-f", f"{self.place(state)}/conf"]


class Knot(Server):
    """By UDP."""
    name, change = "Knot DNS, dnsperf -D -c 8 -q 100", "answers signed as they are asked for (onlinesign) → not signed"
    target = r"gnutls|nettle|ecc|dnssec|sign"
    needs, first_port = ("knotd", "dnsperf"), 18220
    load_words = ["dnsperf", "-s", "127.0.0.1", "-p", "{port}", "-d", "{place}/queries", "-D", "-c", "8", "-q", "100", "-l", "{seconds}"]
    pattern = r"Queries per second: +([\d.]+)"

    def prepare(self, state):
        place = self.place(state)
        os.makedirs(f"{place}/db")
        names = [f"host{i}.example." for i in range(500)]
        self.write(state, "queries", "".join(f"{name} A\n" for name in names))
        self.write(state, "zone", "$ORIGIN example.\n$TTL 300\n@ SOA ns hostmaster 1 3600 600 86400 300\n@ NS ns\nns A 192.0.2.1\n" +
                   "".join(f"{name} A 192.0.2.{i % 250}\n" for i, name in enumerate(names)))
        self.write(state, "conf", f"server:\n  listen: 127.0.0.1@{self.port(state)}\n  rundir: {place}\n  udp-workers: 1\n"
                   f"  tcp-workers: 1\n  background-workers: 1\ndatabase:\n  storage: {place}/db\nzone:\n  - domain: example.\n"
                   f"    file: {place}/zone\n{'' if state else '    module: mod-onlinesign'}\n")

    def command(self, state):
        return ["knotd", "-c", f"{self.place(state)}/conf"]


# Around a function client(me), which adds to counts.
CLIENTS = ("""import socket, sys, threading, time
port, seconds = int(sys.argv[1]), float(sys.argv[2])
counts = []
""", """end = time.monotonic() + seconds
threads = [threading.Thread(target=client, args=(me,)) for me in range(4)]
for one in threads: one.start()
for one in threads: one.join()
print('rate', sum(counts) / seconds)
""")

MQTT = """def client(me):
    link = socket.create_connection(('127.0.0.1', port))
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    name = b'c%d' % me
    link.sendall(bytes([0x10, 12 + len(name)]) + b'\\0\\4MQTT\\4\\2\\0\\0\\0' + bytes([len(name)]) + name)
    link.recv(4)
    done = 0
    while time.monotonic() < end:
        topic = b'sensor/%d/%03d' % (me, done % 200)
        rest = bytes([0, len(topic)]) + topic + bytes([done % 200, 1]) + b'v' * 50
        link.sendall(bytes([0x33, len(rest)]) + rest)
        if len(link.recv(4)) < 4: break
        done += 1
    counts.append(done)
"""


class Mosquitto(Server):
    """The whole store is written again for each 20 of 800 retained messages."""
    name, change = "Mosquitto, 4 clients, retained messages of QoS 1", "autosave_on_changes, autosave_interval 20 → no persistence"
    target = r"persist|mosquitto\+|fwrite|fsync|fclose|:write"
    needs, first_port = ("mosquitto", "python3"), 18230
    load_words = ["python3", "{place}/load.py", "{port}", "{seconds}"]
    pattern = r"rate ([\d.]+)"

    def prepare(self, state):
        place = self.place(state)
        self.write(state, "load.py", MQTT.join(CLIENTS))
        kept = "" if state else f"persistence true\npersistence_location {place}/\nautosave_interval 20\nautosave_on_changes true\n"
        self.write(state, "conf", f"listener {self.port(state)} 127.0.0.1\nallow_anonymous true\nuser root\nlog_type error\n{kept}")

    def command(self, state):
        return ["mosquitto", "-c", f"{self.place(state)}/conf"]


IMAP = """def client(me):
    done = 0
    while time.monotonic() < end:
        link = socket.create_connection(('127.0.0.1', port))
        lines = link.makefile('rb')
        lines.readline()
        link.sendall(b'a login user%d secret\\r\\n' % me)
        if b'a OK' not in lines.readline(): break
        link.sendall(b'b logout\\r\\n')
        lines.readline(), lines.readline()
        link.close()
        done += 1
    counts.append(done)
"""


class Dovecot(Server):
    name, change = "Dovecot, 4 clients that log in by IMAP", "passwords by bcrypt, cost 8 → by SHA-256"
    target = r"crypt|password_verify|libcrypt"
    needs, first_port = ("dovecot", "doveadm", "python3"), 18240
    load_words = ["python3", "{place}/load.py", "{port}", "{seconds}"]
    pattern = r"rate ([\d.]+)"

    def prepare(self, state):
        place = self.place(state)
        self.write(state, "load.py", IMAP.join(CLIENTS))
        scheme = ["-s", "SHA256"] if state else ["-s", "BLF-CRYPT", "-r", "8"]
        users = ""
        for i in range(4):
            os.makedirs(f"{place}/mail{i}/Maildir")
            word = run("doveadm", "-c", "/dev/null", "pw", *scheme, "-p", "secret").stdout.strip()
            users += f"user{i}:{word}:65534:65534::{place}/mail{i}::\n"
        run("chown", "-R", "nobody:nogroup", *(f"{place}/mail{i}" for i in range(4)))
        self.write(state, "users", users)
        self.write(state, "conf", f"base_dir = {place}/run\nstate_dir = {place}/state\nprotocols = imap\nlisten = 127.0.0.1\nssl = no\n"
                   f"disable_plaintext_auth = no\nlog_path = {place}/dovecot.log\nmail_location = maildir:~/Maildir\nfirst_valid_uid = 1\n"
                   f"passdb {{\n  driver = passwd-file\n  args = {place}/users\n}}\nuserdb {{\n  driver = passwd-file\n  args = {place}/users\n}}\n"
                   f"service imap-login {{\n  inet_listener imap {{\n    port = {self.port(state)}\n  }}\n  inet_listener imaps {{\n    port = 0\n"
                   "  }\n  service_count = 0\n}\nservice imap {\n  service_count = 1000000\n}\nauth_failure_delay = 0\nmail_max_userip_connections = 100\n")

    def command(self, state):
        return ["dovecot", "-F", "-c", f"{self.place(state)}/conf"]


LDAP = """def sequence(tag, *parts):
    body = b''.join(parts)
    return bytes([tag, 0x81, len(body)]) + body
def text(tag, word):
    return bytes([tag, len(word)]) + word
def search(number):
    return sequence(0x30, b'\\2\\1\\2', sequence(0x63, text(4, b'dc=example'), b'\\n\\1\\2\\n\\1\\0\\2\\1\\0\\2\\1\\0\\1\\1\\0',
        sequence(0xa3, text(4, b'uid'), text(4, b'user%d' % number)), sequence(0x30, text(4, b'mail'))))
def client(me):
    link = socket.create_connection(('127.0.0.1', port))
    link.sendall(sequence(0x30, b'\\2\\1\\1', sequence(0x60, b'\\2\\1\\3\\4\\0\\x80\\0')))
    link.recv(1000)
    done = 0
    while time.monotonic() < end:
        link.sendall(search(done * 7 % 1000))
        answer = b''
        while b'\\x65\\7\\n\\1\\0' not in answer:
            piece = link.recv(4096)
            if not piece: return
            answer += piece
        done += 1
    counts.append(done)
"""


class Slapd(Server):
    """Each search by a name reads all of 1,000 entries, or one."""
    name, change = "OpenLDAP, 4 clients that search by uid", "no index for uid → index uid eq"
    target = r"test_filter|mdb_search|mdb_id2entry|slapd\+|back_mdb"
    needs, first_port, removed = ("slapd", "slapadd", "python3"), 18250, False
    load_words = ["python3", "{place}/load.py", "{port}", "{seconds}"]
    pattern = r"rate ([\d.]+)"

    def prepare(self, state):
        place = self.place(state)
        os.makedirs(f"{place}/db")
        self.write(state, "load.py", LDAP.join(CLIENTS))
        schemas = "".join(f"include /etc/ldap/schema/{name}.schema\n" for name in ("core", "cosine", "inetorgperson"))
        self.write(state, "conf", f"{schemas}modulepath /usr/lib/ldap\nmoduleload back_mdb\npidfile {place}/slapd.pid\nloglevel 0\n"
                   f"database mdb\nsuffix dc=example\nrootdn cn=root,dc=example\ndirectory {place}/db\nmaxsize 100000000\n"
                   f"index objectClass eq\n{'index uid eq' if state else ''}\n")
        entry = "dn: uid=user{0},dc=example\nobjectClass: inetOrgPerson\nuid: user{0}\ncn: User {0}\nsn: {0}\nmail: user{0}@example.org\n\n"
        self.write(state, "ldif", "dn: dc=example\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: example\n\n" +
                   "".join(entry.format(i) for i in range(1000)))
        run("slapadd", "-f", f"{place}/conf", "-l", f"{place}/ldif")

    def command(self, state):
        return ["slapd", "-d", "0", "-f", f"{self.place(state)}/conf", "-h", f"ldap://127.0.0.1:{self.port(state)}/"]


class Squid(BeforeNginx):
    """A cached page; each address is compared with 200 forbidden ones."""
    name, change = "Squid before nginx, wrk -c 8", "200 forbidden addresses: url_regex → none"
    target = r"regexec|re_search|RegexPattern|RegexData|ACL"
    needs, first_port, page = ("squid", "nginx", "wrk"), 18260, PAGE[:1000]
    load_words = ["wrk", "-t1", "-c8", "-d{seconds}", "http://127.0.0.1:{port}/page.txt"]
    pattern = r"Requests/sec: *([\d.]+)"

    def prepare(self, state):
        super().prepare(state)
        place = self.place(state)
        os.chmod(place, 0o777)
        self.write(state, "addresses", "".join(f"/old{i}/.*\\.html$\n" for i in range(200)))
        rule = "" if state else f'acl old url_regex "{place}/addresses"\nhttp_access deny old\n'
        self.write(state, "conf", f"http_port 127.0.0.1:{self.port(state)} accel defaultsite=localhost no-vhost\nicp_port 0\n"
                   f"cache_peer 127.0.0.1 parent {self.port(state) + 4} 0 no-query originserver\n{rule}http_access allow all\n"
                   f"access_log none\ncache_log {place}/cache.log\npid_filename {place}/squid.pid\ncoredump_dir {place}\n"
                   "refresh_pattern . 600 100% 600\nshutdown_lifetime 1 second\npinger_enable off\n")

    def command(self, state):
        return ["squid", "-N", "-f", f"{self.place(state)}/conf"]


class Varnish(BeforeNginx):
    """A page that is not cached."""
    name, change = "Varnish before nginx, page of 100 kB, wrk -c 8", "do_gzip true → false"
    target = r"deflate|longest_match|libvgz|VGZ"
    needs, first_port = ("varnishd", "nginx", "wrk"), 18270
    load_words = ["wrk", "-t1", "-c8", "-d{seconds}", "-H", "Accept-Encoding: gzip", "http://127.0.0.1:{port}/page.txt"]
    pattern = r"Requests/sec: *([\d.]+)"

    def prepare(self, state):
        super().prepare(state)
        self.write(state, "vcl", f'vcl 4.1;\nbackend b {{ .host = "127.0.0.1"; .port = "{self.port(state) + 4}"; }}\n'
                   "sub vcl_recv { return (pass); }\nsub vcl_backend_response { set beresp.do_gzip = "
                   f"{'false' if state else 'true'}; }}\n")

    def command(self, state):
        place = self.place(state)
        return ["varnishd", "-F", "-j", "none", "-a", f"127.0.0.1:{self.port(state)}", "-f", f"{place}/vcl", "-n", f"{place}/work",
                "-s", "malloc,64m", "-p", "thread_pools=1"]


SERVERS = {"nginx": Nginx, "redis": Redis, "postgres": Postgres, "mariadb": MariaDB, "memcached": Memcached, "apache": Apache,
           "node": Node, "unbound": Unbound, "postgres-fsync": PostgresFsync, "redis-null": RedisNull, "postgres-null": PostgresNull,
           "apache-rules": ApacheRules, "memcached-hash": MemcachedHash, "haproxy": HAProxy, "lighttpd": Lighttpd, "knot": Knot,
           "mosquitto": Mosquitto, "dovecot": Dovecot, "slapd": Slapd, "squid": Squid, "varnish": Varnish}
