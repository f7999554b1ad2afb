# SPDX-License-Identifier: BSD-2-Clause
"""An R script computes with vectors of 64 MB. Each result is new memory, which glibc takes from the kernel and gives back, and each page of it is a
page fault. glibc can be told to keep it.
"""
from inputs import case, script

CODE = """n <- as.integer(commandArgs(TRUE)[1])
x <- seq(0, 1, length.out = 8e6)
y <- rev(x)
total <- 0
for (i in seq_len(n)) total <- total + mean(2 * x + y * (x - 0.5))
print(total)
"""
KEEP = ["env", "MALLOC_MMAP_THRESHOLD_=1073741824", "MALLOC_TRIM_THRESHOLD_=4294967296", "MALLOC_TOP_PAD_=268435456"]


def prepare(folder):
    code = script(folder, "vectors.R", CODE)

    def command(times):
        return ["Rscript", "--vanilla", code, str(times)]
    return case("R, vectors of 64 MB", "`MALLOC_MMAP_THRESHOLD_`, `MALLOC_TRIM_THRESHOLD_`", command(20), [*KEEP, *command(20)], command(1000000),
                r"page_fault", None, record_places=r"asm_exc_page_fault|munmap", kind="kernel",
                ask=["--kernel", "--target", "kernel:asm_exc_page_fault", "--with", "syscall:munmap"])
