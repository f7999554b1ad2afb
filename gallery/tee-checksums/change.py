# SPDX-License-Identifier: BSD-2-Clause
"""A mirror writes two checksums of each file: `tee >(sha1sum) | md5sum`. Which one is worth
replacing, or both?"""
import os

from inputs import case


def prepare(folder):
    def command(one, other, megabytes=300):
        data = os.path.join(folder, f"{megabytes}")
        with open(data, "wb") as file:
            file.truncate(megabytes << 20)
        return ["bash", "-c", f'tee >({one} >"$1/one") <"$2" | {other} >"$1/other"; wait', "bash", folder, data]
    return case("tee \\| sha1sum and md5sum", "both only read", command("sha1sum", "md5sum"), command("tail -c 1", "tail -c 1"), command("sha1sum", "md5sum", 4000),
                r"process:sha1sum \+ process:md5sum|process:md5sum \+ process:sha1sum", None, record_places=r"^(sha1sum|md5sum|tail)\b", kind="set",
                ask=["--target", "process:sha1sum", "--with", "process:md5sum"], perf_change="only md5sum reads only", perf_after=command("sha1sum", "tail -c 1"))
