#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# demo - profiles the bundled example and shows the report: what `make demo` runs.
#
# Usage: demo.sh [SECONDS]   (BUILD names the build folder)
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
seconds=${1:-26}
turns=10

as_root=
if [ "$(id -u)" != 0 ]; then
	as_root=sudo
	echo "demo: the kernel engine needs root; asking sudo for it"
fi

echo "demo: examples/orders.c has two threads: one reads orders, one handles them. A sampling profiler"
echo "demo: shows two hot lines. Which one is worth optimizing? Lever finds out in $seconds seconds."
$as_root "$build/lever" run --fresh -o "$build/demo.lever" --scope '*orders.c' --seconds "$seconds" \
	-- "$build/examples/orders" "$seconds"
# The check: one run leaves out a quarter of the search in every other turn of 0.1 s, so that changes of the
# machine's speed affect both. It prints the mean of the pairs' ratios and twice its standard error.
echo "demo: did the prediction come true? Now a quarter of the search is really left out, in turns, for $turns s."
"$build/examples/orders" "$turns" 25 | awk '
	NF == 2 && $1 > 0 { gain = 1 - $2 / $1; n++; sum += gain; squares += gain * gain }
	END {
		if (n < 2) { print "demo: too few turns to tell"; exit 1 }
		mean = sum / n
		error = sqrt((squares - n * mean * mean) / (n - 1) / n)
		printf "demo: an order took %.1f %% (±%.1f) less time, in %d pairs of turns.\n",
			100 * mean, 200 * error, n
	}'
echo "demo: curves in a browser: $build/lever report --open $build/demo.lever"
