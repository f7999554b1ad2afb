# SPDX-License-Identifier: BSD-2-Clause
"""`samtools view -@ 1 -c -e EXPRESSION` counts the reads of a BAM file that an expression selects, and is given a second thread, which could unpack the
file beside the evaluation. Would a cheaper expression help?
"""
import os
import random
import subprocess

from inputs import case, sh

EXPRESSION = "mapq > 20 && !flag.dup && [NM] < 3"


def prepare(folder):
    sam, bam, draw = os.path.join(folder, "reads.sam"), os.path.join(folder, "reads.bam"), random.Random(1)
    with open(sam, "w", encoding="ascii") as file:
        file.write("@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:100000000\n")
        for i in range(60000):
            bases, qualities = ("".join(draw.choices(letters, k=400)) for letters in ("ACGT", "#-5:AFFFFFF"))
            file.write(f"read{i}\t0\tchr1\t{100 * i + 1}\t{draw.randint(0, 60)}\t400M\t*\t0\t0\t{bases}\t{qualities}\tNM:i:{draw.randint(0, 6)}\n")
    one = os.path.join(folder, "one.bam")
    subprocess.run(["samtools", "view", "-b", "-o", one, sam], check=True)
    subprocess.run(["samtools", "cat", "-o", bam, *[one] * 6], check=True)
    os.remove(sam)

    def command(times, *options):
        return sh(f'for i in $(seq {times}); do samtools view -@ 1 -c "$@" >/dev/null; done', *options, bam)
    return case("samtools view -e, two threads", "no expression", command(1, "-e", EXPRESSION), command(1), command(1000, "-e", EXPRESSION),
                r"hts_filter_eval|bam_filter|sam_passes_filter", kind="CPU", gain_places="inclusive:sam_passes_filter", ask=["--target", "inclusive:sam_passes_filter"])
