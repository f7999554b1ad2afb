/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spin_code - the spin loops of the functions that samples fall into, as the collector has them.
 */
#pragma once

#include "collect/collector.h"
#include "symbolize/symbols.h"

struct spin_code;

struct spin_code *spin_code_new(struct symbols *symbols, struct collector *collector);
void spin_code_free(struct spin_code *code);
/*
 * A sample at an address of the collector's object. The function's loops are found when its first
 * sample comes. Returns whether the address is in one.
 */
bool spin_code_on_sample(struct spin_code *code, uint32_t wire_object, uint64_t offset);
