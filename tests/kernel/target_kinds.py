#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""target_kinds - targets that are no code: system calls, spans, processes, classes of waiting."""
import os
import shutil

from kernel import check, equal, folder, lever, main, profile_of, program, run, shares, test, visits

UNITS, LONG = "400", "4000"


def told_of(what, *options, units=UNITS):
    _, told = profile_of(*options, "--", program("waits"), what, units)
    equal(visits(told, "units"), int(units))
    return told


def kinds(told):
    return {target["name"]: target["kind"] for target in told["targets"]}


@test("a system call is a target, with the time that it waits")
def _():
    told = told_of("timer", "--target", "syscall:clock_nanosleep")
    equal(kinds(told)["syscall:clock_nanosleep"], "syscall")
    check(shares(told)["syscall:clock_nanosleep"] > 0.7, shares(told))


@test("system calls are chosen with --granularity syscall")
def _():
    told = told_of("timer", "--granularity", "syscall")
    check(shares(told).get("syscall:clock_nanosleep", 0) > 0.7, shares(told))
    equal(set(kinds(told).values()), {"syscall"})


@test("waits of a class are a target, all of them")
def _():
    told = told_of("timer", "--class", "B")
    equal(kinds(told)["class:B"], "class")
    check(shares(told)["class:B"] > 0.7, shares(told))


@test("waits for locks are a target only as a class")
def _():
    told = told_of("lock", "--class", "L,I")
    check(shares(told)["class:L"] > 0.2, shares(told))
    check(shares(told).get("class:I", 0) < 0.1, shares(told))


@test("waits of a class are a target, those of some code")
def _():
    told = told_of("lock", "--class", "L", "-g", "function", "--target", "wait_for_it")
    check(shares(told)["wait_for_it class:L"] > 0.2, shares(told))
    told = told_of("lock", "--class", "L", "-g", "function", "--target", "make_wait")
    check(shares(told).get("make_wait class:L", 0) < 0.2, shares(told))


@test("code without a name is a target by the place that reports show")
def _():
    with folder() as place:
        stripped = os.path.join(place, "waits")
        equal(run("strip", "-o", stripped, program("waits")).returncode, 0)
        options = ("-g", "function", "--progress", "units")
        _, told = profile_of(*options, "--", stripped, "lock", UNITS)
        names = [target["name"] for target in told["targets"] if target["name"].startswith("waits+0x")]
        check(names, told["targets"])
        _, told = profile_of(*options, "--target", names[0], "--", stripped, "lock", UNITS)
        equal(kinds(told)[names[0]], "function")
        said = lever("run", "-q", "-o", os.path.join(place, "x.lever"), *options, "--target", "waits+0x7fffffff", "--", stripped, "lock", "4")
        check(said.returncode != 0 and "waits+0x7fffffff" in said.stderr, said.stderr)


@test("--focus: only what runs inside of the function is tried")
def _():
    for options in ([], ["-g", "function"]):
        _, told = profile_of("--focus", "left_br*", "--progress", "unit", "--seconds", "3", "--then-stop", *options,
                             "--", program("branches"), "100000000")
        tried = {target["function"] for target in told["targets"] if target["experiments"]}
        equal(tried, {"left_branch"}, told["targets"])
    said = lever("run", "--focus", "left_brench", "--progress", "unit", "--", program("branches"), "5000")
    equal(said.returncode, 2, said.stderr)
    check("left_branch" in said.stderr, said.stderr)
    said = lever("run", "--focus", "left_branch", "--target", "unit", "--", program("branches"), "1")
    check("--focus excludes --target" in said.stderr, said.stderr)


@test("with --granularity all lines, inclusive functions, system calls and waits are in one pool")
def _():
    found = kinds(told_of("timer", "--granularity", "all"))
    equal(found.get("syscall:clock_nanosleep"), "syscall", found)
    check({"line", "inclusive"} <= set(found.values()), found)
    told = told_of("lock", "--granularity", "all")
    check(shares(told)["class:L"] > 0.2, shares(told))
    check(shares(told).get("class:I", 0) < 0.1, shares(told))
    tried = {target["name"] for target in told["targets"] if target["experiments"]}
    shares_of = shares(told)
    # Below 1 % of the time nothing is tried. The share is of threads' time, so it is a part of that.
    check(all(shares_of[name] > 0.002 for name in tried), (tried, shares_of))


