# SPDX-License-Identifier: BSD-2-Clause
"""real_changes - changes of known size in programs of Debian as they come.

A library that is loaded first puts work of its own, extra_work, before calls of a function of another library. The
change takes a part of that work away: the realised speedup is exact, and the true gain is that of runs without Lever, in
turn, before and after.
"""
import os
import statistics
import subprocess
import time

SOURCE = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

static long loops, calls;

__attribute__((constructor)) static void read_loops(void)
{
	const char *text = getenv("EXTRA_LOOPS");
	loops = text ? atol(text) : 0;
}

__attribute__((noinline)) void extra_work(void)
{
	for (long left = loops; left > 0; left--)
		__asm__ volatile("" ::: "memory");
}

/* The registers of a returned integer, or of a structure of 16 bytes. */
struct result {
	long low, high;
};

struct result CALL(long a, long b, long c, long d)
{
	static struct result (*next)(long, long, long, long);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, NAME);
	if (!(calls++ % EVERY))
		extra_work();
	return next(a, b, c, d);
}
"""
QUERY = ("with recursive c(x) as (select 1 union all select x + 1 from c where x < %d) select x, (with recursive d(y) as "
         "(select x union all select y + 1 from d where y < x + 900) select sum(y) from d) from c")
CIPHER = ["openssl", "enc", "-camellia-256-cbc", "-bufsize", "65536", "-K", "01" * 32, "-iv", "02" * 16, "-out", "/dev/null", "-in"]
CHANGES = [("sqlite3", 30), ("sqlite3", 60), ("jq", 25), ("jq", 50), ("openssl", 40), ("openssl", 80)]
# How many calls take 0.3 ms or more: what counts them takes 2 µs.
CALLS = {"sqlite3": ("sqlite3_step", 1), "jq": ("jq_next", 1), "openssl": ("BIO_write", 16)}
LONG = 400  # times the short input
EXTRA = 0.8  # the extra work's time, compared with the program's own
ROUNDS = 7


class RealChange:
    """A program with extra work; `folder` holds its library and its input."""

    def __init__(self, name, folder):
        self.name, self.library = name, os.path.join(folder, name + "-extra.so")
        self.input = os.path.join(folder, name + "-input")
        source = os.path.join(folder, "extra.c")
        with open(source, "w", encoding="ascii") as file:
            file.write(SOURCE)
        call, every = CALLS[name]
        subprocess.run(["cc", "-g", "-O2", "-shared", "-fPIC", "-DCALL=" + call, '-DNAME="%s"' % call, "-DEVERY=%d" % every, "-o",
                        self.library, source], check=True)
        with open(self.input, "wb") as file:
            file.write(bytes(24 << 20))
        self.loops = 0
        self.loops = self.calibrated()

    def command(self, is_long=False):
        times = LONG if is_long else 1
        programs = {"sqlite3": ["sqlite3", ":memory:", QUERY % (700 * times)], "openssl": [*CIPHER, "/dev/zero" if is_long else self.input],
                    "jq": ["jq", "-n", "range(%d) | [range(. %% 7 + 200)] | add" % (700 * times)]}
        return ["env", "LD_PRELOAD=" + self.library, *programs[self.name]]

    def environment(self, percent):
        return {**os.environ, "EXTRA_LOOPS": str(round(self.loops * (100 - percent) / 100))}

    def seconds(self, percent=0):
        begin = time.monotonic()
        subprocess.run(self.command(), env=self.environment(percent), stdout=subprocess.DEVNULL, check=True)
        return time.monotonic() - begin

    def calibrated(self):
        """So many loops that the extra work takes the share EXTRA of the program's own time."""
        own, self.loops = min(self.seconds() for _ in range(3)), 100
        while min(self.seconds() for _ in range(2)) < 2 * own:
            self.loops *= 4
        extra = min(self.seconds() for _ in range(3)) - own
        return round(self.loops * EXTRA * own / extra)

    def truth(self, percent):
        """Gain, and half of its range without the outermost rounds; in turn."""
        gains = []
        for _ in range(ROUNDS):
            before, after, again, last = self.seconds(), self.seconds(percent), self.seconds(percent), self.seconds()
            gains.append(1 - (after + again) / (before + last))
        gains.sort()
        return statistics.median(gains), (gains[-2] - gains[1]) / 2
