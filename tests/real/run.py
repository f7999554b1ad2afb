#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""run - does the first screen of a plain `lever run -- PROGRAM` name the place of a change whose effect is known?

    tests/real/run.py LEVER [--seconds N] [--pairs N] [--options "-g line"] [--folder F [--prepare]] [--json FILE] [PROGRAM...]
    tests/real/run.py --table FILE

For each program of programs.py: run time before and after the change, in turns and without lever; one profile with the
plain command; its first three places, and the gain that it predicts for the change's place at the change's size.
A program that is not installed is left out. With --folder F inputs stay in F, and --prepare only makes them. Appends a row for each program to FILE; --table prints the rows for
docs/real-programs.md.
"""
import argparse
import json
import os
import re
import shlex
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

from programs import PROGRAMS


def run(words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, **options)


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


def time_in(lever, words, places, file):
    """Nanoseconds of one whole run in the places, with what they call, and in all; a wait for a child is the child's time."""
    subprocess.run([lever, "record", "--fresh", "-q", "-o", file, "--", *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    inside = total = 0
    for line in run([lever, "report", "--format", "folded", file]).stdout.splitlines():
        stack, weight = line.rsplit(" ", 1)
        if stack.endswith(("[B]/process", "[B]/pipe", "[S]")):
            continue
        total += float(weight)
        inside += float(weight) if re.search(places, stack) else 0
    return inside, total


def size_of(lever, case, place):
    """The part of the place's time that the change takes away, and what that is of all time, in percent."""
    places = case.get("record_places", case["places"])
    before, after = (time_in(lever, case[when], places, os.path.join(place, "record.lever")) for when in ("before", "after"))
    if not before[0]:
        return None, None
    size = case["size"] if case["size"] is not None else 100 * (1 - after[0] / before[0])
    return size, size * before[0] / before[1]


def profile(lever, case, options, file):
    words = [lever, "run", "--fresh", "-o", file, *options, "--then-stop", "--", *case["profiled"]]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    said = process.communicate()[1]
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return said


def places_of(screen):
    """What to do first, second and third, in the order of the first screen, parts after the place that they stand in."""
    text, inside = "", False
    for line in screen.splitlines():
        if line and not line.startswith(" "):
            inside = line.startswith(("do first", "then"))
            line = line.replace("do first", "then", 1)
        if inside:
            text += ("\n" if line.startswith("then") or "└" in line else " ") + line.replace("then", "", 1).strip(" └")
    return [line.strip() for line in text.split("\n") if "faster →" in line]


def at_size(effect, size):
    """Gain and interval at a speedup of `size` %: between the measured points on both sides, else by the slope."""
    points = [{"speedup": 0, "program_speedup": 0, "low": 0, "high": 0}] + [point for point in effect["points"] if point.get("program_speedup") is not None]
    below = [point for point in points if 100 * point["speedup"] <= size]
    above = [point for point in points if 100 * point["speedup"] >= size]
    if above:
        left, right = below[-1], above[0]
        width = right["speedup"] - left["speedup"]
        part = (size / 100 - left["speedup"]) / width if width else 0
        return [100 * (left[key] + part * (right[key] - left[key])) for key in ("program_speedup", "low", "high")]
    if effect.get("slope") is None or effect["slope_low"] is None:
        return None
    return [size * effect[key] for key in ("slope", "slope_low", "slope_high")]


def predicted(report, pattern, size):
    """The gain and interval at the change's size, of the sure place whose name fits; the largest if several fit."""
    best = None
    for target in report["targets"]:
        if size is None or not re.search(pattern, f"{target['name']} {target.get('called_by')}"):
            continue
        for effect in target["effects"]:
            gain = at_size(effect, size) if effect["points"] and effect["kind"] != "latency" else None
            if gain and (best is None or gain[1] > best[1]):
                best = [*gain, target["name"], size]
    return best


def prepared(lever, name, place):
    """The program's case, with its input and the change's size; kept in the folder for another call."""
    kept = os.path.join(place, "case.json")
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as file:
            return json.load(file)
    os.makedirs(place, exist_ok=True)
    case = PROGRAMS[name][0](place)
    if case:
        case["size"], case["taken"] = size_of(lever, case, place)
        with open(kept, "w", encoding="utf-8") as file:
            json.dump(case, file)
    return case


def row_of(lever, name, arguments, place):
    case = prepared(lever, name, place)
    if not case or arguments.prepare:
        return None
    row = {"name": name, "title": case["title"], "change": case["change"], "options": arguments.options}
    row["measured"] = pairs_of(case, arguments.pairs) if arguments.pairs else None
    row["size"], row["taken"] = case["size"], case["taken"]
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
        print(f"   the change takes {row['size']:.0f} % of the place's time: {row['taken']:.1f} % of the program's")
    print("   predicted " + (f"{guess[0]:.1f} % ({guess[1]:.1f} to {guess[2]:.1f}) by {guess[3]} at {guess[4]:.0f} %" if guess else "nothing"))
    for line in row["places"]:
        print("   " + line)
    print(f"   named: {row['rank'] or 'NO'}", flush=True)


def table(file):
    with open(file, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    print("| program | change | measured | of that in the place | predicted | first screen | named |\n| --- | --- | --- | --- | --- | --- | --- |")
    for row in rows:
        measured, guess = row["measured"], row["predicted"]
        effect = f"{measured['gain']:.1f} ({measured['low']:.1f} to {measured['high']:.1f})" if measured else ""
        told = f"{guess[0]:.1f} ({guess[1]:.1f} to {guess[2]:.1f})" if guess else "–"
        places = "; ".join(line.split(" (")[0].split(": ")[0] for line in row["places"]) or "nothing"
        place = f"{row['taken']:.1f}" if row["taken"] is not None else "–"
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
