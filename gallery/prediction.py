# SPDX-License-Identifier: BSD-2-Clause
"""prediction - what a plain `lever run -- PROGRAM` says of a case (inputs.py): its first screen, the gain that it predicts for
the change's place at the change's size, and the size by recordings; beside it, what `perf record` names first.
"""
import hashlib
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import time


def run(words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, **options)


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
    """The part of the place's time that the change takes away; what that is of all time, and what all time outside of the place
    falls by, in percent of all time: code beside the place may become faster or slower by the change."""
    places = case.get("record_places", case["places"])
    before, after = (time_in(lever, case[when], places, os.path.join(place, "record.lever")) for when in ("before", "after"))
    if not before[0]:
        return None, None, None
    size = case["size"] if case["size"] is not None else 100 * (1 - after[0] / before[0])
    outside = (before[1] - before[0]) - (after[1] - after[0])
    return size, size * before[0] / before[1], 100 * outside / before[1]


def kill_group(leader):
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


def profile(lever, case, options, file, add=False):
    """One `lever run`, and the end of all that it leaves; what it says."""
    words = [lever, "run", *([] if add else ["--fresh"]), "-o", file, *options, "--then-stop", "--", *case["profiled"]]
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    try:
        return process.communicate()[1]
    finally:
        kill_group(process.pid)


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


def between(points, size):
    """Gain and interval at a speedup of `size` %, between the points on both sides."""
    points = [{"speedup": 0, "program_speedup": 0, "low": 0, "high": 0}] + points
    left = [point for point in points if 100 * point["speedup"] <= size][-1]
    right = next((point for point in points if 100 * point["speedup"] >= size), None)
    if not right:
        return None
    width = right["speedup"] - left["speedup"]
    part = (size / 100 - left["speedup"]) / width if width else 0
    return [100 * (left[key] + part * (right[key] - left[key])) for key in ("program_speedup", "low", "high")]


def at_size(effect, size):
    """Gain and interval at a speedup of `size` %: measured there; else from the fitted curve, which all points make and `lever diff`
    reads; else between measured points, or by the slope."""
    points = [point for point in effect["points"] if point.get("program_speedup") is not None]
    measured = any(abs(100 * point["speedup"] - size) < 0.01 for point in points)
    told = between(points, size) if measured else between(effect.get("fitted") or [], size) or between(points, size)
    if told:
        return told
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


def perf_first(words, folder, seconds=8, patience=20):
    """The line that `perf report` prints first: percent of samples, program, object, function; None without perf, or if perf waits
    for a program that does not end."""
    if not shutil.which("perf"):
        return None
    file = os.path.join(folder, "perf.data")
    command = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "499", "-o", file, "--", *words]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        process.wait(patience)
    except subprocess.TimeoutExpired:
        return None
    finally:
        kill_group(process.pid)
    text = run(["perf", "report", "-i", file, "--no-children", "--sort", "comm,dso,symbol", "--stdio"]).stdout
    lines = [line.split() for line in text.splitlines() if re.match(r"\s*\d", line)]
    return " ".join(lines[0]) if lines else None


def machine():
    return f"{os.cpu_count()} cores, Linux {platform.release().split('-')[0]}"


def hash_of(file):
    with open(file, "rb") as data:
        return hashlib.sha256(data.read()).hexdigest()


def predict(lever, case, folder, seconds):
    """Profiles `profiled`; what the profile says of the case's places, to be kept before the change is measured."""
    file = os.path.join(folder, "profile.lever")
    screen = profile(lever, case, ["--seconds", str(seconds), *case.get("options", [])], file)
    if case.get("ask"):
        profile(lever, case, ["--seconds", str(case.get("ask_seconds", seconds)), *case["ask"]], file, add=True)
    text = run([lever, "report", "--format", "json", file]).stdout
    report = json.loads(text) if text.startswith("{") else {"targets": []}
    pattern = case.get("gain_places", case["places"])
    targets = [{key: target.get(key) for key in ("name", "called_by", "effects")} for target in report["targets"]
               if re.search(pattern, f"{target['name']} {target.get('called_by')}")]
    place = re.compile(case["places"])
    rank = next((i + 1 for i, line in enumerate(places_of(screen)) if place.search(line)), 0)
    guess = predicted({"targets": targets}, pattern, case["size"])
    return {"predicted": guess and dict(zip(("gain", "low", "high", "place", "size"), guess)), "lever": run([lever, "version"]).stdout.strip(), "machine": machine(), "options": case.get("options", []), "ask": case.get("ask", []), "seconds": seconds,
            "ask_seconds": case.get("ask_seconds", seconds),
            "profile_sha256": hash_of(file), "pattern": pattern, "size": case["size"], "rank": rank, "targets": targets,
            "perf_first": perf_first(case["profiled"], folder), "screen": screen}
