# SPDX-License-Identifier: BSD-2-Clause
"""arm64 - what old_kernels.py tries besides on an emulated arm64 machine."""
import json
import os
import re
import subprocess

# signed: the same with return addresses that are signed (pointer authentication), and without frame pointers.
SCRIPT = """
kill $other
/lever run -q -o /tmp/f.lever -g function --speedups 0,50,100 --period 2ms --seconds 20 -- /single_thread -t 60 -l 200 > /tmp/out 2>&1; say truth $?
sed 's/^/lever-test said /' /tmp/out
/lever report /tmp/f.lever --format json | tr -d '\\n' | sed 's/^/lever-test gains /'; echo
LD_LIBRARY_PATH=/lib /lever run -q --engine runtime -o /tmp/g.lever --speedups 0,50 --period 2ms --seconds 8 -- /single_thread -t 30 -l 200 > /tmp/out 2>&1; say runtime $?
sed 's/^/lever-test said /' /tmp/out
/lever record -q -o /tmp/h.lever --seconds 3 -- /signed 3000 > /tmp/out 2>&1; say signed $?
/lever report /tmp/h.lever --format folded | sed 's/^/lever-test chain /'
/lever trace -q -o /tmp/i.lever --seconds 2 -- /nested 20 > /tmp/out 2>&1; say trace $?
sed 's/^/lever-test said /' /tmp/out
/lever report /tmp/i.lever | sed 's/^/lever-test timeline /'
"""


def root():
    """The folder with Debian's libraries for arm64 (tools/cross)."""
    cross = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/cross")
    return subprocess.run([cross, "arm64", "--root"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout.strip()


def compiled(build, name, source, *options):
    path = os.path.join(build, name)
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run(["clang", "--target=aarch64-linux-gnu", "--sysroot=" + root(), "-O2", "-g", "-w", "-pthread", "-I" + here + "/../../include",
                    *options, os.path.join(here, source), "-o", path], check=True)
    return path


def programs(build):
    """The programs, by their path on the emulated machine."""
    return {
        "/single_thread": compiled(build, "single_thread", "../accuracy/single_thread.c"),
        "/signed": compiled(build, "signed", "programs/sites.c", "-fomit-frame-pointer", "-mbranch-protection=standard"),
        "/nested": os.path.join(build, "tests/kernel/programs/nested"),
        "/lib/lever/liblever-runtime.so": os.path.join(build, "src/runtime/liblever-runtime.so"),
    }


TRUTH = {"larger": 0.7, "smaller": 0.3}  # of single_thread: the share of each function
TOLERANCE = 0.15  # beside the interval: an emulator's time is not even
CHAIN = r"main;(wait_in_all_ways;)+wait_for_child;"


def judge_gains(text):
    targets = json.loads(text).get("targets", [])
    wrong = [f"{name} was not measured" for name in TRUTH if not any(target["function"] == name and target["effects"] for target in targets)]
    for target in targets:
        for effect in target["effects"] if target["function"] in TRUTH else []:
            truth = TRUTH[target["function"]]
            if not effect["slope_low"] - TOLERANCE <= truth <= effect["slope_high"] + TOLERANCE:
                wrong.append(f"{target['function']} gains {effect['slope_low']} to {effect['slope_high']}, in truth {truth}")
    return wrong


def judge(said):
    """Descriptions of what is wrong in the output of a machine that has reached its end."""
    wrong = [f"{word} ended with {said.get(word)}" for word in ("truth", "runtime", "signed", "trace") if said.get(word, [""])[0] not in ("0", "3")]
    try:
        wrong += judge_gains(said.get("gains", ["{}"])[0])
    except (ValueError, KeyError, TypeError) as why:
        wrong.append(f"no report with gains: {why!r}")
    if not any(re.search(CHAIN, line) for line in said.get("chain", [])):
        wrong.append(f"no call chain {CHAIN} through signed return addresses")
    if not any(" inner " in line and " 20 " in line for line in said.get("timeline", [])):
        wrong.append("the timeline has not 20 spans 'inner'")
    return wrong
