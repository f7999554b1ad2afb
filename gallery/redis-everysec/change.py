# SPDX-License-Identifier: BSD-2-Clause
"""Redis writes its log to the disk once a second, in a thread of its own (`appendfsync everysec`), while fifty clients of `redis-benchmark` write
as fast as they can. Would less of that, or a faster disk, help them?
"""
from inputs import case, script

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
    return case("Redis, log written once a second", "`appendfsync no`", command("everysec", 200000), command("no", 200000), command("everysec", 100000000),
                r"syscall:(fdatasync|fsync)", kind="null", ask=["--target", "syscall:fdatasync"])
