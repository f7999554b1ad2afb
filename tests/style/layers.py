#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""layers - no room of src/ includes a room that layers.txt does not allow it."""
import pathlib
import re
import sys

import style

# Made by the build out of bpf/: the one way in which collect/ meets it.
GENERATED = {
    "lever.skel.h": "collect/kernel",
    "record.skel.h": "collect/record",
    "trace.skel.h": "collect/trace",
    "scale.skel.h": "collect/scale",
    "system_calls.inc": "symbolize/kernel",
    "topics.inc": "cli/options",
}


def read_table(path):
    """{room: rooms whose headers it may use}; a room is a folder of src/ or one of its inner folders"""
    table = {}
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            table[words[0]] = set(words[1:]) | {words[0]}
    return table


def room_of(table, path):
    """The row that holds for a file or header, by its path below src/: its inner folder's, else its folder's."""
    inner = "/".join(pathlib.PurePath(path).parts[:-1])
    return inner if inner in table else path.split("/")[0]


def is_allowed(table, room, header):
    """A folder's name in another folder's row means all of it; in one of its own rows, the files at its top."""
    target = room_of(table, header)
    folder = target.split("/")[0]
    return target in table[room] or (folder in table[room] and folder != room.split("/")[0])


def complaints(table):
    for path in style.files(["src"], [".c", ".h"]):
        here = str(path.relative_to(style.ROOT / "src"))
        room = room_of(table, here)
        if room not in table:
            yield path, 1, f"the folder {room} is not in layers.txt"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if not found:
                continue
            name = found.group(1)
            if name in GENERATED:
                if room != GENERATED[name]:
                    yield path, number, f"{room} may not include {name}"
            elif "/" not in name or name.split("/")[0] not in table:
                yield path, number, f'write "{name}" as "folder/file.h"'
            elif not is_allowed(table, room, name):
                yield path, number, f"{room} may not include {room_of(table, name)} (tests/style/layers.txt)"


sys.exit(style.report(complaints(read_table(pathlib.Path(__file__).parent / "layers.txt"))))
