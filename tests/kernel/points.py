#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""points - progress points of every kind count all visits."""
import json
import os
import re

from kernel import (LEVER, RAN, Skip, check, equal, folder, lever, main, profile_of, program,
                    report, run, test, visits)

JOBS = 1500


def line_of(source, mark):
    """The line of a test program that carries this mark."""
    path = os.path.join(os.path.dirname(__file__), "programs", source)
    with open(path, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if mark in line)


def kind(told, name):
    return next(point["kind"] for point in told["progress"] if point["name"] == name)


@test("points of lever.h are found without being named, spans as latencies")
def _():
    _, told = profile_of("--", program("exits"), "plain", "2000")
    equal([(point["name"], point["kind"], point["visits"]) for point in told["progress"]],
          [("units", "throughput", 2000), ("unit span", "latency", 2000)])


@test("a function of an unmodified program is a progress point")
def _():
    _, told = profile_of("--progress", "job_end", "--", program("pairs"), str(JOBS))
    equal(visits(told, "job_end"), JOBS)


@test("a function that begins with a locked instruction is a progress point")
def _():
    _, told = profile_of("--progress", "served", "--", program("locked_first"), str(JOBS))
    equal(visits(told, "served"), JOBS)


@test("a point that the program visits so often that counting costs much is warned of, a seldom visited one is not")
def _():
    costly = "counting served takes"
    _, told = profile_of("--progress", "served", "--seconds", "2", "--then-stop", "--", program("locked_first"), "2000000")
    check(any(costly in one for one in told["warnings"]), told["warnings"])
    _, told = profile_of("--progress", "job_end", "--seconds", "2", "--then-stop", "--", program("pairs"), "100000", "300000")
    check(not any("counting job_end takes" in one for one in told["warnings"]), told["warnings"])


@test("of a function and a point of one name, the function counts, and point: names the other")
def _():
    _, told = profile_of("--progress", "served", "--", program("same_name"), str(JOBS))
    equal(visits(told, "served"), 2 * JOBS)
    _, told = profile_of("--progress", "point:served", "--", program("same_name"), str(JOBS))
    equal([(point["name"], point["visits"]) for point in told["progress"]], [("served", JOBS)])


@test("a function in several binaries is one point: their sum, or those that are named; by process, too")
def _():
    # Which programs the shell starts is seen when it does, so the first visits are not counted.
    script = '"$0" plain 20000 & "$1" plain 20000; wait'
    _, told = profile_of("--progress", "bin:exits*:unit", "--", "sh", "-c", script, program("exits"), program("exits-static"))
    processes = told["progress"][0]["processes"]
    equal(sorted(one["name"] for one in processes), ["exits", "exits-static"])
    equal(sum(one["visits"] for one in processes), visits(told, "bin:exits*:unit"))
    check(min(one["visits"] for one in processes) > 10000, processes)


@test("a function of a binary named by its path is counted from its first call on, in no other binary")
def _():
    script = '"$0" plain 700 & "$1" plain 900; wait'
    for place in ("unit", "unit.h:%d" % line_of("unit.h", 'NAMED("units")')):
        name = f"bin:{program('exits-static')}:{place}"
        _, told = profile_of("--progress", name, "--", "sh", "-c", script, program("exits"), program("exits-static"))
        equal(visits(told, name), 900)
    said = lever("run", "-o", "/dev/null", "--progress", "bin:exits*", "--", "true")
    equal(said.returncode, 2)
    check("bin:GLOB:FUNCTION" in said.stderr, said.stderr)


@test("points of lever.h are counted by process, too, and the text report tells it")
def _():
    with folder() as place:
        output = os.path.join(place, "test.lever")
        said = lever("run", "-o", output, "--", "sh", "-c", '"$0" plain 700 & "$0" plain 900; wait', program("exits"))
        check(said.returncode in RAN, said.stderr)
        told = report(output)
        for point in told["progress"]:
            equal(point["visits"], 1600)
            equal(sorted(one["visits"] for one in point["processes"]), [700, 900], point)
        text = lever("report", output).stdout
        pid = point["processes"][0]["pid"]
        check(re.search(rf"^ +exits {pid}: 900, exits \d+: 700$", text, re.MULTILINE), text)


@test("a line of an unmodified program is a progress point")
def _():
    name = f"pairs.c:{line_of('pairs.c', 'ended line')}"
    _, told = profile_of("--progress", name, "--", program("pairs"), str(JOBS))
    equal(visits(told, name), JOBS)


@test("a static probe is a progress point")
def _():
    if "stapsdt" not in run("readelf", "-n", program("pairs")).stdout:
        raise Skip("sys/sdt.h (systemtap-sdt-dev) was not there")
    _, told = profile_of("--progress", "usdt:pairs:ended", "--", program("pairs"), str(JOBS))
    equal(visits(told, "usdt:pairs:ended"), JOBS)


