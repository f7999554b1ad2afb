#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""record - `lever record`: classes, locations and processes of waits."""
import contextlib
import json
import os
import re
import signal
import subprocess
import time

from kernel import LEVER, Skip, check, equal, folder, lever, main, program, test

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "sites.c")


def marked_lines():
    """{system call: line}"""
    with open(SOURCE, encoding="utf-8") as file:
        found = [(number, re.search(r";? +/\* (\w+) \*/$", line)) for number, line in enumerate(file, 1)]
    return {mark.group(1): number for number, mark in found if mark}


def report(profile, *words):
    said = lever("report", profile, "--format", "json", *words)
    equal(said.returncode, 0, said.stderr)
    return json.loads(said.stdout)


def recorded(*words, program_words=("1500",), filters=(), codes=(0,), environment=None):
    """The JSON report of the program sites, recorded with these options."""
    with folder() as place:
        output = os.path.join(place, "test.lever")
        said = lever("record", "--output", output, *words, "--", program("sites"), *program_words, env=os.environ | (environment or {}))
        check(said.returncode in codes, f"ended with {said.returncode}: {said.stderr}")
        return report(output, *filters)


def own_frames(entry):
    return [frame for frame in entry["stack"] if (frame["file"] or "").endswith(("sites.c", "locks.c"))]


def weights(entries, field):
    found = {}
    for entry in entries:
        found[entry[field]] = found.get(entry[field], 0) + entry["weight_ns"]
    return found


def main_thread(told):
    """Entries of the program's first thread: the one that waits for children."""
    first = next(entry["thread"] for entry in told["entries"] if entry["system_call"] == "wait4")
    return [entry for entry in told["entries"] if entry["thread"]["tid"] == first["tid"]]


@test("without frame pointers, 99 % of blocked time is at the line that called the library")
def _():
    lines = marked_lines()
    equal(set(lines), {"clock_nanosleep", "poll", "futex", "read", "wait4"})
    right = wrong = 0
    for entry in main_thread(recorded()):
        if entry["class"] not in "ILB" or entry["system_call"] not in lines:
            continue
        own = own_frames(entry)
        if own and own[0]["line"] == lines[entry["system_call"]]:
            right += entry["weight_ns"]
        else:
            wrong += entry["weight_ns"]
    check(right > 500e6, (right, wrong))
    check(right / (right + wrong) >= 0.99, (right, wrong))


def recorded_locks(*words):
    with folder() as place:
        output = os.path.join(place, "test.lever")
        said = lever("record", "--output", output, *words, "--", program("locks"), "60")
        equal(said.returncode, 0, said.stderr)
        return report(output), lever("report", output, "--by", "file").stdout


@test("waits for a lock name it, its kind, the code that waits and the code that releases it")
def _():
    told, _ = recorded_locks()
    found = {(lock["kind"], lock["name"], lock["waited_in"]["function"]): lock for lock in told["locks"]}
    for kind, name, waits, releases in (("mutex", "table.shards[2].lock", "get_shard", "hold"),
                                        ("mutex", "of_holder", "get_once", "hold"),
                                        ("mutex", None, "get_heap", "hold"),
                                        ("rwlock, to read", "table.index", "look_up", "rebuild"),
                                        ("condition variable", "filled", "take_item", "fill"),
                                        ("semaphore", "slots", "take_slot", "give_slot")):
        lock = found.get((kind, name, waits))
        check(lock, (kind, name, waits, list(found)))
        check(lock["weight_ns"] > 60e6, lock)  # 60 waits of 2 ms
        woken = {by["function"]: by["weight_ns"] for by in lock["released_in"]}
        check(woken.get(releases, 0) > 0.8 * lock["weight_ns"], (lock["weight_ns"], woken))


@test("waits for a file name it, and the code that waits")
def _():
    told, by_file = recorded_locks()
    pipes = [entry for entry in told["entries"] if (entry["resource"] or "").startswith("pipe ") and own_frames(entry)]
    check(sum(entry["weight_ns"] for entry in pipes) > 60e6, pipes)
    check(re.search(r"\[B\]  pipe \d+ +read +(wait_for_answer|hear) ", by_file), by_file)


