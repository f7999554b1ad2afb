#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""old_kernels - lever on other kernels: Debian's, in a virtual machine by qemu.

    tests/kernel/old_kernels.py BUILD [--suites bookworm,trixie] [--cache DIRECTORY] [--architecture arm64]

Fetches each suite's linux-image-cloud-amd64 (or -arm64: then BUILD was made by tools/cross) by apt-get, from the mirror that this machine uses, into
--cache; boots it with an initial file system that holds lever and one of the test's programs, and no
disk or network. There, lever must load, attach, sample, pause, count all visits, and restore: after its
end, by itself or by kill -9, none of its BPF programs is left, and the kernel has nothing to complain
about; a core that goes offline and comes again is sampled again. Functional, not timed: qemu emulates, which takes about a minute a kernel on a calm machine; one too
slow to end within --seconds is skipped, if nothing was wrong until then. The processor has no cmpxchg16b:
qemu 7.2 leaves garbage in the flags after it, of which Linux 6.12 dies. Sometimes a core of qemu's runs the breakpoint of code that
another one has patched meanwhile, of which Linux 6.12 dies, too ("Oops: int3"): such a machine is booted anew. On arm64 more is tried: annotations
on a timeline, experiments with known truth by both engines, call chains through signed return addresses. TAP on standard output;
what is missing (qemu, apt-get, a network) makes tests skipped.
"""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import arm64

UNITS = 20000
BPFTOOL = shutil.which("bpftool", path=os.environ.get("PATH", "") + ":/usr/sbin") or "bpftool"
EMULATORS = {
    "amd64": ["qemu-system-x86_64", "-machine", "q35,accel=tcg", "-cpu", "qemu64,-cx16"],
    "arm64": ["qemu-system-aarch64", "-machine", "virt", "-cpu", "max,sve=off,pauth-impdef=on"],
}
# On amd64 300 cores are possible, and all state by core is that large; two are there.
CONSOLES = {"amd64": "console=ttyS0 possible_cpus=300", "arm64": "console=ttyAMA0 watchdog_thresh=60"}
MARK = "lever-test"
LATE = "(it did not end)"
INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc none /proc; mount -t sysfs none /sys; mount -t tracefs none /sys/kernel/tracing
mount -t devtmpfs none /dev; mount -t tmpfs none /tmp
say() { echo "lever-test $*"; }
say release $(uname -r), cores $(cat /sys/devices/system/cpu/possible)
/lever check > /tmp/check; say check $?; sed 's/^/lever-test checked /' /tmp/check
/lever run -q -o /tmp/a.lever --speedups 0,50,100 --period 2ms -- /exits threads UNITS > /tmp/out 2>&1; say run $?
sed 's/^/lever-test said /' /tmp/out
/lever report /tmp/a.lever --format json > /tmp/json; say report $?
tr -d '\\n' < /tmp/json | sed 's/^/lever-test json /'; echo
/exits plain 100000000 > /dev/null 2>&1 &
other=$!
sleep 1
/lever run -q -o /tmp/b.lever --pid $other --seconds 3 --speedups 0,100 --period 2ms > /tmp/out 2>&1; say attach $?
sed 's/^/lever-test said /' /tmp/out
/lever run -q -o /tmp/c.lever --system --kernel --seconds 3 --speedups 0,100 --period 2ms -p units > /tmp/out 2>&1; say system $?
sed 's/^/lever-test said /' /tmp/out
programs() { /bpftool prog show | grep -c '^[0-9]'; }
before=$(programs)
/lever run -q -o /tmp/e.lever --system --speedups 100 --period 2ms > /dev/null 2>&1 &
victim=$!
waited=0
while [ $(programs) -le $before ] && [ $waited -lt 60 ]; do sleep 1; waited=$((waited + 1)); done
sleep 2; say during $(programs)
kill -9 $victim; sleep 2; say left $(($(programs) - before))
kill -0 $other; say alive $?
/lever record -q -o /tmp/d.lever --seconds 2 -- /exits plain UNITS > /tmp/out 2>&1; say record $?
/lever report /tmp/d.lever --format json | tr -d '\\n' | grep -o '"engine": *"[a-z ]*"' | sed 's/^/lever-test recorder /'
sed 's/^/lever-test said /' /tmp/out
samples() {
	/lever record -q -o /tmp/u.lever --pid $other --seconds 6 > /dev/null 2>&1
	/lever report /tmp/u.lever --format json | tr -d '\\n' | grep -o '"samples": *[0-9]*' | grep -o '[0-9]*' | head -n 1
}
say still $(samples)
core=/sys/devices/system/cpu/cpu1/online
(sleep 2; echo 0 > $core; echo 1 > $core; taskset -p 2 $other > /dev/null) &
say replugged $(samples), core 1 is $(cat $core)
LEVER_ASSUME_NO_BPF=1 /lever record -q -o /tmp/p.lever --seconds 2 -- /exits threads UNITS > /tmp/out 2>&1; say perf $?
sed 's/^/lever-test said /' /tmp/out
MORE
ip link set lo up
/lever run -q -o /tmp/h.lever --hosts self=127.0.0.1 --launch env --speedups 100 --period 2ms -- /exits plain UNITS > /tmp/out 2>&1; say hosts $?
sed 's/^/lever-test said /' /tmp/out
sleep 2
complaints() { dmesg | grep -E 'hung_task|rcu.*stall|soft lockup|BUG:|WARNING:'; }
complaints | sed 's/^/lever-test complained /'
say complaints $(complaints | wc -l)
say end
poweroff -f
"""


