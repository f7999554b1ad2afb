/* SPDX-License-Identifier: BSD-2-Clause */
/* mixed - one program of C, C++ and libraries: each part visits "shared by all" so many times. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

void mixed_cplusplus(int visits);
void mixed_c(int visits);
void mixed_first_library(int visits);
void mixed_second_library(int visits);
void mixed_loaded_library(int visits);

/* In C++: enters a span and leaves it by an exception; returns 1 if that was caught. */
int mixed_throw(void);

#ifdef __cplusplus
}
#endif
