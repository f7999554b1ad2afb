# SPDX-License-Identifier: BSD-2-Clause
"""`bsdtar` packs a tree of 20,000 small files. For each it asks the kernel six times where the file has holes (`lseek`). Files of a source tree have none.
"""
import os

from inputs import again_and_again, case, script


def prepare(folder):
    tree = os.path.join(folder, "tree")
    for part in range(100):
        os.makedirs(os.path.join(tree, f"part{part}"))
        for i in range(200):
            script(os.path.join(tree, f"part{part}"), f"file{i}", f"{part} {i}\n")
    many = script(folder, "many.sh", 'for i in 1 2 3 4; do "$@"; done\n')

    def command(*options):
        return ["bsdtar", *options, "-cf", "/dev/null", "-C", folder, "tree"]
    return case("bsdtar, 20,000 small files", "`--no-read-sparse`", ["sh", many, *command()], ["sh", many, *command("--no-read-sparse")],
                again_and_again(*command()), r"syscall:lseek", kind="system call", ask=["--target", "syscall:lseek"])
