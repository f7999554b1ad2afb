/* SPDX-License-Identifier: BSD-2-Clause */
/* no_page - stands in for the page in builds without Node.js. */
#include "report/page.h"

const char page[] = "";
const size_t page_size_bytes = 0;
