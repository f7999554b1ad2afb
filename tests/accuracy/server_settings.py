# SPDX-License-Identifier: BSD-2-Clause
"""server_settings - one more setting of each server, for servers.py: logging, caches, durability, compression, keys."""

from server_programs import PAGE, Apache, MariaDB, Memcached, Nginx, Postgres, Redis, Server, run


class PostgresCache(Postgres):
    """What is not in the server's cache is in the kernel's."""
    name, change, first_port = "PostgreSQL, pgbench -S -c 4", "shared_buffers 1 MB → 512 MB", 18300
    target, calls, removed = "pread64|ReadBuffer|mdread|FileRead|BufferAlloc|StrategyGetBuffer", "", False
    extra = ("shared_buffers=1MB", "shared_buffers=512MB")
    load_words = ["su", "postgres", "-c", "pgbench -n -S -h 127.0.0.1 -p {port} -c 4 -T {seconds} postgres"]


class PostgresLog(PostgresCache):
    name, change, first_port = "PostgreSQL, pgbench -S -c 4", "log_statement all → none", 18304
    target, removed, calls = "EmitErrorReport|errfinish|check_log_statement|syscall:write|:write$", True, "write"
    extra = ("logging_collector=on -c log_statement=all", "logging_collector=on -c log_statement=none")


class PostgresSimple(Postgres):
    """Without the row that all transactions of one branch change."""
    name, first_port = "PostgreSQL, pgbench -N -c 4", 18308
    load_words = ["su", "postgres", "-c", "pgbench -n -N -h 127.0.0.1 -p {port} -c 4 -T {seconds} postgres"]


class PostgresNull2(PostgresCache):
    name, change, first_port = "PostgreSQL, pgbench -S -c 4 (null)", "track_activities, log_checkpoints on → log_checkpoints off", 18312
    target, removed = "LogCheckpoint|Checkpoint", True
    extra = ("log_checkpoints=on", "log_checkpoints=off")


class MariaDBLog(MariaDB):
    name, change, first_port = "MariaDB, sysbench oltp_point_select, 4 threads", "general_log on → off", 18320
    target, calls = "general_log|LOGGER|[Ll]og_general|MYSQL_QUERY_LOG|my_b_|syscall:write|:write$", ""
    load_words = ["sysbench", "oltp_point_select", *MariaDB.load_words[2:]]
    extra = ("--general-log=1", "--general-log=0")


class RedisLog(Redis):
    name, change, first_port = "Redis, redis-benchmark -c 20 -t set", "appendonly yes (everysec) → no", 18330
    target, calls, policies = "AppendOnlyFile|catAppendOnly|aof|syscall:write|:write$", "", ("yes", "no")

    def command(self, state):
        return ["redis-server", "--port", self.port(state), "--save", "", "--appendonly", self.policies[state],
                "--auto-aof-rewrite-percentage", "0", "--dir", self.place(state)]


class NginxLog(Nginx):
    name, change, first_port = "nginx, page of 1 kB, wrk -c 8", "access_log → off", 18340
    target, removed, calls = "ngx_http_log|syscall:write$|:write$", True, "write"
    load_words = ["wrk", "-t1", "-c8", "-d{seconds}", "http://127.0.0.1:{port}/page.txt"]

    def prepare(self, state):
        place = self.place(state)
        self.write(state, "page.txt", PAGE[:1000])
        log = "off" if state else f"{place}/access.log"
        self.write(state, "conf", f"daemon off; pid {place}/nginx.pid; error_log {place}/error; worker_processes 1;\n"
                   f"events {{ worker_connections 512; }}\nhttp {{ access_log {log}; keepalive_requests 100000000;\n"
                   f"server {{ listen 127.0.0.1:{self.port(state)}; root {place}; {self.more[state]} }} }}\n")
    more = ("", "")


class NginxNull(NginxLog):
    name, change, first_port = "nginx, page of 1 kB, wrk -c 8 (null)", "server_tokens on → off", 18344
    target, calls, more = "tokens", "", ("access_log off; server_tokens on;", "access_log off; server_tokens off;")


