#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""names - how long `lever record` needs for names of a program with much debug information.

    bench/names.py [--lever build/lever] [--units 250] [--run 1,10,100,250] [--rounds 1]

One unit of 4,000 functions and as many structs, 5 MB of debug information, is compiled and copied under other symbols.
The program runs for 2 s in functions of the first units. A row for each number of these: seconds by the clock until
`lever record` ends, with all names, and its CPU time with that of the program; the least of --rounds. Needs root, binutils,
gcc, and 4 GB in --place.
"""
import argparse
import os
import subprocess
import tempfile
import time

FUNCTIONS, MEMBERS, EVERY = 4000, 40, 10
HERE = os.path.dirname(os.path.abspath(__file__))
MAIN = """\
#include <stdlib.h>
#include <time.h>
%s
static long (*works[])(long) = {%s};
int main(int count, char **words)
{
	struct timespec begin, now;
	long sum = 0, most = count > 1 ? atoi(words[1]) : 1;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (long i = 0; i < most; i++)
			sum += works[i](sum);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec - begin.tv_sec + (now.tv_nsec - begin.tv_nsec) / 1e9 < 2);
	return sum == 42;
}
"""


def unit():
    for i in range(FUNCTIONS):
        members = "".join(f"long member_{j}_of_{i}; struct s{max(i - 1, 0)} *next_{j};" for j in range(MEMBERS))
        yield f"struct s{i} {{{members}}};"
        yield (f"__attribute__((noinline)) long function_{i}(struct s{i} *s, long a)\n{{\n\tlong sum = 0;\n\tfor (int i = 0; i < 50; i++)\n"
               f"\t\tsum = sum * 31 + a + i;\n\treturn s ? s->member_3_of_{i} : sum;\n}}")
    calls = "\n".join(f"\tsum += function_{i}(0, a);" for i in range(0, FUNCTIONS, EVERY))
    yield f"long work(long a)\n{{\n\tlong sum = 0;\n{calls}\n\treturn sum;\n}}"


def build(place, units):
    def run(*command):
        subprocess.run(command, cwd=place, check=True)

    with open(os.path.join(place, "unit.c"), "w", encoding="ascii") as file:
        file.write("\n".join(unit()))
    with open(os.path.join(place, "main.c"), "w", encoding="ascii") as file:
        file.write(MAIN % ("\n".join(f"long u{i}_work(long);" for i in range(units)), ", ".join(f"u{i}_work" for i in range(units))))
    run("gcc", "-g", "-O1", "-c", "unit.c")
    run("gcc", "-g", "-c", "main.c")
    for i in range(units):
        run("objcopy", f"--prefix-symbols=u{i}_", "unit.o", f"u{i}.o")
    run("gcc", "-o", "program", "main.o", *(f"u{i}.o" for i in range(units)))
    for i in range(units):
        os.unlink(os.path.join(place, f"u{i}.o"))
    return os.path.join(place, "program")


def measure(lever, program, place, units):
    began = time.monotonic()
    process = subprocess.Popen([lever, "record", "--quiet", "--fresh", "-o", os.path.join(place, "out.lever"), "--", program, str(units)])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return time.monotonic() - began, usage.ru_utime + usage.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lever", default=os.path.join(HERE, "..", "build", "lever"))
    parser.add_argument("--units", type=int, default=250)
    parser.add_argument("--run", default="1,10,100,250")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--place", default="/var/tmp")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lever-bench-", dir=options.place) as place:
        program = build(place, options.units)
        print(f"{os.path.getsize(program) / 1e6:.0f} MB\n| units that run | clock | CPU |\n| --- | --- | --- |")
        for units in (int(text) for text in options.run.split(",")):
            results = [measure(options.lever, program, place, units) for _ in range(options.rounds)]
            print(f"| {units} | {min(one[0] for one in results):.2f} s | {min(one[1] for one in results):.2f} s |", flush=True)


if __name__ == "__main__":
    main()
