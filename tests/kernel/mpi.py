#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""mpi - jobs of Open MPI and MPICH on two hosts (namespaces.py): `lever run -- mpirun ...`, and named launchers.

A gain is compared with runs in which the work is really less, and with the same job on one host.
"""
import os
import re
import shutil

from kernel import LEVER, RAN, Skip, check, equal, folder, lever, main, program, report, run, test
from namespaces import ADDRESSES, NAMES, inside, two_hosts

ALLOWED = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
WORK = (10000, 2000, 2000)  # by rank 1, by rank 0, by both


def write_script(place, name, text):
    path = os.path.join(place, name)
    with open(path, "w", encoding="ascii") as file:
        file.write(text)
    os.chmod(path, 0o755)
    return path


def remote_shell(place):
    """As ssh: HOST COMMAND. Each host has its name, as mpirun asks for it."""
    return write_script(place, "remote", '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nhost=$1; shift\n'
                        'exec ip netns exec $host unshare --uts sh -c "hostname $host; $*"\n')


def job(place, kind, *work, seconds=12, hosts=NAMES[:2]):
    """Words of the job, to be run on the first host."""
    path = os.path.join(os.path.dirname(program("hosts")), "ranks_" + kind)
    if not shutil.which("mpirun." + kind) or not os.path.exists(path):
        raise Skip(f"no {kind}")
    os.environ.update(ALLOWED)
    how = (["--mca", "plm_rsh_agent", remote_shell(place), "--mca", "btl", "tcp,self", "--oversubscribe", "--host"] if kind == "openmpi" else
           ["-launcher", "ssh", "-launcher-exec", remote_shell(place), "-hosts"])
    return ["mpirun." + kind, *how, ",".join(hosts), "-np", "2", path, str(seconds), *map(str, work)]


def on_first(place, *words):
    return run(remote_shell(place), NAMES[0], *words)


def rate(place, kind, *work):
    said = on_first(place, *job(place, kind, *work, seconds=1))
    equal(said.returncode, 0, said.stderr)
    return float(said.stdout.split()[0])


def gains(place, words, tries=4):
    """At 50 and 100 %, each with its interval, in points, of the first run that tells both; and the report. While queues between ranks
    settle windows do not count, and a run may have no long series of windows at a speedup."""
    output = os.path.join(place, "mpi.lever")
    for _ in range(tries):
        said = on_first(place, LEVER, "run", "--fresh", "--output", output, "--granularity", "function", "--progress", "meeting", "--target", "solve",
                        "--speedups", "50,100", "--", *words)
        check(said.returncode in RAN, said.stderr)
        told = report(output)
        target, = [one for one in told["targets"] if one["name"] == "solve"]
        points = {one["speedup"]: one for effect in target["effects"] for one in effect["points"]}
        if {0.5, 1} <= points.keys():
            return [tuple(round(100 * points[speedup][key], 1) for key in ("program_speedup", "low", "high")) for speedup in (0.5, 1)], told
    raise AssertionError(f"none of {tries} runs tells both gains: {told['warnings']}")


def compare(kind):
    with two_hosts(), folder() as place:
        rates = [max(rate(place, kind, WORK[0] * left, *WORK[1:]) for _ in range(2)) for left in (1, 0.5, 0.001)]
        truth = [round(100 * (1 - rates[0] / one), 1) for one in rates[1:]]
        told, _ = gains(place, job(place, kind, *WORK))
        print(f"# {kind}: told {told}, true {truth}", flush=True)
        for one, true in zip(told, truth):
            # Ranks wait by polling, which counts as work. A known error: such gains are told up to 14 points too low, on one host, too (docs/mpi.md).
            check(min(one[1], one[0] - 6) <= true <= max(one[2], one[0] + 15), f"{told} for {truth}")


@test("ranks of Open MPI on two hosts are one program, and a gain is that of less work")
def _():
    compare("openmpi")


@test("ranks of MPICH on two hosts are one program, and a gain is that of less work")
def _():
    compare("mpich")


@test("agents are started by ssh, srun and kubectl, each in its own way")
def _():
    expected = {"ssh": "%h LEVER agent", "srun": "--overlap --quiet --nodes=1 --ntasks=1 --nodelist %h LEVER agent", "kubectl": "exec --stdin %h -- LEVER agent"}
    with two_hosts(), folder() as place:
        for name, words in expected.items():
            write_script(place, name, f'#!/bin/sh\necho "$*" > {place}/words\nexec ip netns exec {NAMES[1]} {LEVER} agent\n')
            said = run("env", f"PATH={place}:{os.environ['PATH']}", *inside(0, LEVER, "run", "--output", f"{place}/{name}.lever", "--progress", "request", "--hosts",
                                                                        f"{NAMES[1]}={ADDRESSES[1]}", "--launch", name, "--", program("hosts"), "-", "0", "1"))
            check(said.returncode in RAN, said.stderr)
            with open(os.path.join(place, "words"), encoding="ascii") as file:
                equal(file.read().strip(), words.replace("%h", NAMES[1]).replace("LEVER", LEVER))
            check(re.search(r"^at \d+ paused", said.stdout, re.M), said.stdout)  # by the program there


@test("mpirun starts agents of a program that is none of MPI")
def _():
    with two_hosts(), folder() as place:
        job(place, "openmpi", 1, 1, 1)
        said = run("env", f"OMPI_MCA_plm_rsh_agent={remote_shell(place)}", remote_shell(place), NAMES[0], LEVER, "run", "--output", f"{place}/m.lever",
                   "--progress", "request", "--hosts", f"{NAMES[1]}={ADDRESSES[1]}", "--launch", "mpirun", "--", program("hosts"), "-", "0", "1")
        check(said.returncode in RAN, said.stderr)
        check(re.search(r"^at \d+ paused", said.stdout, re.M), said.stdout)


@test("a rank that finds no engine runs all the same, and says that it is missing")
def _():
    said = lever("agent", "--join", "0123", "echo", "here")
    equal((said.returncode, said.stdout), (0, "here\n"))
    check("not part of the profile" in said.stderr, said.stderr)


@test("the hosts of a job whose program cannot be told are asked for")
def _():
    said = lever("run", "--output", "/dev/null", "--", "mpirun", "--host", "a,b", "--frobnicate", "3", "true")
    equal(said.returncode, 2)
    check("name hosts by --hosts" in said.stderr, said.stderr)


main()