class ApacheDeflate(Apache):
    name, change, first_port = "Apache, page of 100 kB, wrk -c 8", "DeflateCompressionLevel 9 → 1", 18350
    target, calls, removed = "deflate", "", False
    load_words = ["wrk", "-t1", "-c8", "-d{seconds}", "-H", "Accept-Encoding: gzip", "http://127.0.0.1:{port}/page.txt"]

    def prepare(self, state):
        super().prepare(state)
        self.write(state, "page.txt", PAGE)
        with open(f"{self.place(state)}/conf", "a", encoding="utf-8") as conf:
            conf.write("LoadModule filter_module /usr/lib/apache2/modules/mod_filter.so\n"
                       "LoadModule deflate_module /usr/lib/apache2/modules/mod_deflate.so\nSetOutputFilter DEFLATE\n"
                       f"DeflateCompressionLevel {1 if state else 9}\n")


class HAProxyKey(Server):
    """A connection, and so a handshake, for each request; it answers itself."""
    name, change = "HAProxy, TLS, a connection for each request", "key RSA of 4096 bits → ECDSA P-256"
    target, removed, first_port = "libcrypto|RSA|EVP_|SSL_|[bB][nN]_", False, 18360
    needs = ("haproxy", "wrk", "openssl")
    load_words = ["wrk", "-t1", "-c8", "-d{seconds}", "-H", "Connection: close", "https://127.0.0.1:{port}/"]
    pattern = r"Requests/sec: *([\d.]+)"

    def prepare(self, state):
        place = self.place(state)
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"] if state else ["-newkey", "rsa:4096"]
        run("openssl", "req", "-x509", *key, "-nodes", "-subj", "/CN=localhost", "-keyout", f"{place}/pem", "-out", f"{place}/crt")
        with open(f"{place}/pem", "a", encoding="utf-8") as pem, open(f"{place}/crt", encoding="utf-8") as crt:
            pem.write(crt.read())
        self.write(state, "conf", "global\n  nbthread 1\n  tune.ssl.cachesize 0\n  ssl-default-bind-options no-tls-tickets\ndefaults\n  mode http\n  timeout connect 5s\n  timeout client 30s\n"
                   f"  timeout server 30s\nfrontend f\n  bind 127.0.0.1:{self.port(state)} ssl crt {place}/pem\n"
                   "  http-request return status 200 content-type text/plain string answer\n")

    def command(self, state):
        return ["haproxy", "-db", "-f", f"{self.place(state)}/conf"]


NODE = """const zlib = require('zlib'), http = require('http');
function body(id) { const rows = []; for (let i = 0; i < 300; i++) rows.push({ id: i, name: 'row ' + i * id, at: [i, id] });
  return JSON.stringify(rows); }
let id = 0;
http.createServer((request, response) => { id++;
  response.setHeader('content-encoding', 'gzip');
  response.end(zlib.gzipSync(body(id), { level: LEVEL })); }).listen(PORT, '127.0.0.1');
"""


class NodeGzip(Server):
    name, change, target = "Node.js, JSON by gzip, wrk -c 8", "zlib level 9 → 1", "deflate|longest_match|zlib|Zlib"
    needs, first_port, removed = ("node", "wrk"), 18370, False
    load_words = ["wrk", "-t1", "-c8", "-d{seconds}", "http://127.0.0.1:{port}/"]
    pattern = r"Requests/sec: *([\d.]+)"

    def prepare(self, state):
        self.write(state, "server.js", NODE.replace("PORT", str(self.port(state))).replace("LEVEL", "1" if state else "9"))

    def command(self, state):
        return ["node", f"{self.place(state)}/server.js"]


class MemcachedNull(Memcached):
    name, change, target = "memcached -t 2, memcaslap (null)", "CAS → none (-C)", "cas"
    calls, first_port, verbosity = "", 18380, ([], ["-C"])


SETTINGS = {"postgres-cache": PostgresCache, "postgres-log": PostgresLog, "postgres-simple": PostgresSimple,
            "postgres-checkpoints": PostgresNull2, "mariadb-log": MariaDBLog, "redis-log": RedisLog, "nginx-log": NginxLog,
            "nginx-tokens": NginxNull, "apache-deflate": ApacheDeflate, "haproxy-key": HAProxyKey, "node-gzip": NodeGzip,
            "memcached-cas": MemcachedNull}
