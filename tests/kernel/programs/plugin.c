/* SPDX-License-Identifier: BSD-2-Clause */
/* plugin - a library that is loaded while the program runs. */
#include "unit.h"

void plugin_work(void);
void plugin_work(void)
{
	unit();
}
