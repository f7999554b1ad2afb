#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# A causal profile of two processes of Debian's bzip2 that recompress a file, one into the other.
# The program's source is Debian's, unchanged, built with debug information. See
# docs/example-debian.md. Usage: examples/debian.sh [LEVER [SECONDS]] (as root; needs the network)
set -eu
lever=$(realpath "${1:-build/lever}")
seconds=${2:-60}
work=${TMPDIR:-/tmp}/lever-example-debian
mkdir -p "$work/apt/partial"
cd "$work"

# The system's list of package sources stays as it is.
if ! [ -x bzip2 ]; then
	command -v dpkg-source >/dev/null || apt-get install --yes dpkg-dev
	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	signed=/usr/share/keyrings/debian-archive-keyring.gpg
	echo "deb-src [signed-by=$signed] http://deb.debian.org/debian $suite main" >sources.list
	set -- -q -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- \
		-o Dir::State::Lists="$work/apt" -o APT::Sandbox::User=root
	apt-get "$@" update
	apt-get "$@" source bzip2
	make -C bzip2-*/ bzip2 CFLAGS='-g -O2 -D_FILE_OFFSET_BITS=64'
	cp bzip2-*/bzip2 bzip2-*/libbz2.so.1.0 .
fi
export LD_LIBRARY_PATH="$work"
# Text and machine code; the same file many times lasts as long as the measurement.
if ! [ -e data.bz2 ]; then
	cat /usr/share/common-licenses/* /usr/bin/perl /bin/bash | head -c 8000000 >data
	./bzip2 -1 -c data >data.bz2
fi

set -- data.bz2 data.bz2 data.bz2 data.bz2 data.bz2 data.bz2 data.bz2 data.bz2
set -- "$@" "$@" "$@" "$@"
set -- "$@" "$@" "$@" "$@"
echo "Recompressing, for $seconds s:"
"$lever" run --fresh --output bzip2.lever --granularity function --seconds "$seconds" \
	--scope 'bin:*/libbz2*' --progress BZ2_compressBlock -- timeout "$seconds" \
	sh -c './bzip2 -dc "$@" | ./bzip2 -1 >/dev/null' sh "$@" || [ $? -eq 3 ]

# The check: what if one of the two processes were infinitely fast? Wall times, best of three.
best() {
	for _ in 1 2 3; do
		before=$(date +%s%N)
		sh -c "$1"
		echo $((($(date +%s%N) - before) / 1000000))
	done | sort -n | head -n 1
}
echo "as it is:                        $(best './bzip2 -dc data.bz2 | ./bzip2 -1 >/dev/null') ms"
echo "decompression costs nothing:     $(best 'cat data | ./bzip2 -1 >/dev/null') ms"
echo "compression costs nothing:       $(best './bzip2 -dc data.bz2 >/dev/null') ms"
