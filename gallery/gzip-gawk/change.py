# SPDX-License-Identifier: BSD-2-Clause
"""The words of a packed log are counted: `gzip -dc log.gz | gawk`. gzip takes a fifth of the CPU time: would a faster unpacker help? In the change
the log is packed without compression, so that the same program copies it, and the pipe and its writes stay.
"""
import gzip
import os
import subprocess

from inputs import case, sh, text_file

COUNT = "gawk '{ for (i = 1; i <= NF; i++) words[$i]++ } END { print length(words) }'"


def prepare(folder):
    plain = text_file(folder, "log", 60000, 4)
    subprocess.run(["gzip", "-k", plain], check=True)
    copied = os.path.join(folder, "copied.gz")
    with open(plain, "rb") as text, gzip.open(copied, "wb", compresslevel=0) as file:
        file.write(text.read())

    def command(packed, count):
        return ["env", "LC_ALL=C.UTF-8", *sh(f'gzip -dc "$@" | {COUNT} >/dev/null', *[packed] * count)]
    return case("gzip -dc \\| gawk", "a log packed without compression", command(plain + ".gz", 2), command(copied, 2), command(plain + ".gz", 150),
                r"all of gzip\b|process:gzip\b", None, record_places=r"^gzip\b", kind="null", ask=["--target", "process:gzip"], ask_seconds=60)
