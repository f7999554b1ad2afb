#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# symbols.sh LIBRARY - what liblever-points.so brings into a program and takes from it. Prints TAP.
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

exported=$(nm -D --defined-only "$library" | awk '{print $3}')
[ "$exported" = _coz_get_counter ] && exported=
report 1 "the library exports _coz_get_counter and nothing else" "$exported"

# Beside the compiler's own (arm64: __getauxval tells its atomic operations about the processor): what was read to be safe at start and in a signal handler.
taken=$(nm -D --undefined-only "$library" | awk '{print $2}' | sed 's/@.*//' |
	grep -vxE '(__)?getauxval|getenv|strlen|__cxa_finalize|__gmon_start__|_ITM_(de)?registerTMCloneTable')
report 2 "the library calls nothing but getauxval, getenv and strlen" "$taken"
echo "1..2"
exit $failed
