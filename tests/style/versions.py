#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""versions - the version stands in meson.build, and what repeats it agrees (tools/release version changes all)."""
import re
import sys

import style

PLACES = (("debian/changelog", r"\Alever \((\S+)\)"), ("CHANGELOG.md", r"^## (\S+) \("),
          ("editors/vscode/package.json", r'^\t"version": "(.*)"'), ("editors/emacs/lever.el", r"^;; Version: (\S+)$"))


def complaints():
    version = re.search(r"^\tversion: '(.*)',", (style.ROOT / "meson.build").read_text(), re.M)[1]
    for name, pattern in PLACES:
        found = re.search(pattern, (style.ROOT / name).read_text(), re.M)
        if not found or found[1] != version:
            yield style.ROOT / name, 1, f"has version {found and found[1]}, meson.build {version}"


if __name__ == "__main__":
    sys.exit(style.report(complaints()))
