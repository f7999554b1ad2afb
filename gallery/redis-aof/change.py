# SPDX-License-Identifier: BSD-2-Clause
"""Redis keeps each write in its log before it answers (`appendfsync always`). Fifty clients of `redis-benchmark` write as fast as they can,
on the same machine.
"""
import os

from inputs import case, script, sh

SERVER = """folder=$1 policy=$2 requests=$3
rm -rf "$folder/data" && mkdir "$folder/data"
redis-server --port 0 --unixsocket "$folder/socket" --save '' --appendonly yes --appendfsync "$policy" --dir "$folder/data" >/dev/null &
server=$!
until redis-cli -s "$folder/socket" ping >/dev/null 2>&1; do sleep 0.01; done
redis-benchmark -s "$folder/socket" -q -c 50 -t set -n "$requests" >/dev/null &
trap 'kill $! $server' TERM
wait $!
kill $server
wait $server
"""


def prepare(folder):
    code = script(folder, "load.sh", SERVER)

    def command(policy, requests):
        return ["sh", code, folder, policy, str(requests)]
    return case("Redis, 50 clients that write", "`appendfsync everysec`", command("always", 200000), command("everysec", 200000), command("always", 100000000),
                r"syscall:(fdatasync|fsync)", kind="waiting", ask=["--target", "syscall:fdatasync"])