@test("without line numbers, the function in which the time is spent is tried")
def _():
    with folder() as place:
        stripped = os.path.join(place, "stripped")
        shutil.copy(program("branches"), stripped)
        run("strip", "--strip-debug", stripped)
        _, told = profile_of("--granularity", "all", "--progress", "unit", "--seconds", "15", "--then-stop", "--", stripped, "100000000")
    tried = {target["name"] for target in told["targets"] if target["experiments"]}
    check({"inclusive:left_branch", "inclusive:right_branch"} & tried, told["targets"])


@test("a span's time is that of its thread, without spans within")
def _():
    _, told = profile_of("--granularity", "span", "--progress", "rounds", "--", program("nested"), "12000")
    found = shares(told)
    equal(set(kinds(told).values()), {"span"})
    # 3 parts of outer, 1 of inner, 2 outside; the other thread's crossing span is none.
    check(0.35 < found["span:outer"] < 0.65, found)
    check(0.08 < found["span:inner"] < 0.3, found)
    check(found.get("span:crossing", 0) < 0.05, found)  # at most until the other thread ends it


@test("one span can be asked for by name")
def _():
    _, told = profile_of("--target", "span:inner", "--progress", "rounds", "--", program("nested"), "5000")
    check(0.08 < shares(told)["span:inner"] < 0.3, shares(told))


def of_two_programs(*options, counts=(100, 50)):
    """A shell that runs two programs in turn, one of them twice as long or more."""
    with folder() as place:
        for name in ("longer", "shorter"):
            shutil.copy(program("same_name"), os.path.join(place, name))
        script = f"while :; do {place}/longer {counts[0]}; {place}/shorter {counts[1]}; done"
        return profile_of("--seconds", "8", "--then-stop", "--progress", "tracepoint:sched:sched_process_exec", *options,
                          "--", "sh", "-c", script)[1]


@test("all processes of a name are a target, and are charged")
def _():
    told = of_two_programs("--target", "process:longer", "--speedups", "0,50")
    equal(kinds(told)["process:longer"], "process")
    share = shares(told)["process:longer"]
    check(0.45 < share < 0.9, told["targets"])
    found = found_of(told, "process:longer")
    gain = next(point["program_speedup"] for effect in found["effects"] for point in effect["points"]
                if point["speedup"] == 0.5)
    check(abs(gain - share / 2) < 0.08, (gain, share))


@test("processes are chosen with --granularity process, and are in the pool")
def _():
    told = of_two_programs("--granularity", "process")
    equal(set(kinds(told).values()), {"process"})
    check(shares(told)["process:longer"] > 1.3 * shares(told)["process:shorter"] > 0.1, shares(told))
    told = of_two_programs("--granularity", "all")
    equal(kinds(told).get("process:longer"), "process")
    check(found_of(told, "process:longer")["experiments"], told["targets"])
    # What starts a process is the same function of libc in all of them.
    inside = {(os.path.basename(target["object"] or ""), target["inside"]) for target in told["targets"]
              if target.get("inside", "").startswith("process:")}
    inside = {(name, process) for name, process in inside if name in ("longer", "shorter")}
    check(inside and inside <= {("longer", "process:longer"), ("shorter", "process:shorter")}, inside)


@test("processes with more than nine tenths of the time are tried in the pool")
def _():
    told = of_two_programs("--granularity", "all", counts=(200, 10))
    tried = {target["name"]: target["experiments"] for target in told["targets"] if target["experiments"]}
    check("process:longer" in tried, (shares(told)["process:longer"], tried))


@test("the only process is not tried in the pool, also where a third of its time is spinning")
def _():
    _, told = profile_of("--granularity", "all", "--seconds", "4", "--then-stop", "--", program("spinning_team"), "100000")
    tried = {target["name"]: target["kind"] for target in told["targets"] if target["experiments"]}
    check(tried and "process" not in tried.values(), tried)


