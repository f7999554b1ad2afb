#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# library.sh LIBRARY HOT LIBC - what liblever-runtime.so brings into a program and takes from it; HOT is an
# archive of its files that run in signal handlers. Prints TAP.
library=$1
hot=$2
libc=$3
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
names=$(nm -D --defined-only "$libc" | awk '{print $3}' | sed 's/@.*//')
foreign=$(for name in $exported; do
	case "
$names
" in
	*"
$name
"*) ;;
	*) echo "$name" ;;
	esac
done)
report 1 "the library exports names of libc and _coz_get_counter, and nothing else" "$foreign"

# Nothing that allocates, prints or aborts.
taken=$(nm -D --undefined-only "$library" | awk '{print $2}' | sed 's/@.*//' |
	grep -E '^(malloc|calloc|realloc|free|mmap|.*printf|puts|fopen|open|abort|__assert_fail|exit|strdup)$')
report 2 "the library does not allocate, print, open or abort" "$taken"

# In a signal handler: what these files take from elsewhere is a list, and short; nothing in it locks. getenv
#, getauxval and strlen are of lever.h's constructor, which runs before.
allowed='clock_gettime|memcpy|memset|__errno_location|thread_self|runtime_page|runtime_process|_GLOBAL_OFFSET_TABLE_'
allowed="$allowed|_Unwind_Resume|__gcc_personality_v0|getauxval|getenv|secure_getenv|strlen|DW.ref.__gcc_personality_v0"
# arm64: atomic operations by what the processor has.
allowed="$allowed|__aarch64_(cas|ldadd|ldclr|ldset|swp)[0-9]_(relax|acq|rel|acq_rel)"
own=$(nm --defined-only "$hot" | awk 'NF == 3 {print $3}')
foreign=$(nm --undefined-only "$hot" | awk '$1 == "U" {print $2}' | sort -u | grep -Evx "$allowed" |
	while read -r name; do echo "$own" | grep -qx "$name" || echo "$name"; done)
report 3 "what runs in signal handlers calls nothing of libc but what is listed here" "$foreign"
echo "1..3"
exit $failed
