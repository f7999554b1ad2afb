#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""format - every C file is as clang-format 14 leaves it (`make format`). Skipped without it."""
import os
import re
import shutil
import subprocess
import sys

import style


def find_formatter():
    for name in ("clang-format-14", "clang-format"):
        if shutil.which(name):
            said = subprocess.run([name, "--version"], capture_output=True, text=True, check=True)
            if "version 14." in said.stdout:
                return name
    return None


formatter = find_formatter()
if not formatter:
    print("clang-format 14 is not installed; other versions format differently")
    sys.exit(77)
paths = style.files(["src", "include", "tests", "examples", "bench"], {".c", ".h"})
said = subprocess.run([formatter, "--dry-run", "--Werror", *map(str, paths)], capture_output=True, text=True)
for name in sorted(set(re.findall(r"^(/[^:]+):\d+:\d+: error", said.stderr, re.MULTILINE))):
    print(os.path.relpath(name, style.ROOT))
if said.returncode:
    print("These files are not as clang-format leaves them. Run: make format")
sys.exit(said.returncode)
