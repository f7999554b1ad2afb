# SPDX-License-Identifier: BSD-2-Clause
"""`dd bs=512` copies by two system calls for each block. Neither `read` nor `write` is all of it: the set of both is."""
from inputs import case


def prepare(_):
    def command(block, total):
        return ["dd", "if=/dev/zero", "of=/dev/null", f"bs={block}", f"count={total // block}", "status=none"]
    return case("dd bs=512", "`bs=64k`", command(512, 1 << 30), command(65536, 1 << 30), command(512, 1 << 38),
                r"syscall:read.*syscall:write|syscall:write.*syscall:read", None, record_places=r"read|write", kind="set",
                options=["--target", "syscall:read", "--with", "syscall:write"])
