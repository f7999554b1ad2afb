#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""code_moves - `lever diff` of a program before and after its code has moved: a function was renamed and moved to another file, one was
put into its caller by hand, and one was split."""
import json
import os

from kernel import LEVER, check, equal, folder, lever, main, run, test

INCLUDE = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "include"))

LOOKUP = """{
	unsigned hash = 1;
	for (unsigned key = 0; key < %d; key++)
		hash = hash * 31 + (key ^ hash >> 3);
	return hash;
}
"""
PARSE = """	for (unsigned letter = 0; letter < 60000; letter++)
		letters += letter %% 7 + (letters >> 1);
"""
REPLY_FIRST = """	for (unsigned column = 0; column < 40000; column++)
		total ^= total << 5 | column;
"""
REPLY_REST = """	for (unsigned row = 0; row < 60000; row++)
		total += row * row ^ total >> 7;
"""
ROUTE = """	for (unsigned hop = 0; hop < 30000; hop++)
		route = route * 17 ^ hop;
"""
HANDLE = """
#include "lever.h"
#include <stdlib.h>
volatile unsigned result;
int main(int count, char **arguments)
{
	for (int left = atoi(arguments[count - 1]); left; left--) {
		handle();
		LEVER_PROGRESS_NAMED("request");
	}
}
"""
NOINLINE = "__attribute__((noinline)) "

BEFORE = {"orders.c": (
    "extern volatile unsigned result;\n"
    f"static {NOINLINE}unsigned lookup(void)\n" + LOOKUP % 120000 +
    f"static {NOINLINE}unsigned parse(unsigned letters)\n{{\n" + PARSE.replace("%%", "%") + "	return letters;\n}\n"
    f"static {NOINLINE}unsigned reply(unsigned total)\n{{\n" + REPLY_FIRST + REPLY_REST + "	return total;\n}\n"
    f"static {NOINLINE}void handle(void)\n{{\n	unsigned route = lookup();\n" + ROUTE +
    "	result = reply(parse(route));\n}\n" + HANDLE)}
AFTER = {
    "store.c": "\n\n/* Customers. */\nunsigned find_customer(void)\n" + LOOKUP % 60000,  # half of the work
    "orders.c": (
        "extern volatile unsigned result;\nunsigned find_customer(void);\n"
        f"static {NOINLINE}unsigned print_rows(unsigned total)\n{{\n" + REPLY_REST + "	return total;\n}\n"
        f"static {NOINLINE}unsigned reply(unsigned total)\n{{\n" + REPLY_FIRST + "	return print_rows(total);\n}\n"
        f"static {NOINLINE}void handle(void)\n{{\n	unsigned route = find_customer();\n" + ROUTE +
        "	unsigned letters = route;\n" + PARSE.replace("%%", "%") +
        "	result = reply(letters);\n}\n" + HANDLE)}


def built_of(place, name, sources):
    own = os.path.join(place, name)
    os.mkdir(own)
    for file, text in sources.items():
        with open(os.path.join(own, file), "w", encoding="ascii") as out:
            out.write(text)
    binary = os.path.join(own, "orders")
    built = run("cc", "-g", "-O1", "-I", INCLUDE, "-o", binary, *(os.path.join(own, file) for file in sources))
    equal(built.returncode, 0, built.stderr)
    return binary


def profile_of(place, name, sources):
    """Built, and profiled for about 8 s."""
    binary = built_of(place, name, sources)
    output = os.path.join(place, name + ".lever")
    said = lever("run", "-q", "--output", output, "--seconds", "8", "--then-stop", "--", binary, "1000000")
    check(said.returncode in (0, 3), said.stderr)
    return output


@test("code that was renamed and moved, put into its caller, or split is compared with what it was")
def _():
    with folder() as place:
        os.chmod(place, 0o755)
        before, after = profile_of(place, "before", BEFORE), profile_of(place, "after", AFTER)
        text = lever("diff", before, after).stdout
        told = json.loads(lever("diff", "--format", "json", before, after).stdout)
        print("#", text.replace("\n", "\n# "), flush=True)
        notes = "\n".join(told["notes"])
        check("lookup has another name after: find_customer" in notes, notes)
        check("the code of parse is in handle after" in notes, notes)
        check("the code of print_rows was in reply before" in notes, notes)
        check(" is gone" not in notes and " is new" not in notes, notes)
        by_name = {one["before"]["name"]: one for one in told["functions"] if one["before"]}
        # Half of its work is gone, and the others do what they did.
        found = by_name["lookup"]
        equal(found["after"]["name"], "find_customer")
        check(found["changed"] and 0.4 < found["speedup"] < 0.6, found)
        check(abs(by_name["reply"]["speedup"]) < 0.15 and abs(by_name["handle"]["speedup"]) < 0.3, by_name)


@test("so it is for recordings of samples")
def _():
    with folder() as place:
        os.chmod(place, 0o755)
        outputs = []
        for name, sources in (("before", BEFORE), ("after", AFTER)):
            outputs.append(os.path.join(place, name + ".lever"))
            binary = built_of(place, name, sources)
            for _ in range(3):
                said = lever("record", "-q", "-o", outputs[-1], "--", binary, "4000")
                equal(said.returncode, 0, said.stderr)
        text = lever("diff", *outputs).stdout
        print("#", text.replace("\n", "\n# "), flush=True)
        check("lookup has another name after: find_customer" in text, text)
        check("the code of parse is in handle after" in text, text)
        check("the code of print_rows was in reply before" in text, text)
        row, = (line for line in text.splitlines() if line.endswith("[.]  find_customer"))
        check("less (" in row, text)
        equal(text.count("has another name"), 1, text)


main()
