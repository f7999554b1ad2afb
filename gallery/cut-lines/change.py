# SPDX-License-Identifier: BSD-2-Clause
"""`stdbuf -oL cut -f 2` shows a field of a log line by line, as scripts do that someone watches. Here the output goes to a file.
"""
import os

from inputs import case, sh


def prepare(folder):
    log, out = os.path.join(folder, "log"), os.path.join(folder, "out")
    with open(log, "w", encoding="ascii") as file:
        for i in range(500000):
            file.write(f"{i}\tworker {i % 7} took {i * 7919 % 1000} ms\tdone\n")

    def command(program, times):
        return sh(f'for i in $(seq {times}); do {program} cut -f 2 "$1" >"$2"; done', log, out)
    return case("stdbuf -oL cut", "no `stdbuf`", command("stdbuf -oL", 2), command("", 2), command("stdbuf -oL", 1000),
                r"_overflow|syscall:write", gain_places=r"^inclusive:_IO_new_file_overflow", kind="system call", ask=["--target", "inclusive:_IO_new_file_overflow"], ask_seconds=40)
