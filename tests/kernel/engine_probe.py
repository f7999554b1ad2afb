# SPDX-License-Identifier: BSD-2-Clause
"""engine_probe - the BPF programs of a running lever, and whether they are gone after its end."""
import ctypes
import glob
import os
import re
import subprocess
import time

SYS_BPF = {"x86_64": 321, "aarch64": 280}.get(os.uname().machine)
BPF_PROG_GET_FD_BY_ID = 13
TROUBLE = re.compile(r"hung_task|blocked for more than|rcu.*(stall|self-detected)|soft lockup|hard LOCKUP|BUG:|WARNING:")
libc = ctypes.CDLL(None, use_errno=True)


def programs_of(pid):
    """Ids of the BPF programs that the process holds."""
    found = set()
    for path in glob.glob(f"/proc/{pid}/fdinfo/*"):
        try:
            with open(path, encoding="utf-8") as file:
                found.update(int(number) for number in re.findall(r"^prog_id:\t(\d+)", file.read(), re.MULTILINE))
        except OSError:
            continue
    return found


def is_loaded(program):
    attributes = (ctypes.c_uint32 * 4)(program, 0, 0, 0)
    fd = libc.syscall(SYS_BPF, BPF_PROG_GET_FD_BY_ID, attributes, 16)
    if fd < 0:
        return False
    os.close(fd)
    return True


def still_loaded(programs, patience=20):
    """The programs that still exist after this time; the kernel frees them with a delay."""
    end = time.monotonic() + patience
    while programs and time.monotonic() < end:
        programs = {program for program in programs if is_loaded(program)}
        time.sleep(0.05)
    return programs


def complaints():
    """Lines of the kernel's log that report trouble."""
    said = subprocess.run(["dmesg"], capture_output=True, text=True, check=False).stdout
    return [line for line in said.splitlines() if TROUBLE.search(line)]


def kill_at(command, seconds):
    """Starts lever, kills it by -9 after this time; returns the BPF programs that it had."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as run:
        end = time.monotonic() + seconds
        programs = set()
        while time.monotonic() < end and run.poll() is None:
            programs |= programs_of(run.pid)
            time.sleep(0.02)
        programs |= programs_of(run.pid)
        run.kill()
        run.wait()
    return programs
