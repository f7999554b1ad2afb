# SPDX-License-Identifier: BSD-2-Clause
"""paired_run - compares a bare and a profiled instance of a program, which run in turn.

The speed of shared machines changes within seconds; switching every 0.1 s exposes both to the same
changes. Their times while running are compared.
"""
import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress


class Racer:
    """A started program that is stopped but for its turns; `seconds` is their sum."""

    def __init__(self, command, pid_of, output):
        self.process = subprocess.Popen(command, stdout=output, stderr=subprocess.PIPE)
        self.seconds = 0
        self.pid = pid_of(self.process)
        self.signal(signal.SIGSTOP)

    def signal(self, number):
        try:
            os.kill(self.pid, number)
        except ProcessLookupError:
            pass

    def has_ended(self):
        """The program, not lever that may still be writing."""
        try:
            with open("/proc/%d/stat" % self.pid) as stat:
                return stat.read().rsplit(")", 1)[1].split()[0] in "ZX"
        except (FileNotFoundError, ProcessLookupError):
            return True

    def let_run(self, seconds):
        start = time.monotonic()
        self.signal(signal.SIGCONT)
        while not self.has_ended() and time.monotonic() - start < seconds:
            time.sleep(0.002)
        self.signal(signal.SIGSTOP)
        self.seconds += time.monotonic() - start


def child_of(process, command):
    """The program that a profiler has started, as soon as it is itself: profilers have other children, too."""
    children = "/proc/%d/task/%d/children" % (process.pid, process.pid)
    while process.poll() is None:
        with open(children) as file:
            for pid in file.read().split():
                with suppress(FileNotFoundError, ProcessLookupError):
                    with open("/proc/%s/cmdline" % pid) as words:
                        if words.read().split("\0")[:-1] == command:
                            return int(pid)
        time.sleep(0.001)
    sys.exit("lever ended: %s" % process.stderr.read().decode())


def run_pair(bare, profiled, codes=(0, 3), counted=None):
    """(seconds bare, seconds profiled); `profiled` starts what stands behind its "--" as its child

    Programs that work for a given time, and then print how much they did, need the pattern `counted`: what it finds is
    that number, and the seconds are those for one piece of work.
    """
    started = profiled[profiled.index("--") + 1:]
    output = subprocess.PIPE if counted else subprocess.DEVNULL
    racers = [Racer(bare, lambda process: process.pid, output), Racer(profiled, lambda process: child_of(process, started), output)]
    while not all(racer.has_ended() for racer in racers):
        for racer in random.sample(racers, 2):
            if not racer.has_ended():
                racer.let_run(random.uniform(0.07, 0.13))
    for racer in racers:
        printed, said = racer.process.communicate()
        if racer.process.returncode not in codes:
            sys.exit("ended with %d: %s" % (racer.process.returncode, said.decode()))
        if counted:
            racer.seconds /= float(re.search(counted, printed.decode()).group(1))
    return racers[0].seconds, racers[1].seconds
