# SPDX-License-Identifier: BSD-2-Clause
"""`git diff-files` in a tree of 30,000 files asks the kernel for each of them whether it changed, and compares the answer with what it knows."""
import os
import subprocess

from inputs import again_and_again, case, debian_source, script


def prepare(folder):
    git = os.path.join(debian_source(folder, "git"), "git")  # Debian's own program has no names of functions
    without = ["NO_CURL", "NO_EXPAT", "NO_GETTEXT", "NO_OPENSSL", "NO_PERL", "NO_PYTHON", "NO_TCLTK"]
    subprocess.run(["make", "-s", "-j2", "CFLAGS=-O2 -g", *[word + "=1" for word in without], "git"], cwd=os.path.dirname(git), check=True, stdout=subprocess.DEVNULL)
    tree = {}
    for name in ("before", "after"):
        tree[name] = os.path.join(folder, name)
        for part in range(100):
            os.makedirs(os.path.join(tree[name], f"part{part}"))
            for i in range(300):
                script(os.path.join(tree[name], f"part{part}"), f"file{i}", f"{part} {i}\n")
        subprocess.run([git, "init", "-q", "--template=", tree[name]], check=True)
        subprocess.run([git, "-C", tree[name], "add", "."], check=True)
    names = subprocess.run([git, "-C", tree["after"], "ls-files", "-z"], check=True, capture_output=True).stdout
    subprocess.run([git, "-C", tree["after"], "update-index", "-z", "--assume-unchanged", "--stdin"], check=True, input=names)

    def command(name):
        return [git, "-C", tree[name], "-c", "core.preloadIndex=false", "diff-files", "--quiet"]
    many = script(folder, "many.sh", 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "$@"; done\n')
    return case("git diff-files, 30,000 files", "`--assume-unchanged`", ["sh", many, *command("before")], ["sh", many, *command("after")],
                again_and_again(*command("before")), r"check_removed|lstat|newfstatat", kind="system call", gain_places=r"inclusive:check_removed \+",
                ask=["--target", "inclusive:check_removed", "--with", "inclusive:match_stat_with_submodule"])
