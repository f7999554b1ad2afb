#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A program that waits for its disk: inserts into SQLite. Shows its time by line (lever record), the
# predicted gain of faster syncs (lever run), and the measured gain of remedies. docs/example-sqlite.md
# explains the results.
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

# The targets are the functions of libc in which SQLite waits, one after the other: without debug
# information of SQLite, the calling line would stand for all of SQLite.
rm -f predicted
for function in fdatasync unlink; do
	echo "Predicted gain of a faster $function, $seconds s:"
	"$build/lever" run --fresh --quiet --output run.lever --granularity function \
		--scope "func:$function" --target "$function" --speedups 0,50,75,90,100 --progress rows \
		--seconds "$seconds" -- "$build/examples/inserts" "$seconds" rows.db
	"$build/lever" report run.lever
	"$build/lever" report run.lever --format json >>predicted
	echo >>predicted
done
# One thread: the gains of the two add up.
python3 -c 'import json, sys
text, decoder, both = open("predicted").read().strip(), json.JSONDecoder(), {}
while text:
    told, end = decoder.raw_decode(text)
    text = text[end:].strip()
    for target in told["targets"]:
        for point in (target["effects"] or [{"points": []}])[0]["points"]:
            speedup, gain, low, high = (100 * point[field] for field in ("speedup", "program_speedup", "low", "high"))
            print("predicted, if %s took %.0f %% less time: %+.1f %% (%.1f to %.1f)" % (target["name"], speedup, gain, low, high))
            both.setdefault(speedup, []).append((gain, max(gain - low, high - gain)))
for speedup, parts in sorted(both.items()):
    if speedup and len(parts) == 2:
        print("predicted, if both took %.0f %% less time: %+.1f %% ±%.1f" % (speedup, sum(part[0] for part in parts), sum(part[1] ** 2 for part in parts) ** 0.5))'

# The check, in turn, medians of five: a journal that is kept instead of unlinked, a log with one sync a
# row instead of several, no syncs, and ten rows a transaction, with a tenth of the syncs and unlinks.
rows() {
	name=$1
	shift
	"$build/examples/inserts" 2 rows.db "$@" | cut -d' ' -f1 >>"rows.$name"
}
rm -f rows.[1-6]
for _ in 1 2 3 4 5; do
	rows 1 1
	rows 2 1 synchronous=OFF
	rows 3 1 journal_mode=WAL
	rows 4 1 journal_mode=WAL synchronous=NORMAL
	rows 5 10
	rows 6 1 journal_mode=PERSIST
done
median() {
	sort -n "rows.$1" | sed -n 3p
}
gain() {
	echo "$1 $(median "$2") rows/s, $((100 - (100 * $(median 1) + $(median "$2") / 2) / $(median "$2"))) % less time for a row"
}
echo "as it is:                        $(median 1) rows/s"
gain 'the journal is kept (PERSIST):  ' 6
gain 'no syncs (synchronous=OFF):     ' 2
gain 'a log in place of a journal:    ' 3
gain 'a log, synced at checkpoints:   ' 4
gain 'ten rows a transaction:         ' 5
