#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""run - does the first screen of a plain `lever run -- PROGRAM` name the place of a change whose effect is known?

    tests/real/run.py LEVER [--seconds N] [--pairs N] [--options "-g line"] [--folder F [--prepare]] [--json FILE] [PROGRAM...]
    tests/real/run.py --table FILE

For each program of programs.py: run time before and after the change, in turns and without lever; the change's size by
recordings, at once, since another day's does not fit; one profile with the plain command; its first three places, and the
gain that it predicts for the change's place at the change's size.
A program that is not installed is left out. With --folder F inputs stay in F, and --prepare only makes them. Appends a row for each program to FILE; --table prints the rows for
docs/real-programs.md.
"""
import argparse
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import unseen_programs  # pylint: disable=unused-import
from programs import PROGRAMS
from prediction import places_of, predicted, profile, run, size_of


def wall(words):
    begin = time.monotonic()
    subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.monotonic() - begin


def pairs_of(case, count):
    """Times before and after, in turns; the first pair fills caches and does not count."""
    pairs = [(wall(case["before"]), wall(case["after"])) for _ in range(count + 1)][1:]
    gains = [100 * (1 - after / before) for before, after in pairs]
    return {"before": statistics.median(pair[0] for pair in pairs), "after": statistics.median(pair[1] for pair in pairs),
            "gain": statistics.median(gains), "low": min(gains), "high": max(gains)}


def prepared(name, place):
    """The program's case, with its input; kept in the folder for another call."""
    kept = os.path.join(place, "case.json")
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as file:
            return json.load(file)
    os.makedirs(place, exist_ok=True)
    case = PROGRAMS[name][0](place)
    if case:
        with open(kept, "w", encoding="utf-8") as file:
            json.dump(case, file)
    return case


def row_of(lever, name, arguments, place):
    case = prepared(name, place)
    if not case or arguments.prepare:
        return None
    row = {"name": name, "title": case["title"], "change": case["change"], "options": arguments.options}
    row["measured"] = pairs_of(case, arguments.pairs) if arguments.pairs else None
    row["size"], row["taken"], row["outside"] = size_of(lever, case, place)
    file = os.path.join(place, "profile.lever")
    screen = profile(lever, case, ["--seconds", str(arguments.seconds), *shlex.split(arguments.options)], file)
    text = run([lever, "report", "--format", "json", file]).stdout
    report = json.loads(text) if text.startswith("{") else {"targets": []}
    row["screen"], row["places"] = screen, places_of(screen)
    row["rank"] = next((i + 1 for i, line in enumerate(row["places"]) if re.search(case["places"], line)), 0)
    row["predicted"] = predicted(report, case.get("gain_places", case["places"]), row["size"])
    if arguments.keep:
        shutil.copy(file, os.path.join(arguments.keep, name + ".lever"))
    return row


def print_row(row):
    measured, guess = row["measured"], row["predicted"]
    print(f"== {row['name']}: {row['title']}; {row['change']}")
    if measured:
        print(f"   measured {measured['gain']:.1f} % ({measured['low']:.1f} to {measured['high']:.1f}), {measured['before']:.2f} → {measured['after']:.2f} s")
    if row["size"] is not None:
        print(f"   the change takes {row['size']:.0f} % of the place's time: {row['taken']:.1f} % of the program's; "
              f"time outside of the place falls by {row['outside']:.1f} %")
    print("   predicted " + (f"{guess[0]:.1f} % ({guess[1]:.1f} to {guess[2]:.1f}) by {guess[3]} at {guess[4]:.0f} %" if guess else "nothing"))
    for line in row["places"]:
        print("   " + line)
    print(f"   named: {row['rank'] or 'NO'}", flush=True)


def table(file):
    with open(file, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    print("| program | change | measured | in the place, outside of it | predicted | first screen | named |\n| --- | --- | --- | --- | --- | --- | --- |")
    for row in rows:
        measured, guess = row["measured"], row["predicted"]
        effect = f"{measured['gain']:.1f} ({measured['low']:.1f} to {measured['high']:.1f})" if measured else ""
        told = f"{guess[0]:.1f} ({guess[1]:.1f} to {guess[2]:.1f})" if guess else "–"
        places = "; ".join(line.split(" (")[0].split(": ")[0] for line in row["places"]) or "nothing"
        place = f"{row['taken']:.1f}, {row['outside']:.1f}" if row["taken"] is not None else "–"
        print(f"| {row['title']} | {row['change']} | {effect} | {place} | {told} | {places} | {row['rank'] or 'no'} |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("lever", nargs="?")
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--options", default="")
    parser.add_argument("--json")
    parser.add_argument("--folder")
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--keep")
    parser.add_argument("--table")
    parser.add_argument("--screens", action="store_true")
    arguments = parser.parse_intermixed_args()
    if arguments.table:
        return table(arguments.table)
    for name in arguments.programs or PROGRAMS:
        if not all(shutil.which(need) for need in PROGRAMS[name][1]):
            print(f"{name} is not installed here", flush=True)
            continue
        with tempfile.TemporaryDirectory(prefix="lever-real-") as place:
            folder = os.path.abspath(arguments.folder) if arguments.folder else place
            row = row_of(os.path.abspath(arguments.lever), name, arguments, os.path.join(folder, name))
        if not row:
            continue
        print_row(row)
        if arguments.screens:
            print(row["screen"])
        if arguments.json:
            with open(arguments.json, "a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
