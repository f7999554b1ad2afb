# SPDX-License-Identifier: BSD-2-Clause
"""An archive is packed anew: `xz -dc old.xz | pigz -p1 -5`. Both programs compute, each on a core of its own. Is a faster decompressor
worth the work?
"""
import os
import subprocess

from inputs import case, sh, text_file


def prepare(folder):
    plain = text_file(folder, "plain", 60000)
    subprocess.run(["xz", "-k", "-1", plain], check=True)
    all_plain = text_file(folder, "all", 60000, 12)
    pipe = 'xz -dc "$@" | pigz -p1 -5 >/dev/null'
    return case("xz -dc \\| pigz -p1 -5", "pigz reads the plain text itself", sh(pipe, *[plain + ".xz"] * 12),
                sh('pigz -p1 -5 <"$1" >/dev/null', all_plain), sh(pipe, *[plain + ".xz"] * 200),
                r"all of xz\b|process:xz\b", kind="pipeline", ask=["--target", "process:xz"], perf_change="`pigz -1`",
                perf_after=sh('xz -dc "$@" | pigz -p1 -1 >/dev/null', *[plain + ".xz"] * 12))
