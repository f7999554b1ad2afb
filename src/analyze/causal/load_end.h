/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * load_end - whether the clients of a server stopped asking long before its run ended.
 *
 * The windows after that hold no request. Experiments of the time before may count, or be too few.
 */
#pragma once

#include "profile/recording.h"

/* Of the last run; `quiet_ns` 0: requests came until its end, or none ever did. */
struct load_end {
	uint64_t after_ns; /* about, since the program was there */
	uint64_t quiet_ns; /* in windows without a request, at the run's end */
};

struct load_end load_end_of(const struct recording *recording);
