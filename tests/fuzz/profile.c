/* SPDX-License-Identifier: BSD-2-Clause */
/* profile - a profile file of somebody else: read, analyzed, reported. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	fuzz_report(fuzz_file(bytes, size));
	return 0;
}
