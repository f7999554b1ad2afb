/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interpreter - whether an object is a CPython whose frames can be read, and where its structs have
 * their fields.
 *
 * CPython 3.11 and 3.12 have a table here, as their headers give it; from 3.13 on the interpreter
 * holds its own (_Py_DebugOffsets), and only what that lacks is here. Numbers are of x86-64 and
 * other 64-bit machines with the same alignment. Readers check each object by its type, so a wrong
 * number gives no frames and no wrong ones.
 */
#pragma once

#include "symbolize/python.h"

struct object;

/* As SYMBOLS_PYTHON_*; fills in `found` for SYMBOLS_PYTHON_KNOWN, and its version otherwise. */
enum symbols_python_state python_interpreter_read(const struct object *object,
						  struct symbols_python *found);