def found_of(told, name):
    return next(target for target in told["targets"] if target["name"] == name)


@test("a set has its members' time, and each member is measured, too")
def _():
    told = told_of("lock", "-g", "function", "--target", "make_wait", "--with", "class:L:50%", "--speedups", "0,50",
                   units=LONG)
    found = found_of(told, "make_wait + class:L:50%")
    equal(found["kind"], "set")
    equal([(one["name"], one["kind"], one["level"]) for one in sorted(found["members"], key=lambda one: one["name"])],
          [("class:L", "class", 0.5), ("make_wait", "function", 1)])
    whole, parts = shares(told), shares(told)["make_wait"] + shares(told)["class:L"]
    check(abs(whole["make_wait + class:L:50%"] - parts) < 0.05, whole)


@test("a set with a member that never runs has no answer")
def _():
    said, told = profile_of("-g", "function", "--target", "make_wait", "--with", "answer", "--speedups", "0,50",
                            "--", program("waits"), "lock", LONG, codes=(3,))
    check("'answer' was in no sample" in said.stderr, said.stderr)
    check("'answer' was in no sample" in " ".join(told["warnings"]), told["warnings"])


@test("a set of which no file has a member is refused, and told beside other targets")
def _():
    of = ("--speedups", "0,50", "--", program("waits"), "lock", LONG)
    said = lever("run", "-g", "function", "--target", "make_wait", "--with", "no_such_code", *of)
    equal(said.returncode, 2, said.stderr)
    check("no function no_such_code" in said.stderr, said.stderr)
    said, told = profile_of("-g", "function", "--target", "wait_for_it", "--target", "make_wait", "--with", "no_such_code", *of,
                            codes=(3,))
    check("a set of targets was not measured: no function no_such_code" in said.stderr, said.stderr)
    check(found_of(told, "wait_for_it")["experiments"], told["targets"])


@test("a target that is not there is told with the remedy: what it may have been, or where names are listed")
def _():
    for name, remedy in (("sycall:fsync", "did you mean 'syscall:fsync'?"), ("no_such_code", '"nm -C FILE" lists those of a binary'),
                         ("kernel:no_such_code_at_all", "/proc/kallsyms lists them"), ("syscall:fsnc", "nearest: fsync"),
                         ("syscall:no_such_call_at_all", '"man 2 syscalls" lists them')):
        said = lever("run", "--quiet", "--target", name, "--", program("waits"), "lock", "1")
        equal((said.returncode, said.stdout), (2, ""), said.stderr)
        check(f"; {remedy}" in said.stderr and said.stderr.count("\n") == 1, said.stderr)


@test("a set that is all that the program's threads do has nothing to pause, and no answer")
def _():
    said, told = profile_of("--target", "*", "--as-one", "--speedups", "0,50", "-p", "outer",
                            "--", program("frequent_calls"), "5", codes=(3,))
    check("there is nothing to pause" in said.stderr, said.stderr)
    check("there is nothing to pause" in " ".join(told["warnings"]), told["warnings"])


@test("a pattern is one target with --as-one, with all that it matches")
def _():
    told = told_of("lock", "--target", "func:*wait*", "--as-one", "--speedups", "0,50", units=LONG)
    members = {one["name"] for one in found_of(told, "*wait*")["members"]}
    check("make_wait" in members, members)
    equal({target["name"] for target in told["targets"] if target["experiments"]} - {"*wait*"}, set())


@test("a named function has what is inlined in it; by function it has not, and the report says so")
def _():
    sentence = "of the code of score is inlined"
    for options, least, most in ((), 0.6, 0.9), (("-g", "function"), 0, 0.1):
        _, told = profile_of("--target", "score", *options, "--progress", "units", "--speedups", "0", "--", program("inlined_part"), LONG)
        share = shares(told)["score"]
        check(least <= share <= most, (options, share))
        equal(any(sentence in line for line in told["warnings"]), bool(options))


