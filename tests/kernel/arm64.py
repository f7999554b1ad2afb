# SPDX-License-Identifier: BSD-2-Clause
"""arm64 - what old_kernels.py tries besides on an emulated arm64 machine."""
import os
import subprocess

SCRIPT = ""


def root():
    """The folder with Debian's libraries for arm64 (tools/cross)."""
    cross = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/cross")
    return subprocess.run([cross, "arm64", "--root"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout.strip()


def programs(build):
    """The programs, by their path on the emulated machine."""
    return {}
