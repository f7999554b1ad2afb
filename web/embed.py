#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""embed - writes the page as a C file. Usage: embed.py PAGE.html PAGE.c"""
import sys

PAGE_MARK = b"@LEVER_DATA@"  # as in src/report/page.h
LINE_BYTES = 24


def main():
    with open(sys.argv[1], "rb") as file:
        content = file.read()
    if content.count(PAGE_MARK) != 1:
        sys.exit(f"embed: {sys.argv[1]} has no place for the data, or several")
    lines = (content[at:at + LINE_BYTES] for at in range(0, len(content), LINE_BYTES))
    with open(sys.argv[2], "w", encoding="ascii") as out:
        out.write("/* Made by web/embed.py. */\n#include \"report/page.h\"\n\nconst char page[] = {\n")
        for line in lines:
            # As chars are signed here and unsigned there.
            out.write("".join(f"{byte - 256 if byte > 127 else byte}," for byte in line) + "\n")
        out.write("};\nconst size_t page_size_bytes = sizeof(page);\n")


main()
