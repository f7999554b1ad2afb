#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""The gallery's own code, on a small program whose half goes away: predicted, committed, measured, told on a page."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from check import LEVER, check, equal, main, test

SOURCE = sys.argv[2]
sys.path.insert(0, os.path.join(SOURCE, "gallery"))
from outcome import verdict  # pylint: disable=wrong-import-position
from prediction import at_size, perf_first  # pylint: disable=wrong-import-position

CHANGE = '''"""A program that does one half of its work for nothing."""
import os
import subprocess

from inputs import case, script

CODE = """#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile unsigned sink;
__attribute__((noinline)) static void spin(unsigned rounds) { for (unsigned i = 0; i < rounds; i++) sink = sink * 1664525u + i; }
__attribute__((noinline)) void needless(void) { spin(400000); }
__attribute__((noinline)) void needed(void) { spin(400000); }
int main(int argc, char **argv) { alarm(300); fclose(fopen("left.log", "w")); for (long i = 0; i < atol(argv[1]); i++) { if (argc == 2) needless(); needed(); } }
"""


def prepare(folder):
    program = os.path.join(folder, "program")
    subprocess.run(["cc", "-g", "-O1", "-fno-optimize-sibling-calls", "-o", program, script(folder, "program.c", CODE)], check=True)
    return case("A toy", "no needless work", [program, "30"], [program, "30", "fast"], [program, "1000000"], r"needless", kind="CPU",
                options=["--target", "inclusive:needless", "--progress", "needed"] if os.geteuid() == 0 else ["--target", "needless", "--progress", "needed"])
'''


class Gallery:
    """A gallery of one change in a repository of its own."""

    def __init__(self, folder):
        self.folder = folder
        shutil.copytree(os.path.join(SOURCE, "gallery"), os.path.join(folder, "gallery"), ignore=lambda _, names: [n for n in names if n == "__pycache__"])
        for name in os.listdir(os.path.join(folder, "gallery")):
            if os.path.isdir(os.path.join(folder, "gallery", name)):
                shutil.rmtree(os.path.join(folder, "gallery", name))
        os.mkdir(os.path.join(folder, "gallery", "toy"))
        with open(self.file("change.py"), "w", encoding="utf-8") as file:
            file.write(CHANGE)
        self.git("init", "-q")

    def file(self, name):
        return os.path.join(self.folder, "gallery", "toy", name)

    def git(self, *words):
        subprocess.run(["git", "-C", self.folder, "-c", "user.name=test", "-c", "user.email=test", *words], check=True)

    def run(self, *words):
        return subprocess.run([os.path.join(self.folder, "gallery", "run"), "--lever", LEVER, "--work", os.path.join(self.folder, "work"), "--seconds", "4",
                               "--pairs", "6", *words], capture_output=True, text=True, check=False, timeout=100)


@test("a change is predicted, committed, measured and told; no step goes before the one that it needs")
def _():
    with tempfile.TemporaryDirectory() as folder:
        gallery = Gallery(folder)
        made = gallery.run("predict", "toy")
        check(os.path.exists(gallery.file("prediction.json")), made.stdout + made.stderr)
        check(os.path.exists(os.path.join(folder, "work", "toy", "left.log")), "the program ran elsewhere")
        early = gallery.run("measure", "toy")
        check(early.returncode == 1 and "commit" in early.stderr and not os.path.exists(gallery.file("row.json")), early.stderr)
        gallery.git("add", ".")
        gallery.git("commit", "-qm", "predictions")
        measured = gallery.run("measure", "toy")
        check(os.path.exists(gallery.file("row.json")), measured.stdout + measured.stderr)
        with open(gallery.file("row.json"), encoding="utf-8") as file:
            row = json.load(file)
        check(35 < row["measured"]["gain"] < 65, row)
        check(row["predicted"] is None or row["predicted"]["low"] < 65, row)
        equal(gallery.run("pages").returncode, 0)
        equal(gallery.run("pages", "--check").returncode, 0)
        check(row["verdict"] in gallery.run("table").stdout)
        with open(gallery.file("prediction.json"), "a", encoding="utf-8") as file:
            file.write("\n")
        check(gallery.run("pages", "--check").returncode, "a prediction that changed after the measurement passes")
        check(gallery.run("measure", "toy").returncode == 1, "a prediction that was changed after its commit is measured")
        gallery.git("checkout", "-q", "--", "gallery/toy/prediction.json")
        gallery.run("predict", "toy")
        gallery.run("pages")
        check(not os.path.exists(gallery.file("row.json")), "the outcome of the prediction before stands beside the new one")
        with open(os.path.join(folder, "docs", "gallery", "toy.md"), encoding="utf-8") as file:
            page = file.read()
        measured = row["measured"]
        check(f"{measured['gain']:.1f} ({measured['low']:.1f} to {measured['high']:.1f}) % measured, {row['verdict']}" in " ".join(page.split()), page)


@test("a verdict needs both intervals: they meet, or lie within three points, or one is surely larger")
def _():
    def measured(low, high):
        return {"gain": (low + high) / 2, "low": low, "high": high}
    for guess, result, told in [([20, 18, 22], measured(21, 25), "came true"), ([20, 19.5, 20.5], measured(22.5, 24), "came true"),
                                ([20, 18, 22], measured(24, 25), "better than predicted"), ([20, 18, 22], measured(10, 16), "fell short"),
                                ([20, 5, 35], measured(19, 21), "cannot tell"), ([0, -3, 3], measured(-1, 1), "came true"), (None, measured(1, 2), "cannot tell")]:
        equal(verdict(guess, result), told, f"{guess} {result}")


@test("at a size that no window had, a prediction is read from the curve of all windows, not from two of them beside it")
def _():
    def point(speedup, gain, width):
        return {"speedup": speedup, "program_speedup": gain, "low": gain - width, "high": gain + width}
    curve = [point(step / 10, step / 50, 0.01) for step in range(1, 11)]
    effect = {"points": [point(0.3, 0.02, 0.05), point(0.35, 0.11, 0.05), point(0.5, 0.1, 0.02)], "fitted": curve, "slope": 0.2, "slope_low": 0.1, "slope_high": 0.3}
    for size, told in [(32, [6.4, 5.4, 7.4]), (50, [10, 8, 12]), (5, [1, 0.5, 1.5]), (0, [0, 0, 0])]:
        equal([round(figure, 6) for figure in at_size(effect, size)], told, size)
    equal(at_size(effect | {"fitted": curve[:2], "points": []}, 30), [6, 3, 9])
    equal([round(figure, 6) for figure in at_size(effect | {"fitted": []}, 32)], [5.6, 0.6, 10.6])


@test("a prediction stays where perf waits for a program that does not end")
def _():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "perf"), "w", encoding="ascii") as file:
            file.write("#!/bin/sh\ntrap '' INT\nsleep 30\n")
        os.chmod(file.name, 0o755)
        path, os.environ["PATH"] = os.environ["PATH"], folder + ":" + os.environ["PATH"]
        try:
            equal(perf_first(["true"], folder, seconds=0.5, patience=0.5), None)
        finally:
            os.environ["PATH"] = path


@test("docs/gallery/ tells what the folders of the gallery hold")
def _():
    told = subprocess.run([os.path.join(SOURCE, "gallery", "run"), "pages", "--check"], capture_output=True, text=True, check=False)
    equal(told.returncode, 0, told.stderr)


main()
