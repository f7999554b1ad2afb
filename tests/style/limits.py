#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""limits - what a reader has to take in at once: columns, parameters, words of a page, names of files.

Also holds that hashing, interning and writing JSON have one definition each.
"""
import itertools
import re
import sys

import style

COLUMNS, PARAMETERS = 100, 6
# Prototypes of the C library and of callbacks of libdwfl, JVMTI and libmicrohttpd are not ours to change.
FOREIGN = {"__recvfrom_chk", "find_debug_file", "on_compiled", "answer_connection"}
WORDS = {"README.md": 1500, "ARCHITECTURE.md": 2000}
WORDS_OF_PAGE = 1500
# A record that grows, and is looked things up in: decisions by their titles.
NOT_PAGES = {"docs/decisions.md"}
# File names that say nothing to a reader who knows perf, LLVM and Linux (CONTRIBUTING.md, "Names").
LITERARY = set(
    "witness scene book ledger tally pace outside settle place places theft circumstance doubts doubt nothing question answer "
    "sights census visitors visitor course courses space mention cover stretch hit hits cost hop look looks moment moments "
    "word words rally hands tell moves strip beside backlog relay crowd naps owed urgent turns fourfold clocked misc util utils "
    "helper helpers common stuff manager data info".split())
# A definition of one of these, and the one file that may have it.
ONE_DEFINITION = (
    ("FNV-1a hash", re.compile(r"0xcbf29ce484222325|14695981039346656037|0x100000001b3|1099511628211"),
     {"src/base/hash.h", "include/lever.h"}),
    ("table of interned strings", re.compile(r"struct \w*(?:intern|string_table|text_table)\w* \{"),
     {"src/base/interner.c", "src/base/interner.h"}),
    ("JSON string escapes", re.compile(r'\\\\u%04[xX]|\\\\u00'), {"src/base/json.c", "src/report/json.c"}),
)
DEFINITION = re.compile(
    r"^[A-Za-z_][^;{}=()#]*?\b([A-Za-z_]\w*)\(((?:[^(){};]|\([^()]*\))*)\)\s*(?:__attribute__\(\(.*?\)\)\s*)?[;{]", re.MULTILINE)
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def parameters(text):
    depth, count = 0, 1
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        count += letter == "," and depth == 0
    return count


def code_complaints():
    for path in style.files(["src", "include", "tests", "examples", "bench"], {".c", ".h"}):
        text = path.read_text()
        for number, line in enumerate(text.splitlines(), 1):
            columns = len(line.expandtabs(8))
            if columns > COLUMNS:
                yield path, number, f"the line has {columns} columns; {COLUMNS} is the most"
        code = NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found.group(0)), text)
        for found in DEFINITION.finditer(code):
            count = parameters(found.group(2))
            if count > PARAMETERS and found.group(1) not in FOREIGN:
                number = code[:found.start()].count("\n") + 1
                yield path, number, f"{found.group(1)} has {count} parameters; {PARAMETERS} is the most"
        here = str(path.relative_to(style.ROOT))
        for what, pattern, owners in ONE_DEFINITION:
            found = pattern.search(text)
            if here.startswith(("src/", "include/")) and found and here not in owners:
                yield path, text[:found.start()].count("\n") + 1, f"{what}: use the one of {sorted(owners)[-1]}"


def name_complaints():
    files = style.files(["src", "tests", "web", "bench", "examples"], {".c", ".h", ".js", ".mjs", ".py"})
    for path in files:
        if "node_modules" not in path.parts and path.stem in LITERARY:
            yield path, 1, f"'{path.stem}' does not tell what the file holds: use the field's term"


def page_complaints():
    pages = [style.ROOT / name for name in WORDS] + [style.ROOT / "CONTRIBUTING.md"] + style.files(["docs"], {".md"})
    for path in pages:
        here = str(path.relative_to(style.ROOT))
        count, most = len(path.read_text().split()), WORDS.get(here, WORDS_OF_PAGE)
        if count > most and here not in NOT_PAGES:
            yield path, 1, f"{count} words; {most} is the most: move what few readers need to a page of docs/"
    for path in style.files(["docs"], {".md"}):
        index = path.parent / "README.md"
        if path != index and f"({path.name})" not in index.read_text():
            yield path, 1, f"{index.relative_to(style.ROOT)} does not list it"


def link_complaints():
    """A link of a page to a file of the repository leads somewhere."""
    for path in [*style.ROOT.glob("*.md"), *style.files(["docs", "bench", "tests"], {".md"})]:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", line):
                if "://" not in target and not (path.parent / target).exists():
                    yield path, number, f"links to {target}, which does not exist"


def decision_complaints():
    """A comment that names a section of docs/decisions.md names one that is there; its contents have all in order."""
    decisions = style.ROOT / "docs" / "decisions.md"
    titles = re.findall(r"^## (.*)$", decisions.read_text(), re.MULTILINE)
    listed = re.findall(r"^- \[(.*)\]\(#", decisions.read_text(), re.MULTILINE)
    for title, entry in itertools.zip_longest(titles, listed):
        if title != entry:
            yield decisions, 1, f"the contents have \"{entry}\" where the next section is \"{title}\""
            break
    for path in style.files(["src", "include", "tests", "bench"], {".c", ".h", ".py", ".mjs"}):
        text = re.sub(r"\n\s*(?:\*|//|#)? ?", " ", path.read_text())
        for title in re.findall(r'docs/decisions\.md, "([^"]+)"', text):
            if title not in titles and path.name != "limits.py":
                yield path, 1, f"docs/decisions.md has no section \"{title}\""


def version_complaints():
    """A package has the version of the build."""
    built = re.search(r"^\tversion: '(.*)',$", (style.ROOT / "meson.build").read_text(), re.MULTILINE).group(1)
    log = style.ROOT / "debian" / "changelog"
    packaged = re.match(r"lever \((.*)\)", log.read_text()).group(1)
    if packaged != built:
        yield log, 1, f"the version is {packaged}; meson.build has {built}"


failed = 0
for check in (code_complaints, name_complaints, page_complaints, link_complaints, decision_complaints,
              version_complaints):
    failed |= style.report(check())
sys.exit(failed)
