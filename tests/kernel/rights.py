#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""rights - which command works with which capabilities and kernel settings: the table of docs/security.md, cell by cell.

LEVER_NIGHTLY=1: with other settings of the kernel, too."""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time

from kernel import LEVER, PROGRAMS, Skip, check, equal, folder, main, program, test

NOBODY = 65534
RIGHTS = {
    "none": "",
    "CAP_BPF, CAP_PERFMON": "+bpf,+perfmon",
    "the same and CAP_SYS_PTRACE": "+bpf,+perfmon,+sys_ptrace",
    "root": None,
}
# What answers, without a sysctl's help, by right (CAP_SYS_PTRACE changes nothing): an engine, "no scheduler" of a trace, or "no".
COMMANDS = {
    "run": ("runtime", "kernel", "kernel"),
    "run --pid": ("no", "kernel", "kernel"),
    "run --pid, of another user": ("no", "kernel", "kernel"),
    "run --progress FUNCTION": ("runtime", "no", "kernel"),
    "record": ("perf events", "kernel", "kernel"),
    "record --pid, of another user": ("no", "kernel", "kernel"),
    "record --system": ("no", "kernel", "kernel"),
    "trace": ("no scheduler", "kernel", "kernel"),
    "scale": ("no", "kernel", "kernel"),
}
# Settings of the kernel, and the cells that differ with them. Those that cannot be taken back are not here: 1 of
# unprivileged_bpf_disabled, 3 of ptrace_scope.
SETTINGS = {
    ("perf_event_paranoid", 2): {},
}
if os.environ.get("LEVER_NIGHTLY") == "1":
    SETTINGS |= {
        ("perf_event_paranoid", -1): {},
        ("perf_event_paranoid", 1): {},
        ("perf_event_paranoid", 3): {},
        ("kptr_restrict", 1): {},
        ("kptr_restrict", 2): {},
        ("unprivileged_bpf_disabled", 0): {},
        ("yama/ptrace_scope", 1): {},
        ("yama/ptrace_scope", 2): {},
    }


# A test that takes too long must not leave the machine with another setting.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


@contextlib.contextmanager
def setting(name, value):
    path = f"/proc/sys/kernel/{name}"
    try:
        with open(path, encoding="utf-8") as file:
            before = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(str(value))
    except OSError as error:
        raise Skip(f"{path} cannot be {value}: {error}") from error
    try:
        yield
    finally:
        with contextlib.suppress(OSError), open(path, "w", encoding="utf-8") as file:
            file.write(before)


def as_user(right, words):
    """The command with these rights, as nobody, or as root."""
    caps = RIGHTS[right]
    if caps is None:
        return words
    more = [f"--inh-caps={caps}", f"--ambient-caps={caps}"] if caps else []
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", *more, "--", *words]


@contextlib.contextmanager
def working_process(command, right):
    """A process for --pid, of the right user; gives the options."""
    owner = 0 if "another" in command or RIGHTS[right] is None else NOBODY
    with subprocess.Popen([program("exits"), "plain", "10000000"], stdin=subprocess.DEVNULL, user=owner, group=owner) as beside:
        try:
            time.sleep(0.1)
            yield ["--pid", str(beside.pid), "--seconds", "1"]
        finally:
            beside.kill()


def answer(right, command, place):
    """What answers: an engine, or "no"; and what lever said."""
    words = command.split(",")[0].split()
    output = os.path.join(place, f"{len(os.listdir(place))}.lever")
    work = ["--", program("exits"), "plain", "4000"]
    beside = contextlib.nullcontext(work)
    if "--pid" in words:
        beside = working_process(command, right)
    elif "--system" in words:
        beside = contextlib.nullcontext(["--system", "--seconds", "1"])
    elif words[0] == "scale":
        beside = contextlib.nullcontext(["--runs", "1", *work])
    elif "--progress" in words:
        beside = contextlib.nullcontext(["--progress", "unit", *work])
    with beside as options:
        said = subprocess.run(as_user(right, [LEVER, words[0], "-q", "--fresh", "-o", output, *options]), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False, timeout=60, cwd=place)
    if said.returncode not in (0, 3):
        return "no", said.stderr
    told = json.loads(subprocess.run([LEVER, "report", output, "--format", "json"], capture_output=True, text=True, check=True).stdout)
    if words[0] == "trace":
        return ("no scheduler" if "scheduler" in said.stderr + json.dumps(told.get("warnings", "")) else "kernel"), said.stderr
    return told.get("engine") or told.get("sampling", {}).get("engine"), said.stderr


def wanted(changes):
    for command, engines in COMMANDS.items():
        none, some, root = changes.get(command, engines)
        yield command, (none, some, some, root)


for (setting_name, setting_value), changed in SETTINGS.items():
    @test(f"with {setting_name} {setting_value}, each command works with the rights that docs/security.md tells")
    def _(name=setting_name, value=setting_value, changes=changed):
        check(shutil.which("setpriv"), "setpriv is missing")
        with setting(name, value), folder() as place:
            os.chmod(place, 0o777)
            if subprocess.run(as_user("none", [LEVER, "help"]), capture_output=True, check=False).returncode or \
                    not os.access(PROGRAMS, os.X_OK):
                raise Skip("user nobody cannot run this build")
            differing = []
            for command, engines in wanted(changes):
                found = [answer(right, command, place) for right in RIGHTS]
                print(f"# {name} {value}: {command}: {', '.join(f'{right}: {one[0]}' for right, one in zip(RIGHTS, found))}", flush=True)
                for right, one, engine in zip(RIGHTS, found, engines):
                    if one[0] != engine:
                        differing.append((command, right, one[0], engine, one[1][-300:]))
            equal(differing, [])


@test("setcap on the program is enough for a user of its group, and for nobody else")
def _():
    if not shutil.which("setcap"):
        raise Skip("setcap is not here")
    with folder() as place:
        os.chmod(place, 0o777)
        copy = os.path.join(place, "lever")
        shutil.copy(LEVER, copy)
        os.chown(copy, 0, NOBODY)
        os.chmod(copy, 0o750)
        equal(subprocess.run(["setcap", "cap_bpf,cap_perfmon=ep", copy], check=False).returncode, 0)
        for group, engine in ((NOBODY, "kernel"), (NOBODY - 1, None)):
            output = os.path.join(place, f"{group}.lever")
            words = [copy, "run", "-q", "-e", "kernel", "-o", output, "--", program("exits"), "plain", "4000"]
            more = {"user": 12345, "group": group, "extra_groups": []}
            if engine is None:
                try:
                    subprocess.run(words, check=False, timeout=60, **more)
                except PermissionError:
                    continue
                check(False, "a user outside of the group ran it")
            said = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd=place, timeout=60, **more)
            check(said.returncode in (0, 3), f"{said.returncode} {said.stderr}")
            told = subprocess.run([LEVER, "report", output, "--format", "json"], capture_output=True, text=True, check=True).stdout
            equal(json.loads(told)["engine"], engine)


main()
