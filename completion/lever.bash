# SPDX-License-Identifier: BSD-2-Clause
# bash completion of lever, which knows its options and values itself: lever help --complete.
_lever()
{
	local line word=${COMP_WORDS[COMP_CWORD]} program=${COMP_WORDS[0]} IFS=$'\n'
	local -a behind=()
	type -P -- "$program" >/dev/null || program=lever
	COMPREPLY=()
	[[ $word == = ]] && word=
	((${#COMP_WORDS[@]} - 1 > COMP_CWORD)) && behind=(--behind "$((${#COMP_WORDS[@]} - 1 - COMP_CWORD))")
	while read -r line; do
		case $line in
		:file) COMPREPLY+=($(compgen -f -- "$word")) ;;
		:program) COMPREPLY+=($(compgen -c -- "$word")) ;;
		*) COMPREPLY+=("${line%%$'\t'*}") ;;
		esac
	done < <("$program" help --complete "${behind[@]}" -- "${COMP_WORDS[@]:1}" 2>/dev/null)
	if declare -F __ltrim_colon_completions >/dev/null; then
		__ltrim_colon_completions "$word"
	fi
}

complete -o filenames -F _lever lever
