/* SPDX-License-Identifier: BSD-2-Clause */
/* calls - what the files of the program calls share. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Prints one line; `name` begins with the function that was called. */
void say(const char *name, int is_right);
/* The time of this clock plus a duration. */
struct timespec in_ms(clockid_t clock, long ms);
/* Another thread does this in 2 ms; one at a time. */
void later(int (*does)(void *), void *argument);
int later_is_done(void);

void call_files(void);
void call_times(void);
void call_signals(void);
/* `own_path`: this program; `library`: one that makes threads, for dlopen. */
void call_processes(const char *own_path, const char *library);
