#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# demo - profiles the bundled example and shows the report: what `make demo` runs.
#
# Usage: demo.sh [SECONDS]   (BUILD names the build folder)
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
seconds=${1:-40}

as_root=
if [ "$(id -u)" != 0 ]; then
	as_root=sudo
	echo "demo: the kernel engine needs root; asking sudo for it"
fi

echo "demo: examples/orders.c has two threads: one reads orders, one handles them. Sampling says that"
echo "demo: two lines are hot. Which one is worth optimizing? Lever finds out in $seconds seconds."
$as_root "$build/lever" run --fresh -o "$build/demo.lever" --scope '*orders.c' --seconds "$seconds" \
	-- "$build/examples/orders" "$seconds"
echo "demo: the profile is $build/demo.lever; its curves in a browser: $build/lever report --open $build/demo.lever"
