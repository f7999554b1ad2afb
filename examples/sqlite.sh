#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program that waits for its disk: rows into SQLite. Where its time goes (lever record), what faster
# syncs would bring (lever run), and what remedies really bring. docs/example-sqlite.md tells what it
# shows.
# Usage: examples/sqlite.sh [BUILD [SECONDS [FOLDER]]] (as root; FOLDER on a real disk, not a tmpfs)
set -eu
build=$(realpath "${1:-build}")
seconds=${2:-30}
work=${3:-${TMPDIR:-/tmp}}/lever-example-sqlite
mkdir -p "$work"
cd "$work"

echo "Where the time goes:"
"$build/lever" record --fresh --quiet --output record.lever -- "$build/examples/inserts" 5 rows.db
"$build/lever" report record.lever --targets 8
"$build/lever" report record.lever --by call --targets 4

# The function of libc in which SQLite waits is the target: as wherever SQLite itself has no debug
# information, the line that called it would be all of SQLite.
echo "What faster syncs would bring, $seconds s:"
"$build/lever" run --fresh --quiet --output run.lever --granularity function --scope func:fdatasync \
	--target fdatasync --speedups 0,50,75,90,100 --progress rows --seconds "$seconds" -- \
	"$build/examples/inserts" "$seconds" rows.db
"$build/lever" report run.lever
"$build/lever" report run.lever --format json |
	python3 -c 'import json, sys
for target in json.load(sys.stdin)["targets"]:
    for point in (target["effects"] or [{"points": []}])[0]["points"]:
        print("predicted, if %s took %.0f %% less time: %+.1f %% (%.1f to %.1f)" % (target["name"], 100 * point["speedup"], *(100 * point[x] for x in ("program_speedup", "low", "high"))))'

# The check, in turn, medians of five: syncs that cost nothing, one sync a row instead of several, and
# ten rows a sync.
rows() {
	name=$1
	shift
	"$build/examples/inserts" 2 rows.db "$@" | cut -d' ' -f1 >>"rows.$name"
}
rm -f rows.[1-5]
for _ in 1 2 3 4 5; do
	rows 1 1
	rows 2 1 synchronous=OFF
	rows 3 1 journal_mode=WAL
	rows 4 1 journal_mode=WAL synchronous=NORMAL
	rows 5 10
done
median() {
	sort -n "rows.$1" | sed -n 3p
}
gain() {
	echo "$1 $(median "$2") rows/s, $((100 - (100 * $(median 1) + $(median "$2") / 2) / $(median "$2"))) % less time for a row"
}
echo "as it is:                        $(median 1) rows/s"
gain 'no syncs (synchronous=OFF):     ' 2
gain 'a log in place of a journal:    ' 3
gain 'a log, synced at checkpoints:   ' 4
gain 'ten rows a transaction:         ' 5
