/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cleanup - locals that are released at the end of their scope.
 *
 *	AUTO(text) char *path = text_format(...);     freed at the end of the scope
 *	return take(&path);                           ownership leaves the scope
 *
 * CLEANUP_DEFINE(noun, type, release, none) defines AUTO(noun) for variables of `type` (a pointer
 * or a small value); `release` is called when the variable differs from `none`.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define AUTO(noun) __attribute__((cleanup(noun##_auto_release)))

#define CLEANUP_DEFINE(noun, type, release, none)           \
	static inline void noun##_auto_release(type *owned) \
	{                                                   \
		if (*owned != (none))                       \
			release(*owned);                    \
	}

#define take(pointer)                                            \
	__extension__({                                          \
		__typeof__(*(pointer)) taken_value = *(pointer); \
		*(pointer) = NULL;                               \
		taken_value;                                     \
	})

CLEANUP_DEFINE(text, char *, free, NULL)
CLEANUP_DEFINE(file, FILE *, fclose, NULL)
CLEANUP_DEFINE(fd, int, close, -1)
