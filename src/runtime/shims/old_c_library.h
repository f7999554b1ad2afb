/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * old_c_library - functions that glibc 2.34 moved from libdl and libpthread into libc, by their
 * first version, so that a library built here loads into programs of glibc 2.31, too. Included by
 * the build option relocatable.
 */
#ifndef LEVER_RUNTIME_SHIMS_OLD_C_LIBRARY_H
#define LEVER_RUNTIME_SHIMS_OLD_C_LIBRARY_H

#ifdef __aarch64__
#define FIRST_VERSION "GLIBC_2.17"
#else
#define FIRST_VERSION "GLIBC_2.2.5"
#endif

__asm__(".symver dlsym, dlsym@" FIRST_VERSION);
__asm__(".symver dlvsym, dlvsym@" FIRST_VERSION);
__asm__(".symver pthread_getcpuclockid, pthread_getcpuclockid@" FIRST_VERSION);
__asm__(".symver pthread_testcancel, pthread_testcancel@" FIRST_VERSION);

#endif
