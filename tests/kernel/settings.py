#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""settings - which command works under a kernel's lockdown and Yama, by right: Debian's kernel, in a virtual machine by qemu.

    tests/kernel/settings.py BUILD [--suite bookworm] [--cache DIRECTORY]

They cannot be taken back, so rights.py, which has the other settings, cannot try them on the machine that it runs on. For
each setting, command and right, it says what answers: an engine, "annotations" (of a trace without the scheduler), or "no". Functional, not timed.
TAP on standard output; what is missing (qemu, apt-get, a network) makes tests skipped.
"""
import argparse
import os
import shutil
import sys

from old_kernels import EMULATORS, LATE, boot, fetch, file_system, sentence

RIGHTS = ("none", "caps", "root")
# What answers, by right, in each setting but those below.
USUAL = {
    "run": ("runtime", "kernel", "kernel"),
    "attach": ("no", "kernel", "kernel"),
    "record": ("perf", "kernel", "kernel"),
    "trace": ("annotations", "kernel", "kernel"),
}
# A setting, what the virtual machine does for it, and the commands that it changes. In this order: each adds to those before.
SETTINGS = (
    ("usual", "true", {}),
    ("yama 3", "echo 3 > $yama", {}),
    ("integrity", "echo integrity > $lockdown", {}),
    ("confidentiality", "echo confidentiality > $lockdown", {
        "run": ("runtime", "runtime", "runtime"),
        "attach": ("no", "no", "no"),
        "record": ("perf", "perf", "perf"),
        "trace": ("annotations", "annotations", "annotations"),
    }),
)
INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc none /proc; mount -t sysfs none /sys; mount -t tracefs none /sys/kernel/tracing
mount -t devtmpfs none /dev; mount -t tmpfs none /tmp; mount -t securityfs none /sys/kernel/security
say() { echo "lever-test $*"; }
yama=/proc/sys/kernel/yama/ptrace_scope
lockdown=/sys/kernel/security/lockdown
echo 2 > /proc/sys/kernel/perf_event_paranoid
chmod 755 / /lib* /usr /usr/lib* /src /src/runtime 2> /dev/null; chmod 1777 /tmp /dev/shm 2> /dev/null
say release $(uname -r), $(cat $lockdown), yama $(cat $yama)
/exits plain 100000000 > /dev/null 2>&1 &
other=$!
as() {
	right=$1; shift
	case $right in
	none) /setpriv --reuid=65534 --regid=65534 --clear-groups -- "$@" ;;
	caps) /setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=+bpf,+perfmon --ambient-caps=+bpf,+perfmon -- "$@" ;;
	root) "$@" ;;
	esac
}
cell() { # SETTING RIGHT NAME COMMAND...
	setting=$1 right=$2 name=$3; shift 3
	rm -f /tmp/p.lever*
	as $right /lever "$@" > /tmp/out 2>&1
	code=$?
	engine=no
	case $code in
	0 | 3) engine=$(/lever report /tmp/p.lever --format json | tr -d '\\n' | grep -o '"engine": *"[a-z ]*"' | head -n 1 | cut -d '"' -f 4) ;;
	esac
	say cell "$setting|$name|$right|$code|$engine|$(head -n 3 /tmp/out | tr '\\n' ' ')"
}
cells() {
	/lever check > /tmp/check 2>&1
	say checked "$1|$?|$(grep -i lock /tmp/check | tr '\\n' ' ')"
	for one in none caps root; do
		cell "$1" $one run run -q -o /tmp/p.lever --speedups 0,100 --period 2ms -- /exits plain 3000
		cell "$1" $one attach run -q -o /tmp/p.lever --speedups 0,100 --period 2ms --pid $other --seconds 2
		cell "$1" $one record record -q -o /tmp/p.lever --seconds 1 -- /exits plain 3000
		cell "$1" $one trace trace -q -o /tmp/p.lever --seconds 1 -- /exits plain 3000
	done
}
SETTINGS
say complaints $(dmesg | grep -cE 'hung_task|rcu.*stall|soft lockup|BUG:|WARNING:')
say end
poweroff -f
"""


def script():
    return INIT.replace("SETTINGS", "\n".join(f'{act}; cells "{name}"' for name, act, _ in SETTINGS))


def judge(told, changes):
    """What differs from what is told here and in docs/security.md."""
    wrong = []
    for command, engines in USUAL.items():
        for right, wanted in zip(RIGHTS, changes.get(command, engines)):
            code, engine, words = told.get((command, right), ("never", "never", ""))
            if not engine.startswith(wanted):
                wrong.append(f"{command} with {right}: {engine} in place of {wanted} ({code}: {words})")
    return "\n".join(wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--suite", default="bookworm")
    parser.add_argument("--cache", default=os.path.expanduser("~/.cache/lever-kernels"))
    parser.add_argument("--seconds", type=int, default=1500, help="the longest that the machine may run")
    options = parser.parse_args()
    setpriv = shutil.which("setpriv")
    missing = [name for name in (EMULATORS["amd64"][0], "cpio", "apt-get", "dpkg-deb", "busybox", "setpriv") if not shutil.which(name)]
    kernel = None if missing else fetch(options.suite, options.cache, "amd64")
    print("1..%d" % (len(SETTINGS) + 1), flush=True)
    initial = os.path.join(options.cache, "initial-settings")
    said = {}
    if kernel:
        build = os.path.abspath(options.build)
        runtime = {f"/src/runtime/{name}": os.path.join(build, "src/runtime", name) for name in ("liblever-runtime.so", "liblever-points.so")}
        file_system(build, initial, script(), programs={"/setpriv": setpriv, **runtime})
        said = boot(kernel, initial, "amd64", options.seconds)
        print("# " + " ".join(said.get("release", ["no kernel booted"])), flush=True)
    failed = False
    for number, (name, _, changes) in enumerate(SETTINGS, 1):
        told = {}
        for line in said.get("cell", []):
            setting, command, right, code, engine, words = line.split("|", 5)
            if setting == name:
                told[(command, right)] = (code, engine, words)
                print(f"# {name}: {command}, {right}: {engine} ({code}) {words}", flush=True)
        for line in said.get("checked", []):
            if line.startswith(name + "|"):
                print("# lever check: " + line, flush=True)
        why = f"{', '.join(missing)} missing" if missing else "its kernel cannot be fetched" if not kernel else \
            "this machine is too slow to emulate it in time" if len(told) < len(USUAL) * len(RIGHTS) and LATE in said["all"] else None
        failure = None if why else judge(told, changes)
        failed |= bool(failure)
        sentence(number, f"under {name}, each command works with the rights that docs/security.md tells", failure, why)
    wrong = None if "end" not in said or said["complaints"] == ["0"] else "\n".join(said["all"].splitlines()[-60:])
    failed |= bool(wrong)
    sentence(len(SETTINGS) + 1, "the kernel has nothing to complain about", wrong, None if "end" in said else "it did not end")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
