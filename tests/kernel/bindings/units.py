#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""units.py N - N units of work, each in a span, the even ones in a thread; for bindings.py."""
import sys
import threading

import lever


@lever.span("unit span")
def unit():
    total = 0
    for number in range(300):
        total += number
    lever.counter("total", total)
    lever.progress("units")


def units(count):
    for _ in range(count):
        unit()


if lever.missing:
    sys.exit(f"liblever.so is missing: {lever.missing}")
half = int(sys.argv[1]) // 2
thread = threading.Thread(target=units, args=[half])
thread.start()
units(int(sys.argv[1]) - half)
thread.join()
lever.instant("done")
