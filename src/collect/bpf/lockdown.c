/* SPDX-License-Identifier: BSD-2-Clause */
/* lockdown - by securityfs, where brackets mark what is in force. */
#include "collect/bpf/lockdown.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/memory.h"

#include <string.h>

enum lockdown lockdown_of(const char *root)
{
	AUTO(text) char *path = text_format("%s/sys/kernel/security/lockdown", root);
	AUTO(text) char *levels = file_read(path, NULL, NULL);

	if (levels && strstr(levels, "[confidentiality]"))
		return LOCKDOWN_CONFIDENTIALITY;
	return levels && strstr(levels, "[integrity]") ? LOCKDOWN_INTEGRITY : LOCKDOWN_NONE;
}
