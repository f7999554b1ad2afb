# SPDX-License-Identifier: BSD-2-Clause
"""`od` prints each byte or number of a file by a `printf` of its own, with a format that is the same for all: the C library reads it,
and the width, anew each time.
"""
import os
import random
import subprocess

from inputs import case, debian_source, patched, script

HERE = os.path.dirname(os.path.abspath(__file__))
GENERATED = "include Makefile\ngenerated: $(BUILT_SOURCES)\n"  # of these `make src/od` knows nothing


def built(source):
    script(source, "generated.mk", GENERATED)
    environment = {**os.environ, "FORCE_UNSAFE_CONFIGURE": "1"}
    for words in (["./configure", "--disable-nls", "CFLAGS=-O2 -g"], ["make", "-f", "generated.mk", "generated"], ["make", "src/od"]):
        subprocess.run(words, cwd=source, check=True, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return os.path.join(source, "src", "od")


def prepare(folder):
    source = debian_source(folder, "coreutils")
    after = patched(source, os.path.join(HERE, "integers.patch"))
    slow, fast = built(source), built(after)
    dumped = os.path.join(folder, "bytes")
    with open(dumped, "wb") as file:
        file.write(random.Random(1).randbytes(20 << 20))
    return case("od -An -tx1", "digits without `printf`", [slow, "-An", "-tx1", dumped], [fast, "-An", "-tx1", dumped],
                [slow, "-An", "-tx1", *[dumped] * 100], r"xprintf|print_char", None, record_places=r"print_char", gain_places=r"print_char",
                kind="CPU", ask=["--target", "inclusive:print_char"])