def sentence(number, name, failure=None, skip=None):
    print("%sok %d - %s%s" % ("not " if failure else "", number, name, f" # SKIP {skip}" if skip else ""), flush=True)
    if failure:
        print("\n".join("# " + line for line in failure.splitlines()), flush=True)


def run(*words, **options):
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **options)


def fetch(suite, cache, architecture):
    """The path of the suite's kernel, or None."""
    place = os.path.join(cache, suite if architecture == "amd64" else f"{suite}-{architecture}")
    kernels = glob.glob(place + "/boot/vmlinuz-*")
    if kernels:
        return kernels[0]
    for folder in ("lists/partial", "archives/partial"):
        os.makedirs(os.path.join(place, folder), exist_ok=True)
    with open(place + "/sources.list", "w", encoding="utf-8") as file:
        file.write(f"deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian {suite} main\n")
    options = ["-o", f"APT::Architecture={architecture}", "-o", f"APT::Architectures={architecture}", "-o", f"Dir::Etc::sourcelist={place}/sources.list", "-o", "Dir::Etc::sourceparts=-", "-o", "APT::Get::List-Cleanup=0",
               "-o", f"Dir::State::lists={place}/lists", "-o", "Acquire::Languages=none", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=20",
               "-o", f"Dir::Cache={place}", "-o", "Dir::State::status=/dev/null"]
    if run("apt-get", *options, "update").returncode:
        return None
    found = run("apt-cache", *options, "depends", f"linux-image-cloud-{architecture}").stdout
    package = re.search(r"Depends: (linux-image-\S+)", found)
    if not package or run("apt-get", *options, "download", package.group(1), cwd=place).returncode:
        return None
    run("dpkg-deb", "-x", glob.glob(place + "/linux-image-*.deb")[0], place)
    kernels = glob.glob(place + "/boot/vmlinuz-*")
    return kernels[0] if kernels else None


def libraries(program, root):
    """Paths of the libraries below `root`, of this machine if it is empty."""
    if not root:
        return re.findall(r"(/\S+) \(0x", run("ldd", program).stdout)
    found, left = [], [program]
    while left:
        said = run("readelf", "-ld", left.pop()).stdout
        for name in re.findall(r"NEEDED.*\[(.*)\]", said) + re.findall(r"interpreter: /lib/(.*)\]", said):
            for path in glob.glob(f"{root}/usr/lib/{name}") + glob.glob(f"{root}/usr/lib/*/{name}"):
                if path not in found:
                    found.append(path)
                    left.append(path)
    return found


def file_system(build, path, init, root="", programs=None):
    """An initial file system: busybox, lever, programs, and what they are linked with."""
    with tempfile.TemporaryDirectory() as place:
        for folder in ("bin", "proc", "sys/kernel", "tmp", "dev", "lib"):
            os.makedirs(os.path.join(place, folder))
        sources = {"/lever": "lever", "/exits": "tests/kernel/programs/exits"}
        sources = {name: os.path.join(build, source) for name, source in sources.items()}
        sources["/bin/busybox"] = root + "/bin/busybox" if root else shutil.which("busybox")
        sources["/bpftool"] = root + "/usr/sbin/bpftool" if root else BPFTOOL
        sources.update(programs or {})
        for name, source in sources.items():
            os.makedirs(os.path.dirname(place + name), exist_ok=True)
            shutil.copy(source, place + name)
            for library in libraries(source, root):
                to = place + ("/lib/" + os.path.basename(library) if root else library)
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copy(os.path.realpath(library), to)
        with open(place + "/init", "w", encoding="utf-8") as file:
            file.write(init)
        os.chmod(place + "/init", 0o755)
        run("sh", "-c", f"find . | cpio -o -H newc --quiet | gzip -1 > {path}", cwd=place)


def boot(kernel, initial, architecture, seconds):
    """The output of a machine that qemu has not broken, or of the last of three."""
    for left in (2, 1, 0):
        said = boot_once(kernel, initial, architecture, seconds)
        if "Oops: int3" not in said["all"] or not left:
            return said
        print("# qemu has run a breakpoint that was there no more; once more", flush=True)


