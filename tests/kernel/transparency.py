#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""transparency - a program sees no difference whether it is started by lever or not."""
import os
import resource
import signal
import subprocess

from kernel import LEVER, RAN, check, equal, folder, lever, main, profile_of, program, report, test, visits

IGNORED = (signal.SIGUSR2, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ)
BLOCKED = (signal.SIGUSR1, signal.SIGALRM, signal.SIGRTMIN)


def unusual_start():
    """In the new process: sets unusual limits, masks and other attributes."""
    for limit, value in ((resource.RLIMIT_NOFILE, 333), (resource.RLIMIT_CORE, 0),
                         (resource.RLIMIT_MEMLOCK, 65536), (resource.RLIMIT_NPROC, 4321),
                         (resource.RLIMIT_STACK, 4 << 20)):
        resource.setrlimit(limit, (value, value))
    for number in IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, BLOCKED)
    os.umask(0o027)
    os.nice(3)
    os.sched_setaffinity(0, {0})


def start(words, place, start_with=unusual_start, **options):
    extra = os.open("/dev/null", os.O_RDONLY)
    os.dup2(extra, 77)
    try:
        return subprocess.run(words, input="from stdin\n", stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.PIPE, check=False, cwd=place, timeout=60,
                              preexec_fn=start_with, pass_fds=(77,),
                              env={"PATH": "/usr/bin:/bin", "ODD": "a=b c", **options})
    finally:
        os.close(extra)
        os.close(77)


def seen(path):
    """The program's output without the numbers of pipes, which differ between starts."""
    with open(path, encoding="utf-8") as file:
        return [line.split("pipe:[")[0].rstrip("\n") for line in file]


def compare(place, start_with, **environment):
    words = [program("startup_state"), "seen", "an argument", "--output", "-q", ""]
    bare = start(words, place, start_with, **environment)
    equal(bare.returncode, 42)
    before = seen(os.path.join(place, "seen"))
    os.remove(os.path.join(place, "seen"))
    told = start([LEVER, "run", "-o", "mirror.lever", "--", *words], place, start_with, **environment)
    check(told.returncode in RAN, told.stderr)
    after = seen(os.path.join(place, "seen"))
    listens = [line for line in after if line.startswith("environment: LEVER_LISTEN=")]
    equal(len(listens), 1, after)
    after.remove(listens[0])
    equal(sorted(set(before) ^ set(after)), [], "seen only once")
    equal(after, before)
    equal(told.stdout, bare.stdout)
    check(told.stderr.startswith(bare.stderr), told.stderr)
    equal(report(os.path.join(place, "mirror.lever"))["program"]["exit_status"], 42)


@test("limits, signals, descriptors, environment, groups and standard files are the same under lever")
def _():
    with folder() as place:
        compare(place, unusual_start)


@test("so are they where nothing is unusual, and where LD_PRELOAD was already set")
def _():
    with folder() as place:
        compare(place, None, LD_PRELOAD="")


@test("where SIGCHLD is ignored, the program is still seen to end, with its own exit code")
def _():
    def ignore():
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)

    with folder() as place:
        compare(place, ignore)


@test("with closed standard files, lever writes into no file of the program's")
def _():
    with folder() as place:
        words = (f"exec {LEVER} run -q -o closed.lever -- {program('exits')} plain 500 done "
                 "<&- >&- 2>&-")
        ended = subprocess.run(["sh", "-c", words], cwd=place, check=False, timeout=60)
        check(ended.returncode in RAN, ended.returncode)
        with open(os.path.join(place, "done"), encoding="utf-8") as file:
            equal(file.read(), "done\n")
        equal(visits(report(os.path.join(place, "closed.lever")), "units"), 500)


@test("the program has standard output to itself, and lever's summary goes to stderr")
def _():
    said, _ = profile_of("--", "echo", "mine alone")
    equal(said.stdout, "mine alone\n")
    check("Causal profile of echo" in said.stderr, said.stderr)


@test("--quiet says nothing, or in one sentence that there is no answer")
def _():
    with folder() as place:
        output = os.path.join(place, "quiet.lever")
        said = lever("run", "-q", "-o", output, "--", program("exits"), "plain", "2000")
        check(said.returncode in RAN, said.returncode)
        sentence = f"lever: no answer; lever report {output} tells why\n"
        equal((said.stdout, said.stderr), ("", sentence if said.returncode == 3 else ""))


main()
