/* SPDX-License-Identifier: BSD-2-Clause */
/* collector_sink - a collector takes what mapped_files finds. */
#pragma once

#include "experiment/target/mapped_files.h"

struct mapped_files_sink collector_sink(struct collector *collector);