def boot_once(kernel, initial, architecture, seconds):
    """The machine's output: {word: rest of the line}; a list where a word comes again."""
    command = [*EMULATORS[architecture], "-smp", "2", "-m", "1280", "-nographic", "-no-reboot", "-net", "none", "-kernel", kernel,
               "-initrd", initial, "-append", f"{CONSOLES[architecture]} panic=-1 quiet"]
    try:
        text = run(*command, timeout=seconds, errors="replace").stdout
    except subprocess.TimeoutExpired as late:
        text = (late.stdout or b"").decode(errors="replace") + "\n" + LATE
    said = {"all": text[-6000:]}
    for line in text.splitlines():
        found = re.search(MARK + r" (\w+) ?(.*?)\r?$", line)
        if found:
            said.setdefault(found.group(1), []).append(found.group(2))
    return said


def is_late(said):
    return "end" not in said and LATE in said["all"]


def judge(said, more):
    """A description of the failures up to the last line of output; empty without any."""
    wrong = []

    def must(word, wanted, sentence):
        if said.get(word, ["never" if not is_late(said) else wanted])[0] != wanted:
            wrong.append(f"{sentence} ({word}: {said.get(word)})")

    for word in ("run", "report", "attach", "system", "record", "perf"):
        if said.get(word, ["0" if is_late(said) else "never"])[0] not in ("0", "3"):
            wrong.append(f"{word} ended with {said.get(word, ['never'])[0]}")
    without = any("without libzmq" in line for line in said.get("said", []))
    if not without and said.get("hosts", ["0" if is_late(said) else "never"])[0] not in ("0", "3"):
        wrong.append(f"an agent on the same machine: lever ended with {said.get('hosts')}")
    must("check", "0", "lever check says no: " + "; ".join(said.get("checked", [])))
    must("alive", "0", "the program that was attached to has ended")
    must("left", "0", "a lever that was killed has left BPF programs")
    must("complaints", "0", "the kernel complained: " + "; ".join(said.get("complained", [])))
    if not is_late(said) and not any('"kernel"' in line for line in said.get("recorder", [])):
        wrong.append(f"lever record did not use BPF: {said.get('recorder')}")
    still, again = (re.match(r"\d+|$", said.get(word, [""])[0]).group() for word in ("still", "replugged"))
    if not is_late(said) and not (still and again and int(again) > int(still) / 2):
        wrong.append(f"{again or 'no'} samples with a core that went and came again, {still or 'none'} without")
    if said.get("during", ["1"])[0] == "0":
        wrong.append("no BPF program was there while lever ran")
    if "json" in said or not is_late(said):
        wrong += judge_report(said.get("json", ["{}"])[0])
    if more and not is_late(said):
        wrong += more.judge(said)
    if wrong:
        wrong += said.get("said", []) + said["all"].splitlines()[-90:]
    return "\n".join(wrong)


def judge_report(text):
    wrong = []
    try:
        told = json.loads(text)
        visits = sum(point["visits"] for point in told["progress"] if point["name"] == "units")
        if visits != UNITS:
            wrong.append(f"{visits} visits were counted of {UNITS}")
        if not told["sampling"]["samples"] or not told["sampling"]["paused_ns"]:
            wrong.append("nothing was sampled, or nothing paused")
    except (ValueError, KeyError) as why:
        wrong.append(f"no report: {why}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--suites", default="bookworm,trixie")
    parser.add_argument("--cache", default=os.path.expanduser("~/.cache/lever-kernels"))
    parser.add_argument("--architecture", choices=EMULATORS, default="amd64")
    parser.add_argument("--seconds", type=int, default=500, help="the longest that one machine may run")
    options = parser.parse_args()
    more = arm64 if options.architecture == "arm64" else None
    root = more.root() if more else ""
    wanted = [EMULATORS[options.architecture][0], "cpio", "apt-get", "dpkg-deb"] + ([] if more else ["busybox", BPFTOOL])
    missing = [name for name in wanted if not shutil.which(name)]
    failed, suites = False, options.suites.split(",")
    print("1..%d" % len(suites), flush=True)
    for number, suite in enumerate(suites, 1):
        name = f"the kernel of Debian {suite} for {options.architecture} samples, pauses and is restored"
        kernel = None if missing else fetch(suite, options.cache, options.architecture)
        if not kernel:
            sentence(number, name, skip=f"{', '.join(missing)} missing" if missing else "its kernel cannot be fetched")
            continue
        initial = os.path.join(options.cache, f"initial-{options.architecture}")
        build = os.path.abspath(options.build)
        init = INIT.replace("UNITS", str(UNITS)).replace("MORE", more.SCRIPT if more else "")
        file_system(build, initial, init, root, more.programs(build) if more else None)
        said = boot(kernel, initial, options.architecture, options.seconds)
        print("# " + " ".join(said.get("release", ["no kernel booted"])), flush=True)
        print("# samples in 6 s %s, with a core that went and came again %s" % (said.get("still"), said.get("replugged")), flush=True)
        failure = judge(said, more)
        failed |= bool(failure)
        late = "this machine is too slow to emulate it in time" if is_late(said) and not failure else None
        sentence(number, name, failure, late)
        for line in said.get("checked", []):
            if line.startswith(("limited", "missing")):
                print("# " + line, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
