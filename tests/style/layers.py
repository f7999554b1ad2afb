#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""layers - no folder includes a folder that layers.txt does not allow it."""
import pathlib
import re
import sys

import style

# Made by the build out of bpf/: the one way in which collect/ meets it.
GENERATED = {
    "lever.skel.h": "collect",
    "record.skel.h": "collect",
    "trace.skel.h": "collect",
    "scale.skel.h": "collect",
    "system_calls.inc": "symbolize",
}


def read_table(path):
    table = {}
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            table[words[0]] = set(words[1:]) | {words[0]}
    return table


def complaints(table):
    for path in style.files(["src"], [".c", ".h"]):
        folder = path.relative_to(style.ROOT / "src").parts[0]
        if folder not in table:
            yield path, 1, f"the folder {folder} is not in layers.txt"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if not found:
                continue
            name = found.group(1)
            target = name.split("/")[0]
            if name in GENERATED:
                if folder != GENERATED[name]:
                    yield path, number, f"{folder} may not include {name}"
            elif "/" not in name or target not in table:
                yield path, number, f'write "{name}" as "folder/file.h"'
            elif target not in table[folder]:
                yield path, number, f"{folder} may not include {target} (tests/style/layers.txt)"


sys.exit(style.report(complaints(read_table(pathlib.Path(__file__).parent / "layers.txt"))))
