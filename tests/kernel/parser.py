#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""parser - the process that reads binaries has no rights, and the profile is written without it."""
import contextlib
import glob
import os
import random
import re
import signal
import subprocess
import time

from kernel import LEVER, RAN, check, equal, folder, main, program, report, test

SEEN = "the process that reads binaries "
ENDINGS = {signal.SIGKILL: "was ended by signal 9", signal.SIGSEGV: "was ended by signal 11",
           signal.SIGSTOP: "did not answer for 1 s"}
UNITS = "3000"


def statuses():
    for path in glob.glob("/proc/[0-9]*/status"):
        with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:
            yield file.read()


def field(status, name):
    return re.search(rf"^{name}:[ \t]*(.*?)[ \t]*$", status, re.MULTILINE).group(1)


def parser_of(engine, seconds=5):
    """The status of the engine's parser, when it has entered its sandbox."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for status in statuses():
            if field(status, "Name") == "lever-parser" and field(status, "PPid") == str(engine) and \
                    field(status, "Seccomp") == "2":
                return status
        time.sleep(0.002)
    raise AssertionError("the engine has no parser in a sandbox")


def begin(output, *verb, **more):
    environment = {**os.environ, "LEVER_PARSER_SECONDS": "1"}
    return subprocess.Popen(  # pylint: disable=consider-using-with
        [LEVER, *verb, "-q", "-o", output, *more.get("options", []), "--", program("exits"), "threads", more.get("units", UNITS)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)


@test("the process that reads binaries is nobody, without capabilities, descriptors of others, or shared memory")
def _():
    with folder() as place:
        with begin(os.path.join(place, "test.lever"), "run", units="60000", options=["--seconds", "2"]) as engine:
            status = parser_of(engine.pid)
            pid = field(status, "Pid")
            for name in ("CapInh", "CapPrm", "CapEff", "CapAmb"):
                equal(int(field(status, name), 16), 0, name)
            equal(field(status, "Uid").split(), ["65534"] * 4)
            equal(field(status, "Gid").split(), ["65534"] * 4)
            equal(field(status, "Groups"), "")
            equal(field(status, "NoNewPrivs"), "1")
            time.sleep(1)
            links = [os.readlink(path) for path in glob.glob(f"/proc/{pid}/fd/*")]
            odd = [link for link in links if not re.match(r"/dev/null$|socket:|/(usr|lib|work|tmp|root|home)|/memfd:lever-binary|"
                                                          r"/proc/kallsyms|.*/exits$", link)]
            equal(odd, [])
            equal(sum("socket" in link for link in links), 1)
            with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
                equal([line for line in maps if line.split()[1][3] == "s"], [])
            _, said = engine.communicate(timeout=60)
            check(engine.returncode in RAN, said)
        equal([status for status in statuses() if field(status, "Pid") == pid], [], "it outlives the engine")


def end_parser(number, place, verb):
    """Ends the parser of a run after this time; returns the report."""
    output = os.path.join(place, f"{verb[0]}.lever")
    with begin(output, *verb) as engine:
        pid = int(field(parser_of(engine.pid), "Pid"))
        time.sleep(random.uniform(0, 0.3))
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
        _, said = engine.communicate(timeout=60)
        check(engine.returncode in RAN, f"{verb}, signal {number}: {engine.returncode} {said}")
    equal(os.path.exists(f"/proc/{pid}"), False)
    return report(output)


for ending, sentence in ENDINGS.items():
    @test(f"a profile is written, with addresses, when the process that reads binaries gets {ending.name} at any moment")
    def _(ending=ending, sentence=sentence):
        with folder() as place:
            told = 0
            for _ in range(3):
                for verb in (["record"], ["run", "--seconds", "2"]):
                    found = end_parser(ending, place, verb)
                    ours = [line for line in found["warnings"] if SEEN in line]
                    check(all(sentence in line for line in ours), str(ours))
                    told += len(ours)
                    samples = found["sampling"]["samples"]
                    check(samples, f"{verb}: {found}")
            check(told >= 3, f"{told} of 6 runs asked it after its end")


main()
