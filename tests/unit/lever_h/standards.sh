#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# standards.sh INCLUDE_FOLDER SOURCE - lever.h compiles without a warning in every standard that it
# promises, with each compiler of this machine, and the program runs. Prints TAP.
include=$1
source=$2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
number=0
failed=0

warnings='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wpointer-arith -Wwrite-strings
	-Wcast-qual -Wundef -Werror'
warnings_c='-Wstrict-prototypes -Wmissing-prototypes -Wvla'

report() { # RESULT SENTENCE
	number=$((number + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $number - $2"
	else
		echo "not ok $number - $2"
		failed=1
	fi
}

try() { # LANGUAGE COMPILER FLAGS...
	language=$1
	compiler=$2
	shift 2
	strict=
	[ "$language" = c ] && strict=$warnings_c
	# shellcheck disable=SC2086 # lists of words
	"$compiler" -x "$language" $warnings $strict "$@" -O1 "-I$include" "$source" \
		-o "$folder/uses" 2>"$folder/messages" && "$folder/uses"
	result=$?
	[ $result -eq 0 ] || sed 's/^/# /' "$folder/messages"
	report $result "$compiler $* compiles it without a warning, and it runs"
}

for compiler in gcc clang; do
	command -v $compiler >/dev/null || continue
	for standard in c99 c11 c17 gnu17; do
		try c $compiler -std=$standard
	done
	try c $compiler -std=c99 -DLEVER_DISABLE
	try c $compiler -std=c11 -O2 -fPIC -fvisibility=hidden
	try c $compiler -std=c11 -flto
done
for compiler in g++ clang++; do
	command -v $compiler >/dev/null || continue
	for standard in c++11 c++14 c++17 c++20; do
		try c++ $compiler -std=$standard
	done
	try c++ $compiler -std=c++11 -fno-exceptions -fno-rtti
	try c++ $compiler -std=c++11 -DLEVER_DISABLE
done
if [ "$(uname -m)" = x86_64 ]; then
	try c "${CC:-cc}" -std=c11 -masm=intel
	"${CC:-cc}" -m32 -fsyntax-only -Werror "-I$include" "$source"
	report $? "a 32-bit program compiles with it, and has no points"
fi

"${CC:-cc}" -DLEVER_DISABLE "-I$include" -c "$source" -o "$folder/uses.o" &&
	! nm "$folder/uses.o" | grep -q lever_
report $? "with LEVER_DISABLE nothing of it is left in the object"
"${CC:-cc}" "-I$include" -fPIC -shared "$source" -o "$folder/uses.so" &&
	! nm -D --defined-only "$folder/uses.so" | grep lever_
report $? "a library exports nothing of it"
echo "1..$number"
exit $failed
