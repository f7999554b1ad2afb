/* SPDX-License-Identifier: BSD-2-Clause */
/* agent_channel - what every agent does with its input and its link. */
#pragma once

#include "collect/hosts/link.h"

/* Of the launcher's channel, whose end is the end of the run. */
bool agent_input_has_ended(int input);
/* With the time of this host's clock. */
void agent_say_hello(struct link *link);
