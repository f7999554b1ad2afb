# SPDX-License-Identifier: BSD-2-Clause
"""PostgreSQL's VACUUM sleeps after each 200 units of work, to spare others (`vacuum_cost_delay`, here 2 ms, as autovacuum has it). At night nobody
needs to be spared. A table of 60 MB is vacuumed again and again.
"""
import os
import subprocess

from inputs import case, script, sh

BIN = "/usr/lib/postgresql/15/bin"
VACUUM = """folder=$1 delay=$2 times=$3
"$0/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c autovacuum=off -c fsync=off -c shared_buffers=256MB >/dev/null 2>&1 &
server=$!
trap 'kill -INT $server' TERM
until "$0/pg_isready" -q -h "$folder"; do sleep 0.01; done
(echo "set vacuum_cost_delay = $delay;"
 for i in $(seq $times); do echo "vacuum (disable_page_skipping) notes;"; done) | "$0/psql" -q -h "$folder" postgres >/dev/null &
wait $!
kill -INT $server
wait $server
"""


def prepare(folder):
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    for path in (folder, os.path.dirname(folder)):
        os.chmod(path, 0o755)
    place = os.path.join(folder, "server")
    os.mkdir(place)
    subprocess.run(["chown", "postgres:postgres", place], check=True)
    subprocess.run([*user, BIN + "/initdb", "-D", place + "/data"], check=True, stdout=subprocess.DEVNULL)
    table = script(folder, "table.sql", "create table notes as select i, repeat('x', 100) from generate_series(1, 450000) i; vacuum freeze notes; checkpoint;\n")
    subprocess.run([*user, *sh(f'{BIN}/pg_ctl -w -D "$1/data" -l "$1/log" -o "-k $1 -c listen_addresses=" start && {BIN}/psql -q -h "$1" -f "$2" postgres && '
                               f'{BIN}/pg_ctl -w -D "$1/data" stop', place, table)], check=True, stdout=subprocess.DEVNULL)

    def command(delay, times):
        return [*user, "bash", "-c", VACUUM, BIN, place, str(delay), str(times)]
    return case("PostgreSQL, VACUUM", "`vacuum_cost_delay = 0`", command(2, 12), command(0, 12), command(2, 100000),
                r"pg_usleep|vacuum_delay_point|syscall:(pselect6|select|clock_nanosleep|epoll_wait)", kind="waiting",
                gain_places="syscall:pselect6", ask=["--target", "syscall:pselect6"])
