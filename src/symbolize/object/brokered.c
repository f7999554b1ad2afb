/* SPDX-License-Identifier: BSD-2-Clause */
/* brokered - a fact about the process, not about one of its symbols. */
#include "symbolize/object/brokered.h"

#include <string.h>

static bool is_used;
static const char *refused;

bool broker_is_used(void)
{
	return is_used;
}

void broker_use(void)
{
	is_used = true;
}

void broker_refuse(const char *path)
{
	refused = path;
}

bool broker_refuses(const char *path)
{
	return refused && !strcmp(path, refused);
}