@test("a tracepoint of the kernel is a progress point, counted in the program alone")
def _():
    name = "tracepoint:syscalls:sys_enter_write"
    _, told = profile_of("--progress", name, "--", program("exits"), "writes", str(JOBS))
    equal(visits(told, name), JOBS)


@test("a line that is too busy to count is a sampled progress point")
def _():
    name = f"sampled:pairs.c:{line_of('pairs.c', 'hot line')}"
    _, told = profile_of("--progress", name, "--", program("pairs"), str(JOBS))
    check(visits(told, name) > 10, told["progress"])
    equal(kind(told, name), "sampled")


@test("two functions make a latency, also in two threads")
def _():
    _, told = profile_of("--latency", "job_begin,job_end", "--", program("pairs"), str(2 * JOBS))
    equal(visits(told, "job_begin,job_end"), 2 * JOBS)
    equal(kind(told, "job_begin,job_end"), "latency")


def compared(point, *programs):
    said = lever("diff", "--quiet", "--runs", "12", "--all-runs", "--format", "json", "--progress", point, "--pair", *programs)
    equal(said.returncode, 0, said.stderr)
    return json.loads(said.stdout)


@test("two commands are compared by the time of a visit, whatever their runs take")
def _():
    short, long = (f"{program('exits')} plain {count}" for count in (800, 2400))
    for point in ("units", "unit"):
        told = compared(point, short, long)
        equal(told["progress"], point)
        check(0.8 < told["ratio"] < 1.25, told)
    by_run = lever("diff", "--quiet", "--runs", "12", "--all-runs", "--format", "json", "--pair", short, long)
    check(json.loads(by_run.stdout)["ratio"] > 1.8, by_run.stdout)
    said = lever("diff", "--quiet", "--progress", "nothing", "--pair", short, long)
    equal(said.returncode, 2)
    check("does not visit the progress point nothing" in said.stderr and "units" in said.stderr, said.stderr)


@test("several points count side by side")
def _():
    _, told = profile_of("-p", "unit", "-p", "units", "-p", "tracepoint:syscalls:sys_enter_write",
                         "--", program("exits"), "writes", str(JOBS))
    equal({point["visits"] for point in told["progress"]}, {JOBS}, told["progress"])
    equal(len(told["progress"]), 3)


def count_coz(engine):
    with folder() as place:
        output = os.path.join(place, "coz.lever")
        said = run(engine, "run", "-o", output, "--", program("coz_units"), str(JOBS))
        check(said.returncode in RAN, said.stderr)
        told = report(output)
        equal(visits(told, "rows"), JOBS)
        equal(visits(told, "transaction"), JOBS)
        equal(kind(told, "transaction"), "latency")


@test("a program built with coz.h counts unchanged, from the build folder")
def _():
    count_coz(LEVER)


@test("so it does from an installed tree")
def _():
    with folder() as place:
        said = run("meson", "install", "--no-rebuild", "-C", os.path.dirname(LEVER), "--destdir", place)
        equal(said.returncode, 0, said.stdout + said.stderr)
        installed = [os.path.join(path, "lever") for path, _, names in os.walk(place)
                     if "lever" in names and os.path.basename(path) == "bin"]
        equal(len(installed), 1, installed)
        count_coz(installed[0])


@test("--end-to-end runs the program as often as is asked, one experiment a run")
def _():
    with folder() as place:
        done, output = os.path.join(place, "done"), os.path.join(place, "whole.lever")
        said = lever("run", "-o", output, "--end-to-end", "--runs", "6", "--", program("exits"),
                     "plain", "2000", done)
        check(said.returncode in RAN, said.stderr)
        with open(done, encoding="utf-8") as file:
            equal(file.read(), "done\n" * 6)
        told = report(output)
        equal(kind(told, "end-to-end"), "end-to-end")
        effects = [effect["progress"] for target in told["targets"] for effect in target["effects"]]
        equal(set(effects) - {"end-to-end"}, set())


@test("--end-to-end stops with 1 when a run fails")
def _():
    with folder() as place:
        said = lever("run", "-o", os.path.join(place, "x.lever"), "--end-to-end", "--runs", "6", "--",
                     program("exits"), "seven", "2000")
        equal(said.returncode, 1, said.stderr)
        check("exit code 7" in said.stderr, said.stderr)


def found_points(place, *arguments, sentence="CPU time"):
    output = os.path.join(place, "x.lever")
    said = lever("run", "--fresh", "-o", output, "--seconds", "6", "--then-stop", "--", program("pairs"), *arguments)
    check(said.returncode in RAN, said.stderr)
    check("progress is measured by" in said.stderr and sentence in said.stderr, said.stderr)
    return {point["name"] for point in report(output)["progress"]}


