/* SPDX-License-Identifier: BSD-2-Clause */
/* member_path - which member of a variable lies at an offset, by its type. */
#pragma once

#include "symbolize/object/object.h"

/*
 * Of the variable at `address` whose plain identifier is `base`: ".shards[3].lock" for `offset`, ""
 * where the variable itself is meant. Types of the system's headers (pthread_mutex_t, std::mutex)
 * are not entered. NULL: there is no debug information of it. To be freed.
 */
char *member_path(struct object *object, const char *base, uint64_t address, uint64_t offset);
