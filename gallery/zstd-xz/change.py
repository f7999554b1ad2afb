# SPDX-License-Identifier: BSD-2-Clause
"""Packed logs are packed anew for the archive: `zstd -dc | xz -2`. zstd unpacks on the other core: would logs that are not packed help, or a
faster decompressor?
"""
import subprocess

from inputs import case, sh, text_file


def prepare(folder):
    plain = text_file(folder, "plain", 60000, 4)
    subprocess.run(["zstd", "-q", "-19", "-k", plain], check=True)
    again = "xz -2 -T1 -c >/dev/null"
    return case("zstd -dc \\| xz -2", "`cat` of the plain logs", sh(f'zstd -q -dc "$1" | {again}', plain + ".zst"), sh(f'cat "$1" | {again}', plain),
                sh(f'zstd -q -dc "$@" | {again}', *[plain + ".zst"] * 200), r"all of zstd\b|process:zstd\b", kind="null", ask=["--target", "process:zstd"])
