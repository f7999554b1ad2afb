/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz - a target reads the bytes of one case. A crash, a sanitizer's finding or 20 s is a bug.
 *
 * With -Dfuzz=true libFuzzer calls it with bytes of its own (tests/fuzz/README.md); else replay.c
 * calls it with the kept cases.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The case as a file of this process; its path. The next call writes it anew. */
const char *fuzz_file(const uint8_t *bytes, size_t size);

/* Reads a profile and reports it. Of the targets whose sources have fuzz_report.c. */
void fuzz_report(const char *path);
