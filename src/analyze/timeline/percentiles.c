/* SPDX-License-Identifier: BSD-2-Clause */
/* percentiles - reads the usual percentiles off a histogram. */
#include "analyze/timeline/percentiles.h"

struct percentiles percentiles_of(struct histogram *histogram)
{
	return (struct percentiles){
		.p50_ns = histogram_quantile(histogram, 0.50),
		.p95_ns = histogram_quantile(histogram, 0.95),
		.p99_ns = histogram_quantile(histogram, 0.99),
		.max_ns = (double)histogram->max_ns,
	};
}
