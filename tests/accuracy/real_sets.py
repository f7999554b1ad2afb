#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""real_sets - does a plain `lever run` find what gains only together in real programs, and nothing where a single place does?

    tests/accuracy/real_sets.py [--lever build/lever] [--seconds 60] [--programs tee_sums,...] [--list]

Each program has two parts, A and B, of which a stand-in can be called that does next to nothing. Run times with A, B, both and
neither replaced tell what is true: a set exists if both together gain 5 points more than the sum of each, by medians of
neighbouring runs. The search of `lever run`, without any option but the time, is then a hit or a miss; it speeds up by 50 %, at
which unequal parts may still gain apart. In a program without a set, a set that the report calls "only together" or "more together" is a false one.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 3
EXCESS_LEAST = 5
NOTHING = "cat >/dev/null"
# name: what it needs, the command with {a} and {b}, and A, B as they are; `feed` writes a file so many times
PROGRAMS = {
    "tee_sums": ("md5sum sha384sum", "feed $1 | tee >({a}) | {b}; wait", "md5sum >/dev/null", "sha384sum >/dev/null"),
    "tee_sha2": ("sha224sum sha256sum", "feed $1 | tee >({a}) | {b}; wait", "sha224sum >/dev/null", "sha256sum >/dev/null"),
    "tee_packers": ("xz bzip2", "feed $1 | tee >({a}) | {b}; wait", "xz -1 >/dev/null", "bzip2 -1 >/dev/null"),
    "cmp_unpacked": ("xz bzip2 cmp", "cmp <({a}) <({b})", "feed $2 | xz -dc", "feed $3 | bzip2 -dc"),
    "pbzip2": ("pbzip2", "feed $1 | {a} | {b}", "pbzip2 -p2 -1 -c", "cat >/dev/null"),
    "xz_threads": ("xz", "feed $1 | {a} | {b}", "xz -T2 --block-size=1MiB -1 -c", "cat >/dev/null"),
    "unequal_pipe": ("xz gzip", "{a} | {b}", "feed $2 | xz -dc", "gzip -1 >/dev/null"),
    "serial": ("gzip md5sum", "for ((j = 0; j < $4; j++)); do {a}; {b}; done", "gzip -4 <$1 >/dev/null", "md5sum $1 >/dev/null"),
}
STAND_INS = {"feed $2 | xz -dc": "feed $1", "feed $3 | bzip2 -dc": "feed $1", "cat >/dev/null": "cat >/dev/null",
             "pbzip2 -p2 -1 -c": "cat", "xz -T2 --block-size=1MiB -1 -c": "cat", "gzip -4 <$1 >/dev/null": "true",
             "md5sum $1 >/dev/null": "true"}


def inputs(place):
    """Text of a machine: its libraries; the same packed."""
    plain = os.path.join(place, "plain")
    with open(plain, "wb") as out:
        for folder, _, names in os.walk("/usr/lib"):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if ".so" in name and os.path.isfile(path) and not os.path.islink(path) and out.tell() < 12 << 20:
                    with open(path, "rb") as file:
                        out.write(file.read(2 << 20))
    for packer, suffix in (("xz", ".xz"), ("bzip2", ".bz2")):
        with open(plain + suffix, "wb") as out:
            subprocess.run([packer, "-1", "-c", plain], stdout=out, check=True)
    return [plain, plain + ".xz", plain + ".bz2"]


def command(name, files, replaced="", rounds=1):
    _, text, a, b = PROGRAMS[name]
    parts = {part: STAND_INS.get(whole, NOTHING) if part in replaced else whole for part, whole in (("a", a), ("b", b))}
    feed = 'feed() { for ((i = 0; i < rounds; i++)); do cat "$1"; done; }'
    return ["bash", "-c", f"rounds=$4; {feed}; {text.format(**parts)}", name, *files, str(rounds)]


def wall(words):
    begin = time.monotonic()
    subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.monotonic() - begin


def truth(name, files, repeats):
    """Gains in percent: of A, of B, of both; and their excess."""
    rounds = []
    for _ in range(ROUNDS):
        plain, one, other, both = (wall(command(name, files, cut, repeats)) for cut in ("", "a", "b", "ab"))
        rounds.append([100 * (1 - now / plain) for now in (one, other, both)])
    gains = [statistics.median(column) for column in zip(*rounds)]
    return gains, statistics.median(both - max(0, one) - max(0, other) for one, other, both in rounds)


def sets_told(report):
    """{members: (gain, low, high)} of what the report calls a set that gains more than its parts."""
    told = {}
    for target in report["targets"]:
        for effect in target["effects"]:
            found = effect.get("interaction")
            if target["kind"] == "set" and found and found["verdict"] in ("only_together", "more_together"):
                told[target["name"]] = (found["program_speedup"], found["low"], found["high"])
    return told


def row_of(lever, name, seconds, place, files):
    once = wall(command(name, files))
    repeats = max(1, round(0.4 / once))
    gains, excess = truth(name, files, repeats)
    profile = os.path.join(place, name + ".lever")
    done = subprocess.run([lever, "run", "-q", "-o", profile, "--fresh", "--seconds", str(seconds), "--then-stop", "--",
                           *command(name, files, rounds=1000000)], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    report = json.loads(subprocess.run([lever, "report", profile, "--format", "json"], capture_output=True, text=True, check=True).stdout)
    told = sets_told(report)
    is_set = excess >= EXCESS_LEAST
    verdict = ("hit" if told else "missed") if is_set else ("false" if told else "right: none")
    searches = [(one["end"], one["candidates"], round(one["duration_ns"] / 1e9, 1), one["found"]) for one in report["set_searches"]]
    print(f"{name:13} A {gains[0]:+5.1f}  B {gains[1]:+5.1f}  both {gains[2]:+5.1f}  excess {excess:+5.1f}   {verdict:12} exit {done.returncode}")
    for members, (gain, low, high) in told.items():
        print(f"{'':13}   told: {members}: {100 * gain:+.1f} at 50 %, beyond the sum {100 * low:+.1f} to {100 * high:+.1f}")
    print(f"{'':13}   searches: {searches}", flush=True)
    return verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default="build/lever")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--programs", default=",".join(PROGRAMS))
    parser.add_argument("--list", action="store_true", help="print commands, and profile nothing")
    options = parser.parse_args()
    lever = os.path.abspath(options.lever)
    verdicts = []
    with tempfile.TemporaryDirectory(dir="/dev/shm") as place:
        files = inputs(place)
        for name in options.programs.split(","):
            if options.list:
                print(f"{name}: {command(name, files)[2]}")
            elif all(map(shutil.which, PROGRAMS[name][0].split())):
                verdicts.append(row_of(lever, name, options.seconds, place, files))
            else:
                print(f"{name}: left out, as {PROGRAMS[name][0]} is not all installed")
    for verdict in sorted(set(verdicts)):
        print(f"{verdict}: {verdicts.count(verdict)} of {len(verdicts)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