@test("without any point, lever finds functions with a steady rate that are cheap to count, and CPU time, and says so")
def _():
    with folder() as place:
        found = found_points(place, "100000", "300000")
        check("sampled:*" in found, found)
        check(found & {"job_begin", "job_end", "spin"}, found)
        # Thousands of jobs a second: breakpoints would take a tenth of a core.
        costly = found_points(place, "1000000", sentence="would cost too much to count")
        equal(costly & {"job_begin", "job_end", "spin"}, set())


@test("without a function that is called, CPU time is the progress")
def _():
    with folder() as place:
        output = os.path.join(place, "x.lever")
        said = lever("run", "-o", output, "--seconds", "4", "--", program("jit"), "60000")
        check(said.returncode in RAN, said.stderr)
        check("progress is measured by CPU time" in said.stderr, said.stderr)
        equal({point["name"] for point in report(output)["progress"]}, {"sampled:*"})


@test("what the search for units of work disturbs counts in no share")
def _():
    with folder() as place:
        for number in range(3):  # few samples are without pauses: shares of one run scatter by 0.02
            output = os.path.join(place, f"{number}.lever")
            said = lever("run", "-o", output, "--seconds", "6", "--", program("frequent_calls"), "8")
            check(said.returncode in RAN, said.stderr)
            targets = {target["name"]: target for target in report(output)["targets"]}
            if targets["inclusive:main"]["share"] > 0.97:
                break
        check(targets["inclusive:main"]["share"] > 0.97, targets["inclusive:main"])
        # Nor do they for the rule that a function is left to one that it calls for nearly all of its time.
        around = targets["inclusive:around"]
        check(0.6 < around["share"] < 0.9 and around["experiments"], around)


@test("a lever.h point is used, and nothing else is found")
def _():
    with folder() as place:
        output = os.path.join(place, "x.lever")
        said = lever("run", "-o", output, "--seconds", "3", "--", program("exits"), "plain", "70000")
        check(said.returncode in RAN, said.stderr)
        check("progress is measured by" not in said.stderr, said.stderr)


@test("a point or target that does not exist ends with 2, and the nearest names are told")
def _():
    for option, wrong, nearest in (("--progress", "job_ende", "job_end"),
                                   ("--target", "job_ende", "job_end"),
                                   ("--progress", "pairz.c:30", "nearest: pairs.c"),
                                   ("--progress", "usdt:pairs:endet", "nearest: pairs:ended"),
                                   ("--progress", "tracepoint:syscalls:sys_enter_wriet",
                                    "no tracepoint")):
        with folder() as place:
            said = lever("run", "-o", os.path.join(place, "x.lever"), option, wrong, "--",
                         program("pairs"), "100")
            equal(said.returncode, 2, f"{wrong}: {said.stderr}")
            check(nearest in said.stderr.replace(wrong, ""), f"{wrong}: {said.stderr}")


@test("a long enough run of one target is answered: 0, and a point for the speedup")
def _():
    with folder() as place:
        output = os.path.join(place, "answer.lever")
        for _ in range(4):  # each adds to the same profile, until a busy machine lets it
            said = lever("run", "-o", output, "--target", "unit", "--speedups", "0,50", "-g", "function",
                         "--window", "50ms", "--seconds", "3", "--", program("exits"), "plain", "70000")
            check(said.returncode in RAN, said.stderr)
            if said.returncode == 0:
                break
        equal(said.returncode, 0, said.stderr)
        target = next(target for target in report(output)["targets"] if target["name"] == "unit")
        effect = next(effect for effect in target["effects"] if effect["progress"] == "units")
        equal([point["speedup"] for point in effect["points"]], [0.5])
        check("25 % faster →" in said.stderr or "50 % faster →" in said.stderr, said.stderr)
        html = lever("report", output, "--format", "html", "-o", os.path.join(place, "answer.html"))
        if html.returncode == 0:  # else it was built without it
            check(f"in a browser: lever report --open {output}\n" in said.stderr, said.stderr)
        text, coz = lever("report", output), lever("report", output, "--format", "coz")
        equal((text.returncode, coz.returncode), (0, 0))
        check("unit" in text.stdout and "optimizing" in text.stdout, text.stdout)
        check(re.search(r"^experiment\tselected=\S*unit\S*\tspeedup=0\.50?\t", coz.stdout, re.M),
              coz.stdout[:500])
        check(re.search(r"^throughput-point\tname=units\tdelta=\d+", coz.stdout, re.M), coz.stdout[:500])


main()
