/* SPDX-License-Identifier: BSD-2-Clause */
/* check_names - how long names of what runs now take. */
#pragma once

/* Reads the first name of each file that is mapped as code, for some seconds. To be freed. */
char *check_names_sentence(void);
