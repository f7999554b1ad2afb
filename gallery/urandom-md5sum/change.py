# SPDX-License-Identifier: BSD-2-Clause
"""`head -c 300M /dev/urandom | md5sum`: the kernel makes random bytes on one core, and a checksum is computed on the other one. perf sees the
checksum and the kernel's cipher side by side. Each program has a core of its own (`taskset`), as the report advises where the scheduler decides.
"""
from inputs import case, sh


def prepare(_):
    def command(device, checksum="md5sum", megabytes=300):
        return sh(f"taskset -c 0 head -c {megabytes}M {device} | taskset -c 1 {checksum} >/dev/null")
    return case("head /dev/urandom \\| md5sum", "`/dev/zero`", command("/dev/urandom"), command("/dev/zero"), command("/dev/urandom", megabytes=5000),
                r"all of head\b|process:head\b", None, record_places=r"^head\b", kind="kernel", ask=["--target", "process:head"], perf_change="`cat` in place of md5sum", perf_after=command("/dev/urandom", "cat"))
