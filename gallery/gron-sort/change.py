# SPDX-License-Identifier: BSD-2-Clause
"""gron makes lines of JSON that `grep` can search, and sorts them, so that two files can be compared. It is written in Go: the collector of garbage
runs beside it on the second core.
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
    rows = [{"id": i, "name": "".join(draw.choices("abcdefgh", k=8)), "tags": draw.sample(["red", "green", "blue", "black"], 3),
             "address": {"street": f"{draw.randint(1, 99)} Main", "code": draw.randint(10000, 99999)}} for i in range(12000)]
    draw.shuffle(rows)
    data = script(folder, "rows.json", json.dumps(rows))

    def command(*words):
        return ["sh", "-c", '"$@" >/dev/null', "sh", program, "--monochrome", *words, data]
    return case("gron, a Go program", "`--no-sort`", command(), command("--no-sort"), again_and_again(*command()), r"sort\.Sort|pdqsort|statements\.Less|sort\.|main\.statements",
                gain_places=r"inclusive:sort\.Sort\b", kind="CPU", ask=["--target", "inclusive:sort.Sort"])
