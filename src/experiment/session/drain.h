/* SPDX-License-Identifier: BSD-2-Clause */
/* drain - takes in what has arrived; locations of samples are asked for at once. */
#pragma once

struct session;

/* Calls session->handler with samples and other events that have come. */
void session_drain(struct session *session);
