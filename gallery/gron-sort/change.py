# SPDX-License-Identifier: BSD-2-Clause
"""gron makes lines of JSON that `grep` can search, and sorts those of each object, so that two files can be compared. It is written in Go: the collector
of garbage runs beside it on the second core.
"""
import json
import os
import random
import subprocess

from inputs import again_and_again, case, debian_source, script

GOPATH = "/usr/share/gocode"  # Debian's golang-github-*-dev: fatih-color, mattn-go-colorable, nwidger-jsoncolor, pkg-errors


def prepare(folder):
    source = debian_source(folder, "gron")
    program = os.path.join(folder, "gron")
    environment = os.environ | {"GO111MODULE": "off", "GOPATH": GOPATH, "GOFLAGS": "", "GOCACHE": os.path.join(folder, "cache"), "CGO_ENABLED": "0"}
    subprocess.run(["go", "build", "-o", program, "."], cwd=source, check=True, env=environment)
    draw = random.Random(1)
    groups = [{f"host{draw.randint(1, 99999)}": {"id": i, "name": "".join(draw.choices("abcdefgh", k=8)), "code": draw.randint(10000, 99999)} for i in range(150)}
              for _ in range(200)]
    data = {times: script(folder, f"groups.{times}", "".join(json.dumps(group) + "\n" for group in groups) * times) for times in (1, 20)}

    def command(times, *words):
        return ["sh", "-c", '"$@" >/dev/null', "sh", program, "--monochrome", "--stream", *words, data[times]]
    return case("gron --stream, a Go program", "`--no-sort`", command(1), command(1, "--no-sort"), again_and_again(*command(20)), r"sort\.Sort|pdqsort|main\.statements",
                gain_places=r"inclusive:sort\.Sort\b", kind="CPU", ask=["--target", "inclusive:sort.Sort"], ask_seconds=120)
