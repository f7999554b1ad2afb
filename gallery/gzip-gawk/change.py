# SPDX-License-Identifier: BSD-2-Clause
"""The words of a packed log are counted: `gzip -dc log.gz | gawk`. gzip takes a fifth of the CPU time: would a log that is not packed, or a
faster program, help?
"""
import subprocess

from inputs import case, sh, text_file

COUNT = "gawk '{ for (i = 1; i <= NF; i++) words[$i]++ } END { print length(words) }'"


def prepare(folder):
    plain = text_file(folder, "log", 60000, 4)
    subprocess.run(["gzip", "-k", plain], check=True)

    def command(count):
        return ["env", "LC_ALL=C.UTF-8", *sh(f'gzip -dc "$@" | {COUNT} >/dev/null', *[plain + ".gz"] * count)]
    return case("gzip -dc \\| gawk", "gawk reads the plain log itself", command(2), ["env", "LC_ALL=C.UTF-8", *sh(f'{COUNT} "$@" >/dev/null', *[plain] * 2)],
                command(150), r"all of gzip\b|process:gzip\b", kind="null", ask=["--target", "process:gzip"])