@test("every way of waiting has its class, and locks their futex")
def _():
    entries = main_thread(recorded())
    for call, classes in (("clock_nanosleep", "B"), ("poll", "B"), ("futex", "L"), ("read", "B"), ("wait4", "B")):
        waited = [entry for entry in entries if entry["system_call"] == call and entry["class"] not in ("cpu", "S")]
        check(waited, call)
        equal(set(entry["class"] for entry in waited), set(classes), call)
    locks = {entry["futex"] for entry in entries if entry["class"] == "L"}
    equal(len(locks), 1, locks)
    check(None not in locks, locks)
    check(all(entry["futex"] is None for entry in entries if entry["class"] != "L"))


@test("blocked samples have the last function of the kernel and of the program's side")
def _():
    for entry in main_thread(recorded()):
        if entry["system_call"] == "clock_nanosleep" and entry["class"] == "B":
            check("nanosleep" in entry["kernel_function"], entry)
            check("nanosleep" in entry["function"], entry)
            kinds = [frame["kind"] for frame in entry["stack"]]
            equal(kinds, sorted(kinds), entry)  # kernel, then user


@test("computing is on CPU, in the function that computes")
def _():
    cpu = [entry for entry in main_thread(recorded()) if entry["class"] == "cpu" and not entry["in_kernel"]]
    by_function = weights(cpu, "function")
    clock = sum(entry["weight_ns"] for entry in cpu if "look_at_clock" in [frame["function"] for frame in entry["stack"]])
    check(by_function.get("compute", 0) > 0.8 * (sum(by_function.values()) - clock), by_function)


@test("code that the kernel maps into the program has its callers, too")
def _():
    clock = [entry for entry in main_thread(recorded(program_words=("6000",))) if entry["class"] == "cpu" and not entry["in_kernel"] and entry["stack"][0]["object"] == "[vdso]"]
    check(len(clock) > 5, clock)
    right = [entry for entry in clock if "look_at_clock" in [frame["function"] for frame in entry["stack"]]]
    check(sum(entry["weight_ns"] for entry in right) >= 0.9 * sum(entry["weight_ns"] for entry in clock), clock)


@test("shares add up to one, and carry their uncertainty")
def _():
    told = recorded()
    check(abs(sum(entry["share"] for entry in told["entries"]) - 1) < 1e-3)
    check(all(0 <= entry["share_error"] < 1 for entry in told["entries"]))
    equal(told["shown_ns"], told["recorded_ns"])
    equal(sum(entry["weight_ns"] for entry in told["entries"]), told["recorded_ns"])


@test("filters leave what fits them, and say how much that is")
def _():
    with folder() as place:
        output = os.path.join(place, "test.lever")
        lever("record", "--output", output, "--", program("sites"), "1000")
        whole, locks = report(output), report(output, "--class", "L")
        equal({entry["class"] for entry in locks["entries"]}, {"L"})
        check(locks["shown_ns"] < whole["recorded_ns"])
        equal(locks["recorded_ns"], whole["recorded_ns"])
        computing = report(output, "--function", "compute")
        check(computing["entries"] and all("compute" in [frame["function"] for frame in entry["stack"]] for entry in computing["entries"]))
        pid = whole["entries"][0]["thread"]["pid"]
        equal({entry["thread"]["pid"] for entry in report(output, "--pid", str(pid))["entries"]}, {pid})
        equal(report(output, "--comm", "nobody")["entries"], [])


@test("without callers, chains have one frame of the program")
def _():
    told = recorded("--call-graph", "none", program_words=("500",))
    for entry in told["entries"]:
        check(sum(frame["kind"] == "user" for frame in entry["stack"]) <= 1, entry)


@test("a table of the user's own gives classes and sub-classes")
def _():
    with folder() as place:
        table, output = os.path.join(place, "table"), os.path.join(place, "test.lever")
        with open(table, "w", encoding="utf-8") as file:
            file.write("# what we wait for\nI/naps *nanosleep*\n")
        said = lever("record", "--class", table, "--output", output, "--", program("sites"), "500")
        equal(said.returncode, 0, said.stderr)
        naps = [entry for entry in report(output)["entries"] if entry["subclass"] == "naps"]
        check(naps and all(entry["class"] == "I" for entry in naps), naps)
        with open(table, "w", encoding="utf-8") as file:
            file.write("\nX *\n")
        said = lever("record", "--class", table, "--output", output, "--", program("sites"), "500")
        equal(said.returncode, 2)
        check("table:2: " in said.stderr, said.stderr)


