#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A causal profile of two unmodified programs of Debian, without debug information: an .xz file is
# recompressed as .gz. docs/example-debian.md explains the results.
# Usage: examples/debian.sh [LEVER [SECONDS]] (as root; installs xz-utils, pigz and mbuffer)
set -eu
lever=$(realpath "${1:-build/lever}")
seconds=${2:-40}
work=${TMPDIR:-/tmp}/lever-example-debian
mkdir -p "$work"
cd "$work"

for package in xz-utils pigz mbuffer; do
	dpkg-query --show --showformat='${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' ||
		apt-get install --yes "$package"
done
# The input is programs and libraries, as in a system image; it is repeated until the measurement ends.
if ! [ -e plain.xz ]; then
	find /usr/bin /usr/lib -type f -size +100k | sort | xargs cat 2>/dev/null | head -c 150000000 >plain
	xz --keep --threads=2 -0 plain
fi
set -- plain.xz plain.xz plain.xz plain.xz plain.xz plain.xz plain.xz plain.xz
set -- "$@" "$@" "$@"
echo "xz -dc plain.xz | pigz -p1 -5, for $seconds s:"
"$lever" run --fresh --output debian.lever --granularity function --speedups 0,25,50,75,100 \
	--scope func:lzma_code --scope func:deflate --progress lzma_code --seconds "$seconds" -- \
	timeout "$seconds" sh -c 'xz -dc "$@" | pigz -p1 -5 >/dev/null' sh "$@" || [ $? -eq 124 ]
"$lever" report debian.lever --format json |
	python3 -c 'import json, sys
for target in json.load(sys.stdin)["targets"]:
    for point in (target["effects"] or [{"points": []}])[0]["points"]:
        if point["speedup"] == 1:
            print("predicted, if %s cost nothing: %+.1f %% (%.1f to %.1f)" % (target["name"], *(100 * point[x] for x in ("program_speedup", "low", "high"))))'

# The check: the same work without decompression, without compression, and with the remedy, in turn;
# medians of five.
took() {
	before=$(date +%s%N)
	sh -c "$2" >/dev/null
	echo $((($(date +%s%N) - before) / 1000000)) >>"times.$1"
}
rm -f times.*
for _ in 1 2 3 4 5; do
	took 1 'xz -dc plain.xz | pigz -p1 -5'
	took 2 'cat plain | pigz -p1 -5'
	took 3 'xz -dc plain.xz | cat'
	took 4 'xz -dc plain.xz | mbuffer -q -m 32M | pigz -p1 -5'
done
median() {
	sort -n "times.$1" | sed -n 3p
}
gain() {
	echo "$1 $(median "$2") ms, $(((($(median 1) - $(median "$2")) * 1000 / $(median 1) + 5) / 10)) % less"
}
echo "as it is:                  $(median 1) ms"
gain 'no decompression (cat):   ' 2
gain 'no compression (cat):     ' 3
gain 'with a buffer in between: ' 4
