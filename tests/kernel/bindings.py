#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""bindings - liblever.so in each language: points are counted, spans measured, marks on the timeline.

bindings/ holds the program `units` in each language; those whose tool chains are missing are skipped.
Usage: bindings.py LEVER PROGRAMS LIBLEVER
"""
import os
import shutil
import sys

from kernel import LEVER, RAN, Skip, check, equal, folder, lever, main, report, run, test, visits

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bindings")
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
BINDINGS = os.path.join(ROOT, "bindings")
LIBRARY = os.path.abspath(sys.argv[3])
UNITS = 4000


def tool(*names):
    """The path of the first program that is here."""
    found = next((path for path in map(shutil.which, names) if path), None)
    if not found:
        raise Skip(f"{' or '.join(names)} is not installed")
    return found


def made(*words, **options):
    said = run(*words, **options)
    equal(said.returncode, 0, said.stdout + said.stderr)
    return said.stdout


def check_units(command, environment=None, is_traced=True):
    """The program counts its units and spans, and its marks are on the timeline."""
    environment = {**os.environ, "LEVER_LIBRARY": LIBRARY, **(environment or {})}
    with folder() as place:
        output = os.path.join(place, "run.lever")
        said = lever("run", "-o", output, "--", *command, str(UNITS), env=environment)
        check(said.returncode in RAN, said.stderr)
        told = report(output)
        equal(visits(told, "units"), UNITS, told["progress"])
        equal([(point["kind"], point["visits"]) for point in told["progress"] if point["name"] == "unit span"], [("latency", UNITS)])
        if not is_traced:
            return
        said = lever("trace", "-o", output, "--", *command, str(UNITS), env=environment)
        equal(said.returncode, 0, said.stderr)
        told = report(output)
        equal([(span["name"], span["count"]) for span in told["spans"]], [("unit span", UNITS)])
        equal([(counter["name"], counter["count"]) for counter in told["counters"]], [("total", UNITS)])


@test("C, by pkg-config from an installed tree; the library names its version")
def _():
    with folder() as place:
        made("meson", "install", "--no-rebuild", "-C", os.path.dirname(LEVER), "--destdir", place)
        found = [path for path, _, names in os.walk(place) if "liblever.pc" in names]
        equal(len(found), 1)
        environment = {**os.environ, "PKG_CONFIG_PATH": found[0], "PKG_CONFIG_SYSROOT_DIR": place}
        flags = made("pkg-config", "--cflags", "--libs", "liblever", env=environment).split()
        program = os.path.join(place, "units")
        made(tool("cc"), "-O2", "-pthread", "-o", program, os.path.join(HERE, "units.c"), *flags)
        needed = made("readelf", "-d", program)
        check("liblever.so.1" in needed, needed)
        libraries = next(word[2:] for word in flags if word.startswith("-L"))
        check_units([program], {"LD_LIBRARY_PATH": libraries})
    symbols = made("nm", "-D", "--defined-only", LIBRARY).split("\n")
    exported = {line.split()[-1] for line in symbols if " T " in line}
    equal(exported, {f"lever_{name}@@LIBLEVER_1" for name in
                     ("id", "progress", "begin", "end", "counter", "instant", "listening_word")})


@test("Python, by ctypes; without the library it says why, and runs")
def _():
    environment = {"PYTHONPATH": os.path.join(BINDINGS, "python")}
    check_units([sys.executable, os.path.join(HERE, "units.py")], environment)
    said = run(sys.executable, "-c", "import lever; lever.progress('x')\nwith lever.span('y'): print(lever.missing)",
               env={**os.environ, **environment, "LEVER_LIBRARY": "/nowhere/liblever.so"})
    check("/nowhere/liblever.so" in said.stdout, said.stdout + said.stderr)


main()
