# SPDX-License-Identifier: BSD-2-Clause
"""style - what the style tests share: the files of the repository, and how complaints are told."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def files(folders, suffixes):
    """Every file below the folders with one of the suffixes, in order."""
    found = []
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                found.append(path)
    if not found:
        raise SystemExit(f"no files in {folders}: the test would hold of nothing")
    return found


def report(complaints):
    """Prints (path, line, sentence) and returns the exit code."""
    count = 0
    for path, line, sentence in complaints:
        print(f"{path.relative_to(ROOT)}:{line}: {sentence}")
        count += 1
    return 1 if count else 0
