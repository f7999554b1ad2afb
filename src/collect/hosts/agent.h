/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * agent - one host's part of a run over several hosts: an engine, and the program there.
 *
 * It takes its address, keys and place from the first line of its input, which the coordinator's
 * launcher passes on; nothing secret is on a command line. It does what the coordinator tells,
 * and alone decides one thing: after HOSTS_SILENCE_NS without a message nothing pauses on its host.
 * At the end of the run, or of its input, it ends the program, unless a job's launcher has started
 * that, and then itself.
 */
#pragma once

#include "base/error.h"

/* 0: the run is over. */
int agent_run(int input, const char *version, struct error *error);
