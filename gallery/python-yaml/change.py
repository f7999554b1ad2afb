# SPDX-License-Identifier: BSD-2-Clause
"""A Python program reads YAML by `yaml.safe_load`, turns it into JSON and packs it. PyYAML has two parsers: one in Python, which
`safe_load` takes, and one in C, libyaml, which a program must name.
"""
from inputs import case, script

PROGRAM = """import json, yaml, zlib
LOADER = yaml.{loader}
text = "".join(f"host{{i}}:\\n  address: 10.0.{{i % 256}}.7\\n  roles: [web, db, cache]\\n  weight: {{i}}\\n" for i in range(60))

def load():
    return yaml.load(text, Loader=LOADER)

def pack(data):
    packed = zlib.compress(json.dumps(data, indent=1).encode() * 30, 9)
    return len(packed)

total = 0
for turn in range({turns}):
    total += pack(load())
print(total)
"""


def prepare(folder):
    def command(name, loader, turns):
        return ["/usr/bin/python3", script(folder, name, PROGRAM.format(loader=loader, turns=turns))]
    return case("Python, PyYAML to JSON", "`CSafeLoader`", command("before.py", "SafeLoader", 120), command("after.py", "CSafeLoader", 120),
                command("long.py", "SafeLoader", 100000), r"long\.load\b|long\.py:6|yaml\.load\b|__init__\.load\b", None, record_places=r"before\.load|after\.load", kind="CPU")
