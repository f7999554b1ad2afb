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
# The check: the same program with a quarter of the search really left out, and both profiles compared.
echo "demo: did the prediction come true? Now a quarter of the search is really left out, for $seconds seconds."
$as_root env ORDERS_SEARCH_LESS=25 "$build/lever" run --quiet --fresh -o "$build/demo-after.lever" --scope '*orders.c' \
	--seconds "$seconds" -- "$build/examples/orders" "$seconds"
echo
"$build/lever" diff "$build/demo.lever" "$build/demo-after.lever"
echo
echo "demo: curves in a browser: $build/lever report --open $build/demo.lever"
