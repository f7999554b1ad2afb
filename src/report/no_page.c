/* SPDX-License-Identifier: BSD-2-Clause */
/* no_page - the page of builds without Node.js: empty. */
#include "report/page.h"

const char page[] = "";
const size_t page_size_bytes = 0;
