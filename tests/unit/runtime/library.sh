#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# library.sh LIBRARY - what liblever-runtime.so brings into a program and takes from it. Prints TAP.
library=$1
failed=0

report() { # NUMBER SENTENCE UNEXPECTED
	if [ -z "$3" ]; then
		echo "ok $1 - $2"
	else
		echo "$3" | sed 's/^/# unexpected: /'
		echo "not ok $1 - $2"
		failed=1
	fi
}

exported=$(nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//' | grep -v '^_coz_get_counter$')
# Each name that it exports is one of libc's.
libc=$(ldd "$library" | awk '/libc\.so/ {print $3}')
foreign=$(for name in $exported; do
	nm -D --defined-only "$libc" | awk '{print $3}' | sed 's/@.*//' | grep -qx "$name" || echo "$name"
done)
report 1 "the library exports names of libc and _coz_get_counter, and nothing else" "$foreign"

# Nothing that allocates, prints or aborts.
taken=$(nm -D --undefined-only "$library" | awk '{print $2}' | sed 's/@.*//' |
	grep -E '^(malloc|calloc|realloc|free|mmap|.*printf|puts|fopen|open|abort|__assert_fail|exit|strdup)$')
report 2 "the library does not allocate, print, open or abort" "$taken"
echo "1..2"
exit $failed