@test("children are recorded, and told apart")
def _():
    told = recorded()
    processes = {entry["thread"]["pid"] for entry in told["entries"]}
    check(len(processes) > 5, processes)


@test("a program in a container is named: other process ids, and files that only it sees")
def _():
    with folder() as place:
        output, inside = os.path.join(place, "test.lever"), os.path.join(place, "inside")
        os.mkdir(inside)
        words = f"mount -t tmpfs tmpfs {inside} && cp {program('sites')} {inside}/inner && cd / && exec {inside}/inner 2500"
        container = ["unshare", "--mount", "--pid", "--fork", "sh", "-c"]
        if subprocess.run([*container, f"mount -t tmpfs tmpfs {inside}"], capture_output=True, check=False).returncode:
            raise Skip("no namespaces can be made here")
        said = lever("record", "--output", output, "--", *container, words)
        equal(said.returncode, 0, said.stderr)
        entries = report(output, "--comm", "inner")["entries"]
        check(not os.path.exists(os.path.join(inside, "inner")))
    computing = [entry for entry in entries if entry["class"] == "cpu" and entry["function"] == "compute"]
    check(computing and all(own_frames(entry) for entry in computing), entries)
    check({entry["thread"]["pid"] for entry in computing} - {1}, computing)
    asleep = [entry for entry in entries if entry["system_call"] == "clock_nanosleep" and entry["class"] == "B"]
    named = [entry for entry in asleep if own_frames(entry)]
    check(weights(named, "class")["B"] > 0.9 * weights(asleep, "class")["B"], asleep)


@test("a process that runs already is recorded by --pid, for as long as --seconds says")
def _():
    with folder() as place, subprocess.Popen([program("sites"), "60000"]) as running:
        try:
            output = os.path.join(place, "test.lever")
            time.sleep(0.2)
            said = lever("record", "--output", output, "--pid", str(running.pid), "--seconds", "1")
            equal(said.returncode, 0, said.stderr)
            equal(running.poll(), None)
            told = report(output)
            check(running.pid in {entry["thread"]["pid"] for entry in told["entries"]})
            check(weights(told["entries"], "class").get("L", 0) > 0)
        finally:
            running.send_signal(signal.SIGKILL)


@test("--cgroup records the processes in it, and one that joins it later, but no others")
def _():
    root = next((path for path in ("/sys/fs/cgroup/unified", "/sys/fs/cgroup/pids", "/sys/fs/cgroup") if os.path.exists(os.path.join(path, "cgroup.procs"))), None)
    group = os.path.join(root or "", f"lever-test-{os.getpid()}")
    try:
        os.mkdir(group)
    except OSError as why:
        raise Skip(f"no cgroup can be made here: {why}") from why

    def join(process):
        with open(os.path.join(group, "cgroup.procs"), "w", encoding="ascii") as file:
            file.write(str(process.pid))

    with folder() as place, contextlib.ExitStack() as stack:
        output = os.path.join(place, "test.lever")
        running = [stack.enter_context(subprocess.Popen([program("sites"), "60000"])) for _ in range(3)]
        try:
            join(running[0])
            recording = stack.enter_context(subprocess.Popen([LEVER, "record", "--quiet", "--output", output, "--cgroup", group, "--seconds", "4"]))
            time.sleep(1)
            join(running[1])
            equal(recording.wait(30), 0)
        finally:
            for process in running:
                process.kill()
                process.wait()
        pids = {entry["thread"]["pid"] for entry in report(output)["entries"]}
        check(running[0].pid in pids and running[1].pid in pids, pids)
        check(running[2].pid not in pids, pids)
    for _ in range(50):  # dead children leave it in a moment
        with contextlib.suppress(OSError):
            os.rmdir(group)
            break
        time.sleep(0.1)


