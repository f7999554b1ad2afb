#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""storms - very many short or living tasks, and a container that vanishes, are profiled to their end."""
import os
import subprocess
import time

from kernel import LEVER, RAN, check, folder, main, program, report, run, test

STORMS = {  # and how many there are at least
    "forks 2": 2000,
    "execs 2": 500,
    "bomb 2": 1000,
    "threads 10000": 10000,
}

for storm_name, at_least in STORMS.items():
    @test(f"storm {storm_name}: more than {at_least - 1} tasks are profiled to their end, in each verb and engine")
    def _(storm=storm_name, least=at_least):
        for verb in (["record"], ["run", "-e", "kernel"], ["run", "-e", "runtime"], ["trace"]):
            with folder() as place:
                output = os.path.join(place, "x.lever")
                said = run(LEVER, *verb, "-q", "-o", output, "--", program("storm"), *storm.split())
                check(said.returncode in RAN, f"{verb}: {said.returncode} {said.stderr}")
                count = int(said.stdout or 0)
                print(f"# {' '.join(verb)}: {count}")
                check(count >= least, f"{verb}: {count}")
                report(output)


@test("a container that vanishes is profiled to its end")
def _():
    with folder() as place:
        output = os.path.join(place, "x.lever")
        inside = f"{program('exits')} plain 100000000 & {program('exits')} plain 100000000 & sleep 1; kill -9 $$"
        for verb in (["record"], ["run"], ["trace"]):
            with subprocess.Popen(["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "--net", "sh", "-c", inside],
                                  stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as outer:
                time.sleep(0.2)
                said = run(LEVER, *verb, "-q", "--fresh", "-o", output, "--seconds", "3", "--pid", str(outer.pid))
                check(said.returncode in RAN, f"{verb}: {said.returncode} {said.stderr}")
                report(output)


main()
