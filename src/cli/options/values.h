/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * values - setters for options of the usual types.
 *
 * The type in the comment is the field's. Texts are borrowed from argv.
 */
#pragma once

#include "base/memory.h"
#include "cli/options/options.h"

#include <stdint.h>
#include <sys/types.h>

struct value_texts {
	const char **items;
	size_t count, capacity;
};

struct value_processes {
	pid_t *items;
	size_t count, capacity;
};

struct value_ports {
	uint16_t *items;
	size_t count, capacity;
};

/* An optional number. */
struct value_number {
	bool is_given;
	uint64_t number;
};

option_setter value_set_flag;     /* bool: true */
option_setter value_set_text;     /* const char * */
option_setter value_add_text;     /* struct value_texts; the option may be repeated */
option_setter value_add_list;     /* struct value_texts of copies; one, or several with commas */
option_setter value_add_ports;    /* struct value_ports: one, or several with commas */
option_setter value_add_pids;     /* struct value_processes: one, or several with commas */
option_setter value_set_choice;   /* int: index in the option's choices */
option_setter value_set_number;   /* struct value_number */
option_setter value_set_count;    /* unsigned: 1 to 1,000,000 */
option_setter value_set_seconds;  /* double: > 0 */
option_setter value_set_duration; /* uint64_t: ns, > 0 */
option_setter value_set_percent;  /* double: a fraction, > 0, up to 1; with or without "%" */
option_setter value_set_size;     /* uint64_t: bytes, > 0 */
option_setter value_set_points;   /* double: percentage points, > 0, with or without "pp" */

/* Would the option take the text? Setters that keep more than a number are not asked. */
int value_check(const struct option *option, const char *text, struct error *error);
/* Frees what value_add_list has made. */
void value_list_release(struct value_texts *list);
