# SPDX-License-Identifier: BSD-2-Clause
"""gcc -pipe runs the compiler and the assembler side by side: `cc1` writes text into a pipe, and `as` reads it. The assembler
takes a good part of all CPU time. Is a faster assembler worth the work? One file is compiled again and again.
"""
import os
import shutil
import subprocess

from inputs import again_and_again, case, debian_source, script, sh

READS = "#include <unistd.h>\nint main(void) { static char text[65536]; while (read(0, text, sizeof(text)) > 0) ; }\n"


def prepare(folder):
    zlib = debian_source(folder, "zlib")
    empty = os.path.join(folder, "no-as")
    os.mkdir(empty)
    subprocess.run(["cc", "-O2", "-static", "-o", os.path.join(empty, "as"), script(folder, "reads.c", READS)], check=True)
    real = os.path.join(folder, "as")
    os.mkdir(real)
    os.symlink(shutil.which("as"), os.path.join(real, "as"))

    def command(assembler):
        return sh('cd "$1" && for i in 1 2 3 4; do gcc -w -pipe -g -B "$2/" -c -o /dev/null deflate.c; done', zlib, assembler)
    return case("gcc -pipe -g, zlib's deflate.c", "the assembler reads and does nothing", command(real), command(empty), again_and_again(*command(real)),
                r"all of as\b|process:as\b", None, record_places=r"^as\b", kind="pipeline", ask=["--target", "process:as", "--speedups", "0,100", "--window", "1s"], ask_seconds=90)
