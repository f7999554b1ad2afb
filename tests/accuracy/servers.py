#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""servers - does a configuration change of a real server bring what lever predicted for it?

    tests/accuracy/servers.py [--under COMMAND] [--together] [--seconds 40] LEVER [SERVER...]

Each server runs twice, in two configurations. Measured are the rates of both under a local load, in turns and without
lever; then one profile of the first with no option but --pid, and a short one of the second. The prediction is the
first profile's curve of the changed code, at the fall of that code's time for each request (100 %: it is gone).
A configuration may change more than that code. So the rate is also measured with half and all of the calls left out
that the change takes away (leave_out/leave_out.c).
--under measures under a command that keeps the machine quiet, while the servers are set up outside of it; with
--together one such command measures them all.

Needs root and the servers' packages; a server that is not installed is left out. Prints each first screen, and a line
of JSON for each server with what docs/servers.md tells. tests/accuracy/server_programs.py holds the servers,
server_settings.py one more setting of each.
"""
import argparse
import json
import re
import statistics
import subprocess
import sys
import time

from server_programs import SERVERS, run
from server_settings import SETTINGS

TURNS, TURN_SECONDS, AFTER_SECONDS = 4, 2, 5
LEFT_OUT = (50, 100)
SERVERS = SERVERS | SETTINGS


def rate_without(server, percent):
    server.leave_out(percent)
    rate = server.rate(0, TURN_SECONDS)
    server.leave_out(0)
    return rate


def rates(server):
    """Of both states, and of the first one without half and all of the calls."""
    return [[*(server.rate(state, TURN_SECONDS) for state in (0, 1)),
             *(rate_without(server, percent) for percent in LEFT_OUT if server.calls)] for _ in range(TURNS)]


def profile(lever, server, state, seconds, output):
    load = server.load(state, seconds + 10)
    time.sleep(0.5)
    said = run(lever, "run", "-o", output, "--fresh", "--pid", server.pid(state), "--seconds", seconds)
    server.end(load)
    return said.stderr + said.stdout


def report(lever, file):
    return json.loads(run(lever, "report", "--format", "json", file).stdout)


def matching(told, pattern):
    return [target for target in told["targets"] if re.search(pattern, target["name"])]


def sampled_per_request(told, pattern):
    """Sampled time of the code for each request, in an unknown unit that is the same in both profiles."""
    share = sum(target["share"] for target in matching(told, pattern))
    return share * told["sampling"]["samples"] * told["sampling"]["period_ns"] / max(1, told["progress"][0]["visits"])


def prediction(told, pattern, speedup):
    """(gain, half of the interval, share), in percent, of the first target whose name matches."""
    for target in matching(told, pattern):
        points = target["effects"][0]["points"] if target["effects"] else []
        if not points:
            continue
        known = sorted((point["speedup"], point["program_speedup"], point["low"], point["high"]) for point in points)
        known = [(0, 0, 0, 0)] + known
        for left, right in zip(known, known[1:] + [known[-1]]):
            if left[0] <= speedup <= right[0] or right is known[-1] and speedup >= right[0]:
                width = right[0] - left[0]
                at = min(1, (speedup - left[0]) / width) if width else 1
                gain, low, high = (100 * (left[i] + at * (right[i] - left[i])) for i in (1, 2, 3))
                return {"target": target["name"], "predicted": gain, "low": low, "high": high}
    return None


def tried(told):
    """Each place with experiments: its share, and its curve."""
    return {target["name"]: [target["share"], [[point[key] for key in ("speedup", "program_speedup", "low", "high", "experiments")]
                                               for point in target["effects"][0]["points"]]]
            for target in told["targets"] if target["experiments"] and target["effects"]}


def measure(arguments, server):
    """In a process of its own, for 60 to 70 seconds."""
    told = {"before": profile(arguments.lever, server, 0, arguments.seconds, server.file(0))}
    if not server.removed:
        told["after"] = profile(arguments.lever, server, 1, AFTER_SECONDS, server.file(1))
    return told | {"rates": rates(server)}


def measured(arguments, words):
    """Of each of these servers, which run."""
    done = subprocess.run([*arguments.under.split(), sys.executable, __file__, "--measure", "--seconds", str(arguments.seconds),
                           arguments.lever, *words], capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines()
    if len(lines) < len(words):
        print(f"{words[len(lines)]}: {done.stderr[-500:]}", flush=True)
    return zip(words, map(json.loads, lines))


def mean_of(gains):
    """With half of its interval at 95 %, of a normal distribution."""
    return [statistics.mean(gains), 1.96 * statistics.stdev(gains) / len(gains) ** 0.5]


def row(arguments, told, kind):
    print(f"--- {kind.name}, {kind.change}\n{told['before']}", flush=True)
    files = [kind().file(state) for state in (0, 1)]
    before = report(arguments.lever, files[0])
    fall = 1.0
    if not kind.removed:
        after = report(arguments.lever, files[1])
        fall = 1 - sampled_per_request(after, kind.target) / (sampled_per_request(before, kind.target) or 1)
    gains, *without = ([100 * (1 - turn[0] / rate) for turn, rate in zip(told["rates"], rates)]
                       for rates in list(zip(*told["rates"]))[1:])
    return {"server": kind.name, "change": kind.change, "rates": told["rates"], "measured": gains,
            "measured_mean": mean_of(gains), "left_out": dict(zip(LEFT_OUT, without)), "left_out_means": [*map(mean_of, without)], "tried": tried(before),
            "first": [target["name"] for target in before["targets"][:3]], "fall": fall,
            **(prediction(before, kind.target, fall) or {"predicted": None})}


def is_there(word):
    if not SERVERS[word].is_installed():
        print(f"{word} is not installed here", flush=True)
        return False
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--under", default="")
    parser.add_argument("--seconds", default=40, type=int)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--together", action="store_true")
    parser.add_argument("lever")
    parser.add_argument("servers", nargs="*")
    arguments = parser.parse_args()
    words = [word for word in arguments.servers or SERVERS if is_there(word)]
    if arguments.measure:
        for word in words:
            print(json.dumps(measure(arguments, SERVERS[word]())), flush=True)
        return
    for group in [words] if arguments.together else [[word] for word in words]:
        servers = [SERVERS[word]() for word in group]
        try:
            for server in servers:
                server.start()
            for word, told in measured(arguments, group):
                print(json.dumps(row(arguments, told, SERVERS[word])), flush=True)
        finally:
            for server in servers:
                server.stop()


if __name__ == "__main__":
    main()
