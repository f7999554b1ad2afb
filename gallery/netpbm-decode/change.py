# SPDX-License-Identifier: BSD-2-Clause
"""A thumbnail by Netpbm: `pngtopam | pamscale | pnmtojpeg`. Three programs share two cores. Would a faster reader of PNG help? In the change `cat` reads
the picture as it stands, without compression.
"""
import os
import random
import subprocess

from inputs import case, sh


def prepare(folder):
    plain, packed = os.path.join(folder, "photo.ppm"), os.path.join(folder, "photo.png")
    draw, width, height = random.Random(1), 2000, 1000
    with open(plain, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (width, height))
        for y in range(height):
            file.write(bytes((x // 12 + y // 6 + noise % 8) & 255 for x, noise in zip(range(3 * width), draw.randbytes(3 * width))))
    with open(packed, "wb") as file:
        subprocess.run(["pnmtopng", "-compression=3", "-quiet", plain], stdout=file, check=True)

    def command(reader, times):
        return sh(f'for i in $(seq {times}); do {reader} "$1" | pamscale -xsize 700 -filter=mitchell | pnmtojpeg >/dev/null; done', packed if "png" in reader else plain)
    return case("pngtopam \\| pamscale \\| pnmtojpeg", "`cat` of the PPM file", command("pngtopam", 3), command("cat", 3), command("pngtopam", 1000),
                r"all of pngtopam\b|process:pngtopam\b", kind="pipeline", gain_places=r"process:pngtopam", ask=["--target", "process:pngtopam", "--speedups", "0,100", "--window", "3s"], ask_seconds=120)
