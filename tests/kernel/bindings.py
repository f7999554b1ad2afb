#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""bindings - liblever.so in each language: points are counted, spans measured, marks on the timeline.

bindings/ holds the program `units` in each language; those whose tool chains are missing are skipped.
Usage: bindings.py LEVER PROGRAMS LIBLEVER
"""
import glob
import os
import re
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


@test("Rust, by a crate without dependencies that loads the library when it is used")
def _():
    compiler = tool("rustc")
    with folder() as place:
        made(compiler, "--edition", "2021", "-O", "--crate-type", "rlib", "--crate-name", "lever", "--out-dir", place,
             os.path.join(BINDINGS, "rust", "src", "lib.rs"))
        program = os.path.join(place, "units")
        made(compiler, "--edition", "2021", "-O", "--extern", f"lever={place}/liblever.rlib", "-o", program, os.path.join(HERE, "units.rs"))
        check_units([program])


@test("Go, without cgo and without the library")
def _():
    with folder() as place:
        shutil.copytree(os.path.join(BINDINGS, "go"), os.path.join(place, "lever"))
        shutil.copy(os.path.join(HERE, "go", "units.go"), place)
        with open(os.path.join(place, "go.mod"), "w", encoding="utf-8") as file:
            file.write("module units\n\ngo 1.19\n\nrequire lever.example/lever v0.0.0\n\nreplace lever.example/lever => ./lever\n")
        environment = {**os.environ, "CGO_ENABLED": "0", "GOCACHE": os.path.join(place, "cache"), "GOFLAGS": "-mod=mod", "GOPROXY": "off"}
        program = os.path.join(place, "program")
        made(tool("go"), "build", "-o", program, ".", cwd=place, env=environment)
        check_units([program], is_traced=False)


@test("Node.js, by Node-API")
def _():
    node = tool("node", "nodejs")
    header = next((path for path in ("/usr/include/node", "/usr/include/nodejs/src")
                   if os.path.exists(os.path.join(path, "node_api.h"))), None)
    if not header:
        raise Skip("node_api.h (libnode-dev) is not installed")
    with folder() as place:
        shutil.copy(os.path.join(BINDINGS, "node", "lever.js"), place)
        made(tool("cc"), "-O2", "-shared", "-fPIC", f"-I{header}", "-o", os.path.join(place, "lever_addon.node"),
             os.path.join(BINDINGS, "node", "lever_addon.c"), "-ldl")
        check_units([node, os.path.join(HERE, "units.js"), os.path.join(place, "lever.js")])


def java_from(release):
    """The folder of the programs of the newest JDK, which must be at least this release."""
    found = {}
    for javac in [*glob.glob("/usr/lib/jvm/*/bin/javac"), shutil.which("javac")]:
        said = javac and re.search(r"javac (\d+)", run(javac, "-version").stdout)
        found[int(said.group(1)) if said else 0] = javac
    if max(found) < release:
        raise Skip(f"no JDK from {release} on is installed")
    return os.path.dirname(found[max(found)])


@test("Java from 22 on, by its foreign function interface")
def _():
    programs = java_from(22)
    with folder() as place:
        made(os.path.join(programs, "javac"), "-d", place, os.path.join(BINDINGS, "java", "Lever.java"), os.path.join(HERE, "Units.java"))
        check_units([os.path.join(programs, "java"), "--enable-native-access=ALL-UNNAMED", "-cp", place, "Units"])


main()
