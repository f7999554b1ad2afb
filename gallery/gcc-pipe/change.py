# SPDX-License-Identifier: BSD-2-Clause
"""gcc -pipe runs the compiler and the assembler side by side: `cc1` writes text into a pipe, and `as` reads it. The assembler
takes a good part of all CPU time. Is a faster assembler worth the work?
"""
import os
import shutil

from inputs import again_and_again, case, debian_source, script, sh


def prepare(folder):
    zlib = debian_source(folder, "zlib")
    empty = os.path.join(folder, "no-as")
    os.mkdir(empty)
    os.chmod(script(empty, "as", "#!/bin/sh\nexec cat >/dev/null\n"), 0o755)
    real = os.path.join(folder, "as")
    os.mkdir(real)
    os.symlink(shutil.which("as"), os.path.join(real, "as"))

    def command(assembler):
        return sh('cd "$1" && for file in *.c; do gcc -w -pipe -g -B "$2/" -c -o /dev/null "$file"; done', zlib, assembler)
    return case("gcc -pipe -g, Debian's zlib", "the assembler reads and does nothing", command(real), command(empty),
                again_and_again(*command(real)), r"all of as\b|process:as\b", kind="pipeline", ask=["--target", "process:as"])
