/* SPDX-License-Identifier: BSD-2-Clause */
/* python_events - code objects and interpreters of Python, between symbols and the BPF programs. */
#pragma once

#include "collect/python_table.h"
#include "symbolize/python.h"

/* For handlers of the collector and the recorder: names and lines of a code object. */
void python_events_on_code(struct symbols *symbols, const struct wire_python_code *code);
/* Is the event whole? */
bool python_events_are_whole(const struct wire_python_code *code, size_t bytes);
/* The layout of an interpreter as the BPF programs have it. */
struct wire_python python_events_layout(const struct symbols_python *found);
