# SPDX-License-Identifier: BSD-2-Clause
"""`git add` of 300 files with `core.fsync=loose-object`, as a server sets it that must not lose an object: git waits for the disk after each file."""
import os
import subprocess

from inputs import case, script, sh, words_of_text


def prepare(folder):
    tree = os.path.join(folder, "tree")
    subprocess.run(["git", "init", "-q", tree], check=True)
    for i in range(300):
        script(tree, f"file{i}", "\n".join(words_of_text(60, i)) + "\n")
    os.mkdir(os.path.join(folder, "objects"))
    # a folder of objects of its own for each run: those that are deleted make the file system slower from run to run
    add = 'rm -f .git/index .git/index.lock && GIT_OBJECT_DIRECTORY=$(mktemp -d ../objects/XXXXXX) git -c core.fsync=%s add .'
    enter = 'cd "$1" && '
    return case("git add, core.fsync=loose-object", "`core.fsync=none`", sh(enter + add % "loose-object", tree), sh(enter + add % "none", tree),
                sh(enter + f"while :; do {add % 'loose-object'}; done", tree), r"syscall:(fsync|fdatasync)", kind="waiting", ask=["--target", "syscall:fsync"])
