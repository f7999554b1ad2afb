#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# demo - profiles the bundled example and shows the report: what `make demo` runs.
#
# Usage: demo.sh [SECONDS]   (BUILD names the build folder)
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
seconds=${1:-26}

as_root=
if [ "$(id -u)" != 0 ]; then
	as_root=sudo
	echo "demo: the kernel engine needs root; asking sudo for it"
fi

echo "demo: examples/orders.c has two threads: one reads orders, one handles them. A sampling profiler"
echo "demo: shows two hot lines. Which one is worth optimizing? Lever finds out in $seconds seconds."
$as_root "$build/lever" run --fresh -o "$build/demo.lever" --scope '*orders.c' --seconds "$seconds" \
	-- "$build/examples/orders" "$seconds"
# The check: 2,000 orders as it is, and with a quarter of the search really left out, in turns, so that changes of the
# machine's speed affect both.
echo "demo: did the prediction come true? Now a quarter of the search is really left out, in turns:"
less() {
	echo "env ORDERS_COUNT=2000 ORDERS_SEARCH_LESS=$1 $build/examples/orders"
}
"$build/lever" diff --seconds 24 --pair "$(less 0)" "$(less 25)" || [ $? = 3 ]
echo
echo "demo: curves in a browser: $build/lever report --open $build/demo.lever"
