# SPDX-License-Identifier: BSD-2-Clause
"""`dd bs=512` copies by two system calls for each block. Neither `read` nor `write` is all of it: the set of both is."""
from inputs import case, preload


def prepare(folder):
    free = preload(folder, "free", "#include <unistd.h>\n"
                   "ssize_t read(int file, void *to, size_t size) { (void)file, (void)to; return (ssize_t)size; }\n"
                   "ssize_t write(int file, const void *from, size_t size) { (void)file, (void)from; return (ssize_t)size; }\n")

    def command(block, total):
        return ["dd", "if=/dev/zero", "of=/dev/null", f"bs={block}", f"count={total // block}", "status=none"]
    return case("dd bs=512", "`read` and `write` that return at once", command(512, 1 << 30), [*free, *command(512, 1 << 30)], command(512, 1 << 38),
                r"syscall:read.*syscall:write|syscall:write.*syscall:read", kind="set",
                options=["--target", "syscall:read", "--with", "syscall:write"])
