/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * executable - what a file's first bytes tell about whether, and why not, it can be executed.
 *
 * Other programs may run it all the same: binfmt_misc knows files of other machines. Therefore only
 * executable_check refuses, and it refuses only what no kernel runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* 0, or -errno: its interpreter or loader is missing (-ENOENT), it is empty (-ENOEXEC) ... */
int executable_check(const char *path);
/* Why execve refused the file with this errno, with the remedy; NULL if its bytes do not tell. */
char *executable_problem(const char *path, int code);
/* Is it text that shells run though it has no first line with an interpreter? */
bool executable_is_shell_text(const char *path);
/* The loader (PT_INTERP) of a 64-bit executable; false if there is none. */
bool executable_loader(const char *path, char *loader, size_t size);
