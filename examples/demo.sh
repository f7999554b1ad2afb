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
# Orders handled in some turns of two seconds, with so many percent of the search left out.
plain=0 cut=0
for turn in 1 2 3; do
	handled=$("$build/examples/orders" 2) && plain=$((plain + ${handled%% *}))
	handled=$("$build/examples/orders" 2 25) && cut=$((cut + ${handled%% *}))
done
awk -v plain="$plain" -v cut="$cut" 'BEGIN { printf "demo: did it tell the truth? With a quarter of " \
	"the search really left out, an order took %.1f %% less time.\n", 100 * (1 - plain / cut) }'
echo "demo: the profile is $build/demo.lever; its curves in a browser: $build/lever report --open $build/demo.lever"
