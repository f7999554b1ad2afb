#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""files - each file says its licence and what it is for, and keeps to the sizes of the style.

A function may have 60 lines, a file 700, a header of src/ (but bpf/) 200, main 30. include/lever.h
may have 1300: programs take it along as one file.
"""
import re
import sys

import style

LICENCES = ("BSD-2-Clause", "(BSD-2-Clause OR GPL-2.0-only)")
MOST_FUNCTION, MOST_MAIN, MOST_FILE, MOST_HEADER, MOST_PUBLIC = 60, 30, 700, 200, 1300


def opening_complaints(path, lines):
    head = re.match(r"(?:/\*|//|#) SPDX-License-Identifier: (.*?)(?: \*/)?$", lines[0])
    if not head or head.group(1) not in LICENCES:
        yield path, 1, "the first line does not name the licence (SPDX-License-Identifier)"
    comment = "\n".join(lines[1:4])
    if path.suffix in (".c", ".h") and not re.match(r"/\*\s*(?:\n \* )?\w", comment):
        yield path, 2, "the second line does not begin to say what the file is for"


def function_complaints(path, lines):
    """A function's body stands between braces in the first column."""
    start = None
    for number, line in enumerate(lines, 1):
        if line == "{" and number > 1 and not lines[number - 2].startswith("extern"):
            start = number
        elif line.startswith("}") and start:
            length = number - start + 1
            is_main = re.match(r"int main\(", lines[start - 2])
            most = MOST_MAIN if is_main and path.parts[-2] == "cli" else MOST_FUNCTION
            if length > most:
                yield path, start, f"the function has {length} lines; {most} is the most"
            start = None


def complaints():
    for path in style.files(["src", "include", "tests", "examples", "bench"], {".c", ".h"}):
        lines = path.read_text().splitlines()
        if not lines:
            yield path, 1, "the file is empty"
            continue
        yield from opening_complaints(path, lines)
        yield from function_complaints(path, lines)
        folder = path.relative_to(style.ROOT).parts[:2]
        # The headers of bpf/ are parts of one program, not interfaces.
        is_interface = folder[0] == "src" and folder[1] != "bpf" and path.suffix == ".h"
        most = MOST_HEADER if is_interface else MOST_FILE
        most = MOST_PUBLIC if folder[0] == "include" else most
        if len(lines) > most:
            yield path, len(lines), f"the file has {len(lines)} lines; {most} is the most"
    page = [path for path in style.files(["web", "tests", "bench"], {".js", ".mjs", ".css"})
            if "node_modules" not in path.parts]
    # The build makes the page anew when one of these changes.
    listed = (style.ROOT / "web" / "meson.build").read_text()
    for path in page:
        name = path.relative_to(style.ROOT).parts
        if name[0] == "web" and name[1] in ("src", "style") and f"'{'/'.join(name[1:])}'" not in listed:
            yield path, 1, "web/meson.build does not list the file"
    scripts = style.files(["src", "tests"], {".build", ".py", ".sh"})
    for path in [style.ROOT / "meson.build", style.ROOT / "web" / "meson.build", *scripts, *page]:
        lines = path.read_text().splitlines()
        if path in page and len(lines) > MOST_FILE:
            yield path, len(lines), f"the file has {len(lines)} lines; {MOST_FILE} is the most"
        if not any("SPDX-License-Identifier: BSD-2-Clause" in line for line in lines[:2]):
            yield path, 1, "the first lines do not name the licence (SPDX-License-Identifier)"


sys.exit(style.report(complaints()))
