# SPDX-License-Identifier: BSD-2-Clause
"""`hexdump -C` prints each byte twice, as digits and as a character, each time by a `printf` of its own; and the blanks between them, too.
"""
import os
import random
import subprocess

from inputs import case, debian_source, patched

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = [f"text-utils/hexdump{part}.c" for part in ("", "-conv", "-display", "-parse")] + \
        [f"lib/{part}.c" for part in ("color-names", "colors", "fileutils", "strutils")]


def built(source):
    """hexdump alone; what configure finds is in config.h."""
    subprocess.run(["gcc", "-O2", "-g", "-D_GNU_SOURCE", "-include", "config.h", "-Iinclude", '-DLOCALEDIR=""', "-o", "hexdump.here", *FILES, "-ltinfo"],
                   cwd=source, check=True)
    return os.path.join(source, "hexdump.here")


def prepare(folder):
    source = debian_source(folder, "util-linux")
    subprocess.run(["./configure", "--disable-all-programs"], cwd=source, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = patched(source, os.path.join(HERE, "texts.patch"))
    slow, fast = built(source), built(after)
    dumped = os.path.join(folder, "bytes")
    with open(dumped, "wb") as file:
        file.write(random.Random(1).randbytes(6 << 20))
    return case("hexdump -C", "each byte's text is kept", [slow, "-C", dumped], [fast, "-C", dumped], [slow, "-C", *[dumped] * 300],
                r"print|display", None, record_places=r";print|\bprint\b|print_byte", gain_places=r"\bprint\b", kind="CPU",
                ask=["--target", "inclusive:print"])
