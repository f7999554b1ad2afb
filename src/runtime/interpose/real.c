/* SPDX-License-Identifier: BSD-2-Clause */
/* real - looks up the functions behind those that we interpose. */
#include "runtime/interpose/real.h"

#include <dlfcn.h>

struct real real;

/* libc has two versions of conditions; dlsym gives the old one in some versions of glibc. */
static void *look_up(const char *name, bool is_condition)
{
	void *found = NULL;
#ifdef __x86_64__
	if (is_condition)
		found = dlvsym(RTLD_NEXT, name, "GLIBC_2.3.2");
#endif
	(void)is_condition;
	return found ? found : dlsym(RTLD_NEXT, name);
}

#define CONDITION_PREFIX "pthread_cond_"
#define LOOK_UP(name)                                                              \
	*(void **)&real.name##_ =                                                  \
		look_up(#name, !__builtin_strncmp(#name, CONDITION_PREFIX,         \
						  sizeof(CONDITION_PREFIX) - 1) && \
				       __builtin_strcmp(#name, "pthread_cond_clockwait"));

void real_look_up(void)
{
	REAL_ALL(LOOK_UP)
	*(void **)&real.syscall_ = look_up("syscall", false);
}
