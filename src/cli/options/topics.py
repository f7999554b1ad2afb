# SPDX-License-Identifier: BSD-2-Clause
"""topics - writes pages of docs/ as C, as `lever help TOPIC` prints them: topics.py INDEX PAGE... > topics.inc

INDEX is docs/README.md, whose table says what each page answers. A topic has its page's name without ".md", with
"-guide" where a command has that name.
Markdown becomes text of at most 80 columns: links become their words, tables one line an entry, figures go.
"""
import os
import re
import sys
import textwrap

WIDTH = 80


def topic_of(name):
    topics = [os.path.basename(path) for path in sys.argv[2:]]
    return f"lever help {command_or_topic(name)}" if f"{name}.md" in topics else f"docs/{name}.md"


def command_or_topic(name):
    """Pages of a command's name: `lever help diff` lists the command's options."""
    return f"{name}-guide" if name in ("diff", "scale") else name


def plain(text):
    """A line of Markdown without its marks; links to other topics name them."""
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([\w-]+)\.md\]\([\w-]+\.md\)", lambda match: topic_of(match[1]), text)
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<(https?:[^>]*)>", r"\1", text)
    return re.sub(r"\*\*([^*]+)\*\*|(?<![\w*])\*([^*\s][^*]*)\*", lambda match: match[1] or match[2], text)


def wrap(text, first="", rest=""):
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


def table_lines(rows):
    """A table, one entry a paragraph: its first cell, and the others with their columns' names."""
    cells = [[plain(cell.strip()) for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))] for row in rows]
    heads, entries = cells[0], cells[2:]
    for entry in entries:
        if len(heads) == 2:
            yield from wrap(f"{entry[0]}: {entry[1]}", "  ", "    ")
            continue
        others = "; ".join(f"{head}: {cell}" if head else cell for head, cell in zip(heads[1:], entry[1:]) if cell)
        yield from wrap(f"{entry[0]} - {others}" if others else entry[0], "  ", "    ")


def paragraph_lines(block):
    if block[0].startswith("#"):
        yield plain(block[0].lstrip("# ")).upper()
        if block[1:]:
            yield from paragraph_lines(block[1:])
    elif block[0].lstrip().startswith("|"):
        yield from table_lines(block)
    else:
        items, marks = [], re.compile(r"(\s*)([-*]|\d+\.) +")
        for line in block:
            match = marks.match(line)
            if match or not items:
                items.append([match[0] if match else "", line[match.end() :] if match else line])
            else:
                items[-1][1] += " " + line.strip()
        for mark, text in items:
            yield from wrap(plain(text), mark, " " * len(mark))


def page_lines(text):
    """Blocks between empty lines; code between fences stays as it is."""
    block, code = [], False
    for line in [*text.splitlines(), ""]:
        if line.startswith("```"):
            code = not code
        elif code:
            yield "    " + line if line else ""
        elif line.strip():
            block.append(line)
        elif block:
            lines = list(paragraph_lines(block))
            yield from lines
            if lines:
                yield ""
            block = []
        if code and block:
            yield from paragraph_lines(block)
            yield ""
            block = []
        if line.startswith("```") and not code:
            yield ""


def literal(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("?", "\\?") + '"'


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        answers = dict(re.findall(r"^\| \[([\w-]+)\.md\]\([^)]*\) \| (.*) \|$", file.read(), re.M))
    topics = []
    for path in sys.argv[2:]:
        name = os.path.basename(path).removesuffix(".md")
        with open(path, encoding="utf-8") as file:
            lines = list(page_lines(file.read()))
        lines = [line for i, line in enumerate(lines) if line or (i and lines[i - 1])]
        print(f"static const char *const {name.replace('-', '_')}_lines[] = {{")
        for line in lines:
            print(f"\t{literal(line)},")
        print("\tNULL,\n};")
        topics.append((command_or_topic(name), name, plain(answers[name])))
    print("const struct help_topic help_topics[] = {")
    for topic, name, answer in topics:
        print(f"\t{{{literal(topic)}, {literal(answer)}, {name.replace('-', '_')}_lines}},")
    print("};\nconst size_t help_topics_count = sizeof(help_topics) / sizeof(help_topics[0]);")


main()
