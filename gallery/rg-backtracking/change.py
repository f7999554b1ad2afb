# SPDX-License-Identifier: BSD-2-Clause
"""ripgrep, a Rust program, searches files side by side, here by PCRE2 (`-P`), which compiles the pattern into code of its own. The pattern
backtracks through each word again and again; a possessive `++` says that it need not.
"""
import os

from inputs import case, text_file


def prepare(folder):
    texts = os.path.join(folder, "texts")
    os.mkdir(texts)
    for i in range(8):
        text_file(texts, f"text{i}", 30000)

    def command(pattern, times):
        return ["rg", "-P", "-c", "--no-messages", pattern, *[texts] * times]
    return case("ripgrep -P", "a possessive pattern", command(r"(\w+\s)+\w*x$", 1), command(r"(\w++\s)++\w*x$", 1), command(r"(\w+\s)+\w*x$", 2000),
                r"JIT code", None, record_places=r"JIT code", kind="CPU", ask=["--target", "JIT code"])
