/* SPDX-License-Identifier: BSD-2-Clause */
/* server - the parser's side: answers the engine by its own symbols, which read the files. */
#pragma once

#include "symbolize/symbols.h"

/* Until the engine closes the socket. `symbols` has no parser. */
void parser_serve(int socket, struct symbols *symbols);
/* The opener of sandbox.h: asks the engine through SANDBOX_DESCRIPTOR. */
int parser_ask_for_file(const char *path, int flags);
