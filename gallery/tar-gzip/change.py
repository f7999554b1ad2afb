# SPDX-License-Identifier: BSD-2-Clause
"""A tree of 4,000 small files is packed: `tar c | gzip`. tar opens, reads and stats each file, in the kernel: would an archive that is
there already help?
"""
import os
import subprocess

from inputs import case, sh, words_of_text


def prepare(folder):
    tree = os.path.join(folder, "tree")
    lines = words_of_text(40000)
    for number in range(4000):
        place = os.path.join(tree, str(number % 40))
        os.makedirs(place, exist_ok=True)
        with open(os.path.join(place, str(number)), "w", encoding="ascii") as file:
            file.write("\n".join(lines[10 * number:10 * number + 60]))
    archive = os.path.join(folder, "tree.tar")
    subprocess.run(["tar", "cf", archive, "-C", folder, "tree"], check=True)
    pack = "gzip >/dev/null"
    return case("tar c \\| gzip", "`cat` of the archive", sh(f'tar cf - -C "$1" tree | {pack}', folder), sh(f'cat "$1" | {pack}', archive),
                sh(f'while :; do tar cf - -C "$1" tree; done | {pack}', folder), r"all of tar\b|process:tar\b", kind="null", ask=["--target", "process:tar"])
