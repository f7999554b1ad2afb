#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""calls - files of src/ call each other one way: no circle of files, by the symbols of their objects.

Usage: calls.py BUILD
"""
import pathlib
import re
import subprocess
import sys

import style

BUILD = pathlib.Path(sys.argv[1])
SYMBOL = re.compile(r"^(?:[0-9a-f]+)?\s+([A-Za-z]) (\S+)$")


def objects():
    """{object: source} of what ninja compiles from src/"""
    found = {}
    for line in (BUILD / "build.ninja").read_text().splitlines():
        rule = re.match(r"build (src/\S+\.o): c_COMPILER (\S+\.c)", line)
        if rule:
            source = (BUILD / rule.group(2)).resolve()
            if source.is_relative_to(style.ROOT / "src") and (BUILD / rule.group(1)).exists():
                found[rule.group(1)] = str(source.relative_to(style.ROOT))
    return found


def symbols(paths):
    """{object: (defined, used)}"""
    said = subprocess.run(["nm", "--print-file-name", *paths], cwd=BUILD, capture_output=True, text=True, check=True)
    found = {path: (set(), set()) for path in paths}
    for line in said.stdout.splitlines():
        path, _, rest = line.partition(":")
        symbol = SYMBOL.match(rest)
        if symbol:
            found[path][symbol.group(1) == "U"].add(symbol.group(2))
    return found


def edges():
    """{source: {source that it uses: a symbol}}, within one library: others are layers.txt's matter"""
    sources = objects()
    if len(sources) < 100:
        raise SystemExit(f"only {len(sources)} objects of src/ in {BUILD}: the test would hold of nothing")
    tables = symbols(sorted(sources))
    owner = {}
    for path, (defined, _) in tables.items():
        for name in defined:
            owner[(path.split("/")[1], name)] = sources[path]
    graph = {}
    for path, (_, used) in tables.items():
        for name in used:
            other = owner.get((path.split("/")[1], name))
            if other and other != sources[path]:
                graph.setdefault(sources[path], {})[other] = name
    return graph


def circle_from(graph, start):
    """the shortest way from a file back to itself"""
    ways = [[start]]
    seen = set()
    for way in ways:
        for other in graph.get(way[-1], {}):
            if other == start:
                return way
            if other not in seen:
                seen.add(other)
                ways.append(way + [other])
    return None


def complaints(graph):
    told = set()
    for start in sorted(graph):
        way = circle_from(graph, start)
        if way and not told & set(way):
            told |= set(way)
            pairs = zip(way, way[1:] + way[:1])
            yield style.ROOT / start, 1, "calls run in a circle: " + ", ".join(
                f"{one} -> {other} ({graph[one][other]})" for one, other in pairs)


sys.exit(style.report(complaints(edges())))