@test("--port records who listens there, --comm who has that name, each with new children")
def _():
    server = "import os, socket, time\ns = socket.create_server(('127.0.0.1', 0))\nprint(s.getsockname()[1], flush=True)\n" \
             "open('/proc/self/comm', 'w').write('lever-server')\nend = time.time() + 60\nwhile time.time() < end: pass"
    with folder() as place, subprocess.Popen(["python3", "-c", server], stdout=subprocess.PIPE, text=True) as running:
        try:
            port = running.stdout.readline().strip()
            for number, choice in enumerate((("--port", port), ("--comm", "no-such-name,lever-ser*"))):
                output = os.path.join(place, f"{number}.lever")
                said = lever("record", "--output", output, *choice, "--seconds", "1")
                equal(said.returncode, 0, said.stderr)
                equal({entry["thread"]["pid"] for entry in report(output)["entries"]}, {running.pid})
        finally:
            running.kill()
        running.wait()
        said = lever("record", "--output", os.path.join(place, "none.lever"), "--port", port)
        equal(said.returncode, 2, said.stderr)
        check(f"no process listens on port {port}" in said.stderr, said.stderr)
        said = lever("record", "--output", os.path.join(place, "none.lever"), "--comm", "no-such-name")
        equal(said.returncode, 2, said.stderr)
        check("no process with such a name" in said.stderr, said.stderr)


@test("--system records all processes of the machine")
def _():
    with folder() as place, subprocess.Popen([program("sites"), "60000"]) as running:
        try:
            output = os.path.join(place, "test.lever")
            said = lever("record", "--output", output, "--system", "--seconds", "1")
            equal(said.returncode, 0, said.stderr)
            commands = weights([entry["thread"] | {"weight_ns": 1} for entry in report(output)["entries"]], "command")
            check("sites" in commands, commands)
        finally:
            running.send_signal(signal.SIGKILL)


@test("a wait that has not ended is recorded up to the end, with its call chain")
def _():
    with folder() as place:
        output = os.path.join(place, "test.lever")
        with subprocess.Popen([LEVER, "record", "--quiet", "--output", output, "--seconds", "1", "--", program("sites"), "0", "forever"]) as running:
            time.sleep(3)
            running.send_signal(signal.SIGTERM)
        waits = [entry for entry in report(output)["entries"] if entry["system_call"] == "pause"]
        check(waits and own_frames(waits[0])[0]["function"] == "main", waits)
        check(sum(entry["weight_ns"] for entry in waits) > 800e6, waits)


@test("without sched_exit_tp waits are found, too, at the lines of their calls")
def _():
    lines = marked_lines()
    # The chain is read when a wait begins: the first ones have none, until the unwind tables are there.
    told = recorded(program_words=("4000",), environment={"LEVER_ASSUME_OLD_KERNEL": "1"})
    waits = [entry for entry in main_thread(told) if entry["class"] in "ILB" and entry["system_call"] in lines]
    equal({entry["system_call"] for entry in waits}, set(lines))
    right = sum(entry["weight_ns"] for entry in waits if own_frames(entry) and own_frames(entry)[0]["line"] == lines[entry["system_call"]])
    all_waits = sum(entry["weight_ns"] for entry in waits)
    check(right >= 0.98 * all_waits, (right, all_waits))


@test("--live shows the report while the program runs, and after it")
def _():
    with folder() as place:
        output = os.path.join(place, "test.lever")
        said = lever("record", "--live", "--output", output, "--", program("sites"), "5000")
        equal(said.returncode, 0, said.stderr)
        check(said.stderr.count("Samples of") >= 2, said.stderr)
        check("wait_for_poll" in said.stderr.split("Samples of")[1], said.stderr)


@test("the program's exit code is reported and kept, its output untouched")
def _():
    with folder() as place:
        output = os.path.join(place, "test.lever")
        said = lever("record", "--output", output, "--", "sh", "-c", "echo out; sleep 0.1; exit 7")
        equal((said.returncode, said.stdout), (0, "out\n"), said.stderr)
        check("exit code 7" in said.stderr, said.stderr)
        equal(report(output)["program"]["exit_status"], 7)


