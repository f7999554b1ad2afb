#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""kubernetes - `kubectl lever` over two pods. There is no cluster here: kubectl is a script, whose pods are network namespaces."""
import contextlib
import os
import re
import signal
import subprocess
import sys
import time

from kernel import LEVER, RAN, check, equal, folder, main, program, report, run, test
from namespaces import ADDRESSES, NAMES, two_hosts

PLUGIN = os.path.abspath(sys.argv[3])
# Takes what the plugin and lever itself say, and nothing else.
KUBECTL = """#!/bin/sh
echo "$*" >> {place}/words
case "$*" in
"get pods --namespace work --selector app=job --field-selector status.phase=Running --output jsonpath="*) printf '%s' '{pods}'; exit ;;
"exec --namespace work "* | "exec --stdin --namespace work "*) ;;
*) exit 9 ;;
esac
while [ "$1" != -- ]; do
	pod=$1
	[ "$pod" != --stdin ] || [ "$2" != --namespace ] || shift
	shift
done
shift
exec ip netns exec "$pod" "$@"
"""


@contextlib.contextmanager
def cluster(pods):
    with folder() as place:
        with open(os.path.join(place, "kubectl"), "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o755)) as file:
            file.write(KUBECTL.format(place=place, pods=pods))
        os.symlink(LEVER, os.path.join(place, "lever"))
        yield place


def words_of(place, *words):
    return ["env", "-C", place, f"PATH={place}:{os.environ['PATH']}", PLUGIN, "-n", "work", "-l", "app=job", *words]


@test("a job of all pods is one run, and its profile comes to where it was asked for")
def _():
    with two_hosts(), cluster(f"{NAMES[0]}={ADDRESSES[0]} {NAMES[1]}={ADDRESSES[1]} ") as place:
        said = run(*words_of(place, "run", "--progress", "request", "--output", "job.lever", "--granularity", "function", "--target", "serve", "--speedups", "100",
                             "--", program("hosts"), ADDRESSES[1], "7914", "6", "400", "1600", "0"))
        check(said.returncode in RAN, said.stderr)
        check(re.search(r"^[\d.]+ requests a second", said.stdout, re.M), said.stdout)
        told = report(os.path.join(place, "job.lever"))
        effect, = [one["effects"][0] for one in told["targets"] if one["name"] == "serve"]
        check(effect["points"][-1]["program_speedup"] > 0.2, str(effect["points"]))  # of the other pod; 0.75 on a calm machine
        equal(sorted(os.listdir(place)), ["job.lever", "kubectl", "lever", "words"])


@test("what ends kubectl ends the job in the pods, and the profile is kept")
def _():
    with two_hosts(), cluster(f"{NAMES[0]}={ADDRESSES[0]} {NAMES[1]}={ADDRESSES[1]} ") as place:
        with subprocess.Popen(words_of(place, "record", "--", program("hosts"), "-", "0", "60"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                              stderr=subprocess.DEVNULL) as job:
            check(job.stdout.readline().startswith("at "), "the other pod's program does not run")
            time.sleep(1)
            job.send_signal(signal.SIGTERM)
            job.wait(20)  # by itself the program ends after 60 s
        check(report(os.path.join(place, "lever.lever"))["kind"], "no profile")
        equal(run("pgrep", "-f", program("hosts") + " - 0").stdout, "")


@test("no pod, a verb that is none for pods, and options that name hosts are told")
def _():
    with cluster("") as place:
        for words, expected in ((("run", "--", "true"), "no pod of app=job runs in the namespace work"), (("report", "x"), "'report' is no verb for pods"),
                                (("run", "--hosts", "a", "--", "true"), "the pods of app=job are the hosts"), (("run", "true"), "give the program behind --")):
            said = run(*words_of(place, *words))
            equal(said.returncode, 2, said.stderr)
            check(expected in said.stderr, said.stderr)


main()
