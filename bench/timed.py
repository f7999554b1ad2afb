#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""timed - runs a command and writes how many seconds it took to a file: timed.py FILE COMMAND..."""
import subprocess
import sys
import time

start = time.monotonic()
code = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    file.write(str(time.monotonic() - start))
sys.exit(code)
