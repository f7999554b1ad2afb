/* SPDX-License-Identifier: BSD-2-Clause */
/* cores - which numbers the kernel gives to cores. */
#pragma once

/*
 * One more than the largest number in a list as the kernel writes it, "0-3,8-11" (12); 0: it is no
 * such list.
 */
unsigned cores_end(const char *list);
/* The numbers in such a list. */
unsigned cores_in(const char *list);
/*
 * One more than the largest number that a core of this machine can have, cores that are offline
 * included: the length of an array by core, also where numbers are left out. 1 if unknown.
 */
unsigned cores_possible(void);
/* The same of cores that are built in, also those that are offline: not of mere possibilities. */
unsigned cores_present(void);
