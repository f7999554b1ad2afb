/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * agent_record - one host's part of a recording over several hosts: runs lever there, and sends its
 * file.
 */
#pragma once

#include "base/error.h"
#include "collect/hosts/invitation.h"

/* 0: the run is over, or its input has ended. */
int agent_record_run(const struct invitation *invitation, int input, struct error *error);
