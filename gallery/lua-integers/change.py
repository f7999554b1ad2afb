# SPDX-License-Identifier: BSD-2-Clause
"""Lua turns a number into text by `snprintf("%lld")`, for `..`, `tostring`, `table.concat` and `io.write`. The C library reads its format, its
locale and its width for each.
"""
import glob
import os
import subprocess

from inputs import case, debian_source, patched, script

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = """local total = 0
for round = 1, %d do
  local row = {}
  for i = 1, 1000 do row[i] = i * round end
  total = total + #table.concat(row, ",")
end
print(total)
"""


def built(source):
    code = os.path.join(source, "src")
    script(code, "lua5.4-deb-multiarch.h", '#define DEB_HOST_MULTIARCH ""\n')
    files = [path for path in glob.glob(os.path.join(code, "*.c")) if not path.endswith("/luac.c")]
    subprocess.run(["gcc", "-O2", "-g", "-DLUA_USE_LINUX", "-o", os.path.join(source, "lua"), *files, "-lm", "-ldl"], check=True)
    return os.path.join(source, "lua")


def prepare(folder):
    source = debian_source(folder, "lua5.4")
    after = patched(source, os.path.join(HERE, "integers.patch"))
    slow, fast = built(source), built(after)
    short, long = script(folder, "short.lua", PROGRAM % 10000), script(folder, "long.lua", PROGRAM % 100000000)
    return case("Lua 5.4, rows of numbers", "integers without `snprintf`", [slow, short], [fast, short], [slow, long],
                r"tostringbuff|luaO_tostring|snprintf", None, record_places=r"tostringbuff|luaO_tostring", gain_places=r"tostringbuff|luaO_tostring", kind="CPU", ask=["--target", "inclusive:luaO_tostring"])
