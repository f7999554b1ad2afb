# SPDX-License-Identifier: BSD-2-Clause
"""jq 1.6 prints every number by David Gay's `dtoa`, which finds the shortest decimal fraction that reads back as the same double.
Most numbers in JSON are small integers, such as identifiers, counts and times.
"""
import os
import random
import subprocess

from inputs import case, debian_source, patched, script

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIONS = ["--with-oniguruma=no", "--disable-docs", "--disable-maintainer-mode", "--disable-shared", "CFLAGS=-O2 -g"]


def built(source):
    for words in (["autoreconf", "-i"], ["./configure", *OPTIONS], ["make", "src/builtin.inc", "jq"]):
        subprocess.run(words, cwd=source, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return os.path.join(source, "jq")


def prepare(folder):
    source = debian_source(folder, "jq")
    after = patched(source, os.path.join(HERE, "integers.patch"))
    slow, fast = built(source), built(after)
    draw = random.Random(1)

    def points(name, count):
        return script(folder, name, "".join(f'{{"id":{draw.randrange(10 ** 6)},"x":[{",".join(str(draw.randrange(10 ** 4)) for _ in range(12))}]}}\n'
                                            for _ in range(count)))
    short, long = points("short.json", 200000), points("long.json", 1000000)
    return case("jq -c '.x', integers", "integers without `dtoa`", [slow, "-c", ".x", short], [fast, "-c", ".x", short], [slow, "-c", ".x", *[long] * 9],
                r"jvp_dtoa_fmt", None, record_places=r"jvp_dtoa_fmt|print_integer", kind="CPU", ask=["--target", "inclusive:jvp_dtoa_fmt"])
