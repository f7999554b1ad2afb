#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""python - lines and functions of Python programs, for the interpreters that are here."""
import os
import re
import subprocess
import sys

from kernel import Skip, check, equal, folder, lever, main, profile_of, report, run, shares, test

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "stages.py")
KNOWN = ("3.11", "3.12", "3.13")


def version_of(interpreter):
    return run(interpreter, "-c", "import sys; print('%d.%d' % sys.version_info[:2])").stdout.strip()


def interpreters():
    """{version: path} of what runs this test and what Debian installs."""
    found = {}
    for path in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(path):
            found.setdefault(version_of(path), path)
    return found


INTERPRETERS = {version: path for version, path in interpreters().items() if version in KNOWN}


def marked(name):
    """The number of the line with this mark."""
    with open(SOURCE, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if line.rstrip().endswith(f"# {name}"))


def each_interpreter():
    if not INTERPRETERS:
        raise Skip(f"no Python of {', '.join(KNOWN)} is here, but {list(interpreters())}")
    return INTERPRETERS.values()


def recorded(interpreter, *words):
    with folder() as place:
        output = os.path.join(place, "test.lever")
        said = lever("record", "--output", output, "--", interpreter, SOURCE, *words)
        equal(said.returncode, 0, said.stderr)
        return report(output)


def frames_of(entry):
    """Functions and lines, innermost first."""
    return [(frame["function"], frame["line"] if (frame["file"] or "").endswith("stages.py") else None) for frame in entry["stack"]]


def weight(entries, wanted):
    return sum(entry["weight_ns"] for entry in entries if wanted(frames_of(entry)))


def is_on_cpu(entry):
    return entry["class"] == "cpu"


@test("time on CPU is told by the line and function of Python, as much as each works")
def _():
    for interpreter in each_interpreter():
        entries = [entry for entry in recorded(interpreter, "alternate", "600")["entries"] if is_on_cpu(entry)]
        one = weight(entries, lambda frames: any(name == "stages.first" for name, _ in frames))
        other = weight(entries, lambda frames: any(name == "stages.second" for name, _ in frames))
        everything = weight(entries, lambda frames: True)
        check(one + other > 0.75 * everything, (interpreter, one, other, everything))
        check(abs(one / (one + other) - 2 / 3) < 0.08, (interpreter, one, other))
        line = weight(entries, lambda frames: ("stages.first", marked("FIRST")) in frames)
        check(line > 0.5 * one, (interpreter, line, one))


@test("a chain goes through Python, C and Python again, with C code below its caller in Python")
def _():
    for interpreter in each_interpreter():
        entries = [entry for entry in recorded(interpreter, "nested", "1000")["entries"] if is_on_cpu(entry)]
        right = wrong = native = 0
        for entry in entries:
            names = [name for name, _ in frames_of(entry)]
            own = [name for name in names if (name or "").startswith("stages.")]
            if "stages.squares" in own:
                chain = ["stages.squares"] + 4 * ["stages.descend"] + ["stages.key", "stages.nested", "stages.<module>"]
                if len(own) < len(chain):
                    equal(own, chain[:len(own)])  # a tick looks up one new mapping at most, and then the chain ends
                    continue
                # C code stands between the generator and its caller, and between the key and its caller.
                is_right = own == chain and names.index("stages.descend") > names.index("stages.squares") + 1 and \
                    names.index("stages.nested") > names.index("stages.key") + 1
                right, wrong = right + is_right * entry["weight_ns"], wrong + (not is_right) * entry["weight_ns"]
            if own and own[0] == "stages.compress" and names[0] != "stages.compress":
                native += entry["weight_ns"]
                equal([line for name, line in frames_of(entry) if name == "stages.compress"], [marked("NATIVE")])
        check(right > 30e6 and wrong < 0.02 * right, (interpreter, right, wrong))
        check(native > 20e6, (interpreter, native))


@test("a thread that waits all the time is told by its line")
def _():
    for interpreter in each_interpreter():
        entries = recorded(interpreter, "threads", "1")["entries"]
        waited = sum(entry["weight_ns"] for entry in entries
                     if entry["class"] == "L" and ("stages.threads", marked("JOIN")) in frames_of(entry))
        check(waited > 0.7e9, (interpreter, waited))


@test("waits for the interpreter's lock are told by its name")
def _():
    for interpreter in each_interpreter():
        locks = [lock for lock in recorded(interpreter, "threads", "2")["locks"]
                 if re.match(r"GIL of (lib)?python3", lock["name"] or "")]
        waited = sum(lock["weight_ns"] for lock in locks)
        check(waited > 0.2e9, (interpreter, waited, locks))


@test("waits for the interpreter's lock are class L")
def _():
    for interpreter in each_interpreter():
        _, told = profile_of("--class", "L", "--progress", "tracepoint:syscalls:sys_exit_write", "--speedups", "0,100", "--", interpreter, SOURCE, "threads", "6")
        check(shares(told).get("class:L", 0) > 0.2, (interpreter, shares(told)))


@test("lines and functions of Python are targets, also of forked processes")
def _():
    for interpreter in each_interpreter():
        line = f"stages.py:{marked('FIRST')}"
        lines = [f"stages.py:{marked(mark) - above}" for mark in ("FIRST", "SECOND") for above in (0, 1)]
        for mode in ("alternate", "processes"):
            words = ("--progress", "tracepoint:syscalls:sys_exit_write", "--speedups", "0,50", "--", interpreter, SOURCE, mode, "3000")
            _, told = profile_of("-g", "line", *words)
            own = {name: share for name, share in shares(told).items() if name in lines}
            check(own.get(line, 0) > 0.4 * sum(own.values()) > 0.05, (interpreter, mode, shares(told)))
            check(all(name.startswith("stages.py:") for name in shares(told)), shares(told))
            _, told = profile_of("-g", "function", *words)
            both = shares(told)
            check(abs(both["stages.first"] / (both["stages.first"] + both["stages.second"]) - 2 / 3) < 0.12, (interpreter, mode, both))


@test("a line, a function, and a function with its callees are targets by their names")
def _():
    for interpreter in each_interpreter():
        line = f"stages.py:{marked('SECOND')}"
        _, told = profile_of("-t", line, "-t", "stages.first", "-t", "inclusive:stages.alternate", "--speedups", "0,100", "--progress",
                             "tracepoint:syscalls:sys_exit_write", "--", interpreter, SOURCE, "alternate", "1000")
        for name, least, most in ((line, 0.1, 0.5), ("stages.first", 0.35, 0.8), ("inclusive:stages.alternate", 0.5, 1)):
            check(least < shares(told).get(name, 0) <= most, (interpreter, name, shares(told)))


@test("an interpreter whose frames cannot be read is told")
def _():
    with folder() as place:
        source, other, output = (os.path.join(place, name) for name in ("other.c", "libother.so", "test.lever"))
        with open(source, "w", encoding="utf-8") as file:
            file.write("char _PyRuntime[64]; const unsigned long Py_Version = 0x03090200;\n"
                       "void _PyEval_EvalFrameDefault(void) { for (volatile int i = 0; i < 200000000; i++); }\n"
                       "int main(void) { _PyEval_EvalFrameDefault(); return 0; }\n")
        subprocess.run(["cc", "-rdynamic", "-o", other, source], check=True)
        equal(lever("record", "--output", output, "--", other).returncode, 0)
        warned = " ".join(lever("report", output).stdout.split())
        check(re.search(r"is Python 3\.9\.2: its frames cannot be read", warned), warned)
        check("_PyEval_EvalFrameDefault" in warned, warned)


main()
