# SPDX-License-Identifier: BSD-2-Clause
"""outcome - a change, measured: `lever diff` of both commands, beside the prediction that was kept before."""
import json
import os
import subprocess

from prediction import predicted, run, size_of

POINTS = 3  # which a prediction may differ from the measured interval


def gain_of(lever, before, after, seconds):
    """Percent of time that `after` saves, and the interval, by `lever diff`."""
    text = run([lever, "diff", "-q", "--format", "json", "--seconds", seconds, "--", *before, "--vs", *after]).stdout
    pairs = json.loads(text)
    if None in (pairs["ratio"], pairs["low"], pairs["high"]):
        return None  # too few runs
    return {"gain": 100 * (1 - pairs["ratio"]), "low": 100 * (1 - pairs["high"]), "high": 100 * (1 - pairs["low"]),
            "pairs": pairs["pairs"], "before_s": pairs["before"]["median_s"], "after_s": pairs["after"]["median_s"]}


def verdict(guess, measured):
    """Of a predicted gain [gain, low, high] and the measured one, in the words of `lever diff`."""
    if not guess or not measured:
        return "cannot tell"
    gain, low, high = guess[:3]
    if (high - low) / 2 > max(4, gain / 2):
        return "cannot tell"
    low, high = min(low, gain - POINTS), max(high, gain + POINTS)
    if measured["low"] > high:
        return "better than predicted"
    return "fell short" if measured["high"] < low else "came true"


def is_committed(path):
    """Whether git has the file as it is; a prediction that is not was perhaps made afterwards."""
    folder, name = os.path.split(os.path.abspath(path))
    known = subprocess.run(["git", "-C", folder, "ls-files", "--error-unmatch", name], capture_output=True, check=False).returncode == 0
    return known and run(["git", "-C", folder, "status", "--porcelain", "--", name]).stdout == ""


def commit_of(path):
    """The commit that made this prediction, and its day."""
    folder, name = os.path.split(os.path.abspath(path))
    return run(["git", "-C", folder, "log", "-1", "--format=%h %cs", "--", name]).stdout.split() or ["?", "?"]


def outcome(lever, case, prediction, folder, seconds):
    """The row: the prediction at the change's size, the measured gain, the verdict; and the same of what perf names first."""
    size = prediction["size"] if prediction["size"] is not None else size_of(lever, case, folder)[0]
    guess = predicted({"targets": prediction["targets"]}, prediction["pattern"], size)
    measured = gain_of(lever, case["before"], case["after"], seconds)
    row = {"size": size, "predicted": guess and {"gain": guess[0], "low": guess[1], "high": guess[2], "place": guess[3]},
           "measured": measured, "verdict": verdict(guess, measured)}
    if case.get("perf_after"):
        row["perf_gain"] = gain_of(lever, case.get("perf_before", case["before"]), case["perf_after"], seconds)
    return row