@test("a named function that a pointer enters and a jump leaves is told as one without samples")
def _():
    _, told = profile_of("--target", "inclusive:passing", "--progress", "units", "--speedups", "0", "--", program("jump_by_pointer"), LONG, codes=(0, 3))
    seen = shares(told).get("inclusive:passing", 0)  # its own two instructions may meet a sample
    check(seen < 0.01, shares(told))
    if not seen:
        check(any("inclusive:passing has no samples: it may end in a jump to working" in line for line in told["warnings"]), told["warnings"])
    _, told = profile_of("--target", "inclusive:working", "--progress", "units", "--speedups", "0", "--", program("jump_by_pointer"), LONG, codes=(0, 3))
    check(shares(told)["inclusive:working"] > 0.9, shares(told))
    check(not any("has no samples" in line for line in told["warnings"]), told["warnings"])


@test("the plain command tells that much of the time is page faults, where it is")
def _():
    for name, is_told in (("fresh_pages", True), ("inlined_part", False)):
        _, told = profile_of("--progress", "units", "--seconds", "3", "--then-stop", "--", program(name), "100000", codes=(0, 3))
        equal(any("mostly for page faults" in line for line in told["warnings"]), is_told, (name, told["warnings"]))


@test("without targets, functions of several threads are looked at together")
def _():
    _, told = profile_of("--seconds", "24", "--then-stop", "--", program("branches"), "1000000", codes=(0, 3))
    search, = told["set_searches"]
    check(search["candidates"] >= 2 and search["duration_ns"] > 1e8, search)
    sets = [one["members"].split(" + ") for one in search["measured"]]
    check(search["end"] in ("unfinished", "found", "nothing", "spread"), search)
    check(not sets or {"left_branch", "right_branch"} <= set(max(sets, key=len)), search)
    # Samples of a set that was found late count for the whole run, or else its gains are told too low.
    part = shares(told)
    for found in (target for target in told["targets"] if target["kind"] == "set"):
        names = [one["name"] for one in found["members"]]
        lines = [target for target in told["targets"] if target["kind"] == "line" and target["function"] in names]
        check(abs(part[found["name"]] - sum(part[line["name"]] for line in lines)) < 0.06, part)


@test("code that is assumed faster is so in controls, too, and targets say so")
def _():
    _, told = profile_of("--assume", "make_wait:50%", "-g", "function", "--target", "wait_for_it", "--speedups", "0,50",
                         "--", program("waits"), "lock", LONG)
    found = found_of(told, "wait_for_it after make_wait:50%")
    equal(found["assumed"], "make_wait:50%")
    check(told["program"]["delay_ns"] > 0.05 * told["program"]["wall_ns"], told["program"])


@test("unknown system calls, spans and classes are refused with what there is")
def _():
    said = lever("run", "--target", "syscall:fsnyc", "--", program("waits"), "timer", "1")
    equal(said.returncode, 2)
    check("nearest: fsync" in said.stderr, said.stderr)
    said = lever("run", "--target", "span:nothing", "--progress", "rounds", "--", program("nested"), "100")
    check("no span 'nothing'" in said.stderr, said.stderr)
    said = lever("run", "--class", "X", "--", program("waits"), "timer", "1")
    equal(said.returncode, 2)
    check("I (I/O)" in said.stderr, said.stderr)
    said = lever("run", "--class", "I", "--off-cpu", "no", "--", program("waits"), "timer", "1")
    equal(said.returncode, 2)
    said = lever("run", "--engine", "runtime", "--class", "S", "--", program("waits"), "timer", "1")
    equal(said.returncode, 2)


@test("--verbose prints choices, windows and pauses on stderr, and nothing on stdout")
def _():
    command = ("--target", "make_wait", "-g", "function", "--", program("waits"), "lock", UNITS)
    said, _ = profile_of("--verbose", *command)
    for line in ("calibration: kernel engine", "target make_wait: ", "window 1/1 of make_wait, speedup ", "pauses: "):
        check(f"lever: {line}" in said.stderr, said.stderr)
    check("lever:" not in said.stdout, said.stdout)
    said, _ = profile_of(*command)
    check("lever: window" not in said.stderr, said.stderr)


main()
