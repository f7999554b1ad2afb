#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""system - processes that run already, several at a time, and the kernel's own code."""
import contextlib
import os
import shutil
import subprocess
import tempfile
import time

from kernel import (LEVER, RAN, Skip, check, equal, folder, lever, main, profile_of, program, report,
                    run, shares, test, visits)

UNITS = 200000  # ten seconds or more
SAMPLE = ("--speedups", "0")  # only look


@contextlib.contextmanager
def running(*words, **options):
    """A program that runs already; ended with the test if it has not ended by itself."""
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **options) as process:
        try:
            time.sleep(0.3)
            yield process
        finally:
            process.kill()


def listening(pid):
    """The word of the program's memory that lever writes to (src/wire/points.h)."""
    with open(f"/proc/{pid}/mem", "rb") as memory:
        memory.seek(0x4C45560000 + 8)
        return int.from_bytes(memory.read(4), "little")


def state(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()[0]


@test("a program that runs already is measured by its own points, and left as it was")
def _():
    with running(program("exits"), "plain", str(UNITS)) as process:
        _, told = profile_of("--pid", str(process.pid), "--seconds", "2")
        check(visits(told, "units") > 100, told["progress"])
        check(visits(told, "units") < UNITS, "visits of before were counted")
        check(shares(told, "function").get("unit", 0) > 0.5, shares(told))
        equal(told["program"]["command"], [f"--pid={process.pid}"])
        equal(told["program"]["exit_status"], None)
        equal(listening(process.pid), 0, "still told to count")
        check(state(process.pid) in "RS", state(process.pid))
        equal(process.poll(), None, "the program has ended")


@test("a program that runs already is measured by a uprobe, too")
def _():
    with running(program("exits-no-debug"), "plain", str(UNITS)) as process:
        _, told = profile_of("--pid", str(process.pid), "--seconds", "2", "--progress", "unit")
        check(visits(told, "unit") > 100, told["progress"])
        equal(process.poll(), None)


@test("with a process that runs already its children are measured, unless they are left out")
def _():
    with running("/bin/sh", "-c", f"{program('exits')} plain {UNITS}; true") as shell:
        try:
            _, told = profile_of("--pid", str(shell.pid), "--seconds", "2")
            check(visits(told, "units") > 100, told["progress"])
            with folder() as place:
                output = os.path.join(place, "test.lever")
                said = lever("run", "-q", "-o", output, "--pid", str(shell.pid), "--no-children", "--seconds", "1", *SAMPLE)
                equal(said.returncode, 3, said.stderr)
                check(program("exits") not in shares(report(output), "object"), "a child was sampled")
        finally:
            subprocess.run(("pkill", "-P", str(shell.pid)), check=False)


@test("measuring ends when the program that runs already ends")
def _():
    with running(program("exits"), "plain", "40000") as process:
        began = time.monotonic()
        said, _ = profile_of("--pid", str(process.pid), "--seconds", "60")
        process.wait(30)
        check(time.monotonic() - began < 40, said.stderr)
        equal(process.returncode, 0)


@test("a process that is not there, or is lever itself, is refused with a sentence")
def _():
    said = lever("run", "--pid", "4194303")
    equal(said.returncode, 2, said.stderr)
    check("no process" in said.stderr, said.stderr)


@test("processes of a name are found whenever they come, and no others")
def _():
    with folder() as place:
        wanted, other = (os.path.join(place, name) for name in ("wanted-one", "other-one"))
        for copy in (wanted, other):
            shutil.copy(program("exits"), copy)
        output = os.path.join(place, "test.lever")
        with running(other, "plain", str(UNITS)):
            with subprocess.Popen([LEVER, "run", "-q", "-o", output, "--comm", "wanted*", "--seconds", "3", *SAMPLE],
                                  stderr=subprocess.PIPE, text=True) as at_work:
                time.sleep(1)
                with running(wanted, "plain", str(UNITS)):
                    said = at_work.communicate(timeout=60)[1]
                check(at_work.returncode in RAN, said)
        told = report(output)
        check(visits(told, "units") > 100, told["progress"])
        objects = shares(told, "object")
        check(objects.get(wanted, 0) > 0.9, objects)
        check(other not in objects, objects)


@test("of the whole machine everything is seen but lever and what it runs under")
def _():
    with running(program("exits"), "plain", str(UNITS)):
        with folder() as place:
            # Copies, so that no other lever or shell of this machine is taken for them.
            shell, own, output = (os.path.join(place, name) for name in ("busy-shell", "own-lever", "test.lever"))
            shutil.copy("/bin/sh", shell)
            shutil.copy(LEVER, own)
            # The shell that lever runs under is busy all the time.
            script = f'"$0" run -q -o "$1" --system --seconds 3 --speedups 0 & i=0; while kill -0 $! 2>/dev/null; do i=$((i+1)); done; wait $!'
            said = subprocess.run([shell, "-c", script, own, output], capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, check=False, timeout=120)
            check(said.returncode in RAN, said.stderr)
            objects = shares(report(output), "object")
            check(objects.get(program("exits"), 0) > 0.1, objects)
            check(shell not in objects, objects)
            check(own not in objects, objects)


@test("processes of a cgroup are seen, those that join it later, too")
def _():
    roots = [path for path in ("/sys/fs/cgroup/unified", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup")
             if os.path.exists(path + "/cgroup.procs")]
    if not roots:
        raise Skip("there is no cgroup file system")
    try:
        group = tempfile.mkdtemp(prefix="lever-test-", dir=roots[0])
    except OSError as why:
        raise Skip(f"no cgroup can be made: {why}") from why
    try:
        with running(program("exits"), "plain", str(UNITS)) as process, folder() as place:
            output = os.path.join(place, "test.lever")
            with subprocess.Popen([LEVER, "run", "-q", "-o", output, "--cgroup", group, "--seconds", "3", *SAMPLE],
                                  stderr=subprocess.PIPE, text=True) as at_work:
                time.sleep(1)
                with open(group + "/cgroup.procs", "w", encoding="utf-8") as file:
                    file.write(str(process.pid))
                said = at_work.communicate(timeout=60)[1]
            check(at_work.returncode in RAN, said)
            check(visits(report(output), "units") > 100, report(output)["progress"])
    finally:
        for _ in range(50):
            try:
                os.rmdir(group)
                break
            except OSError:
                time.sleep(0.1)


@test("of a program in another mount namespace, points and names are those of its own file")
def _():
    with folder() as place:
        path, other, output = (os.path.join(place, name) for name in ("worker", "other", "test.lever"))
        shutil.copy("/bin/true", path)  # what the path is outside
        shutil.copy(program("exits"), other)
        script = 'mount --bind "$1" "$0" && exec "$0" plain "$2"'
        if run("unshare", "-m", "true").returncode:
            raise Skip("no mount namespace can be made here")
        with running("unshare", "-m", "sh", "-c", script, path, other, str(UNITS)) as process:
            time.sleep(0.5)
            said = lever("run", "-q", "-o", output, "--pid", str(process.pid), "--seconds", "2", "--progress", "unit")
            check(said.returncode in RAN, said.stderr)
            told = report(output)
            check(visits(told, "unit") > 100, told["progress"])
            check(shares(told, "function").get("unit", 0) > 0.5, shares(told))


@test("in a container, with a root and process ids of its own, points and names are those of its files")
def _():
    if run("unshare", "-m", "-p", "-f", "true").returncode:
        raise Skip("no namespaces can be made here")
    with folder() as place:
        output, root = os.path.join(place, "test.lever"), os.path.join(place, "root")
        os.mkdir(root)
        # The file is in the container only; outside there is nothing of this path.
        script = 'mount -t tmpfs none "$0" && cp "$1" "$0/worker" && mkdir "$0/proc" && exec chroot "$0" /worker plain "$2"'
        with running("unshare", "-m", "-p", "-f", "sh", "-c", script, root, program("exits-static"), str(UNITS)) as process:
            time.sleep(0.5)
            with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
                worker, = file.read().split()
            check(not os.path.exists(os.path.join(root, "worker")))
            for words in (["--pid", worker], ["--system", "--comm", "worker"]):
                said = lever("run", "-q", "--fresh", "-o", output, *words, "--seconds", "2", "--progress", "bin:worker:unit", *SAMPLE)
                check(said.returncode in RAN, said.stderr)
                told = report(output)
                check(visits(told, "bin:worker:unit") > 100, told["progress"])
                equal([one["pid"] for one in told["progress"][0]["processes"]], [int(worker)])
                check(shares(told, "function").get("unit", 0) > 0.5, shares(told))
            subprocess.run(["kill", "-9", worker], check=False)


@test("processes that run the same file are one program: a line of it is one target, of all their time")
def _():
    with folder() as place:
        copy = os.path.join(place, "twin-program")
        shutil.copy(program("exits"), copy)
        with running(copy, "plain", str(UNITS)), running(copy, "plain", str(UNITS)):
            _, told = profile_of("--system", "--comm", "twin-program", "--seconds", "3", *SAMPLE)
        lines = [target["name"] for target in told["targets"]]
        equal(len(lines), len(set(lines)), lines)
        check(shares(told, "function").get("unit", 0) > 0.8, shares(told))
        units, = [point for point in told["progress"] if point["name"] == "units"]
        equal(len(units["processes"]), 2, units)
        equal(units["visits"], sum(one["visits"] for one in units["processes"]))


@test("what launches a parallel program is left out, its processes are not")
def _():
    with folder() as place:
        launcher = os.path.join(place, "mpirun")
        shutil.copy("/bin/sh", launcher)
        # Busy itself, and waits for its two "ranks".
        script = 'i=0; "$0" plain 20000 & "$0" plain 20000 & while [ $i -lt 300000 ]; do i=$((i+1)); done; wait'
        _, told = profile_of("--", launcher, "-c", script, program("exits"))
        equal(visits(told, "units"), 40000)
        objects = shares(told, "object")
        check(objects.get(program("exits"), 0) > 0.9, objects)
        check(launcher not in objects, objects)


@test("a function of the kernel is a target, anywhere in the call chain, with who calls it")
def _():
    # Large blocks: of reads of 64 KiB, entering and leaving the kernel is half of the time, on other machines nearly all.
    # Where timeout's own clock runs out before measuring ends, its wait would be half of all time.
    _, told = profile_of("--target", "kernel:vfs_read", "--progress", "tracepoint:syscalls:sys_exit_read",
                         "--comm", "dd", "--seconds", "3", "--", "timeout", "4", "dd", "if=/dev/zero", "of=/dev/null", "bs=4M", "count=100000000")
    target, = [one for one in told["targets"] if one["name"] == "kernel:vfs_read"]
    equal(target["object"], "kernel")
    check(target["share"] > 0.5, target)
    equal(target["callers"][0]["system_call"], "read")
    check(target["callers"][0]["share"] > 0.9, target["callers"])


@test("with --kernel, functions of the kernel are found by themselves")
def _():
    said, told = profile_of("--kernel", *SAMPLE, "--progress", "tracepoint:syscalls:sys_exit_read",
                            "--seconds", "2", "--", "timeout", "3", "dd", "if=/dev/zero", "of=/dev/null", "bs=64k", "count=100000000")
    names = shares(told)
    check(sum(share for name, share in names.items() if name.startswith("kernel:")) > 0.5, names)
    said = lever("run", "--target", "kernel:vfs_raed", "--", "true")
    equal(said.returncode, 2)
    check("vfs_read" in said.stderr, said.stderr)


main()