@test("after kill -9 of lever, what was recorded is readable")
def _():
    with folder() as place:
        output = os.path.join(place, "test.lever")
        with subprocess.Popen([LEVER, "record", "--quiet", "--output", output, "--", program("sites"), "3000"]) as running:
            time.sleep(2.5)
            running.kill()
        told = report(output)
        check(told["recorded_ns"] > 500e6, told["recorded_ns"])


@test("a file may hold causal profiles and samples; a report shows one kind")
def _():
    with folder() as place:
        output = os.path.join(place, "test.lever")
        lever("run", "--output", output, "--end-to-end", "--runs", "1", "--", "true")
        equal(json.loads(lever("report", output, "--format", "json").stdout)["kind"], "causal")
        lever("record", "--output", output, "--", "sleep", "0.2")
        equal(report(output)["kind"], "samples")
        equal(json.loads(lever("report", output, "--kind", "causal", "--format", "json").stdout)["kind"], "causal")
        for words in (("--kind", "samples", "--format", "coz"), ("--by", "line", "--format", "csv"), ("--kind", "causal", "--format", "folded")):
            said = lever("report", output, *words)
            equal((said.returncode, said.stdout), (2, ""), words)


@test("a program that naps in step with a sampling clock has its CPU time in the samples")
def _():
    with folder() as place:
        output = os.path.join(place, "test.lever")
        said = lever("record", "--quiet", "--output", output, "--", program("short_sleeps"), "700", "250", "4")
        equal(said.returncode, 0, said.stderr)
        sampled = sum(entry["weight_ns"] for entry in report(output)["entries"] if entry["class"] == "cpu")
        check(abs(sampled / int(said.stdout) - 1) < 0.15, (sampled, said.stdout))


@test("a word of a stack that leads to a mapping without code is no frame, and its file is not read")
def _():
    with folder() as place:
        output, data = os.path.join(place, "test.lever"), os.path.join(place, "data.pack")
        with open(data, "wb") as file:
            file.write(b"PACK" * 2048)
        said = lever("record", "--output", output, "--", program("stray_frame"), data, "1")
        if "code 77" in said.stderr:
            raise Skip("the program is for x86-64")
        equal(said.returncode, 0, said.stderr)
        check("not an ELF binary" not in said.stderr, said.stderr)
        computing = [entry["stack"] for entry in report(output)["entries"] if any(frame["function"] == "compute" for frame in entry["stack"])]
        check(computing, said.stderr)
        check("data.pack" not in json.dumps(computing), computing)


@test("the process that reads binaries is replaced when it is large, and all code still has names")
def _():
    lines = marked_lines()
    ends = []

    def watch(engine):
        """The processes that read binaries while lever runs."""
        while engine.poll() is None:
            said = subprocess.run(["pgrep", "-P", str(engine.pid), "-x", "lever-parser"], capture_output=True, text=True, check=False)
            ends.extend(pid for pid in said.stdout.split() if pid not in ends)
            time.sleep(0.2)

    with folder() as place:
        output = os.path.join(place, "test.lever")
        with subprocess.Popen([LEVER, "record", "--quiet", "--output", output, "--", program("sites"), "5000"], env=os.environ | {"LEVER_PARSER_MEGABYTES": "1"}) as engine:
            watch(engine)
        equal(engine.returncode, 0)
        check(len(ends) > 1, ends)
        entries = main_thread(report(output))
        right = sum(entry["weight_ns"] for entry in entries if entry["system_call"] in lines and
                    [frame["line"] for frame in own_frames(entry)][:1] == [lines[entry["system_call"]]])
        check(right > 1500e6, [right, entries])


@test("the overhead of recording is measured: its BPF programs and interrupts, and lever itself")
def _():
    told = recorded()
    overhead = told["overhead"]
    check(0 < overhead["kernel_share"] < 2, overhead)
    check(0 < overhead["engine_share"] < 2, overhead)
    without = recorded(environment={"LEVER_ASSUME_NO_BPF": "1"}, codes=(0, 3))["overhead"]
    equal(without["kernel_share"], None)
    check(0 < without["engine_share"] < 2, without)


main()
