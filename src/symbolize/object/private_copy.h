/* SPDX-License-Identifier: BSD-2-Clause */
/* private_copy - the content of a file that another user could change while it is read. */
#pragma once

/*
 * Where only root, this user and the user behind sudo can write the file, nothing happens.
 * Otherwise `fd` becomes that of a sealed copy in memory: libelf maps files, so a file that is
 * shortened would end the process, and one that changes would contradict numbers that were
 * checked. Returns 0 or -errno; -EFBIG: larger than 1 GiB. `fd` stays open in any case.
 */
int private_copy(int *fd);
