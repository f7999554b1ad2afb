# SPDX-License-Identifier: BSD-2-Clause
# bash completion of lever, which knows its options and values itself: lever help --complete.

# Bash takes words apart at ":", which stands within names here: puts them together in `words`, the one with the
# cursor, as far as the cursor, at `current`. COMP_POINT counts bytes.
_lever_words()
{
	local LC_ALL=C rest=$COMP_LINE part blanks i start=0 last
	words=() current=0
	for i in "${!COMP_WORDS[@]}"; do
		part=${COMP_WORDS[i]} blanks=${rest%%[![:space:]]*}
		last=$((${#words[@]} - 1))
		if ((i > 1)) && [[ -z $blanks && (${part:0:1} == : || ${words[last]} == *:) ]]; then
			words[last]+=$part
		else
			((i > COMP_CWORD)) || start=$((${#COMP_LINE} - ${#rest} + ${#blanks}))
			words+=("$part")
			last=$((last + 1))
		fi
		((i > COMP_CWORD)) || current=$last
		rest=${rest:${#blanks}+${#part}}
	done
	words[current]=${COMP_LINE:start:COMP_POINT > start ? COMP_POINT - start : 0}
}

# As the shell would pass the words on, without variables.
_lever_unquote()
{
	local i
	for i in "${!words[@]}"; do
		words[i]=${words[i]/#\~\//$HOME/}
		words[i]=${words[i]//[\"\'\\]/}
	done
}

_lever()
{
	local line word quote program=${COMP_WORDS[0]} current IFS=$'\n'
	local -a words behind=() values=()
	type -P -- "$program" >/dev/null || program=lever
	COMPREPLY=()
	_lever_words
	quote=${words[current]:0:1}
	[[ $quote == [\"\'] ]] || quote=
	_lever_unquote
	word=${words[current]}
	[[ $word == = ]] && word=
	((${#words[@]} - 1 > current)) && behind=(--behind "$((${#words[@]} - 1 - current))")
	while read -r line; do
		case $line in
		:file) COMPREPLY+=($(compgen -f -- "$word")) ;;
		:program) COMPREPLY+=($(compgen -c -- "$word")) ;;
		*) values+=("${line%%$'\t'*}") ;;
		esac
	done < <("$program" help --complete "${behind[@]}" -- "${words[@]:1}" 2>/dev/null)
	# Of files, bash itself quotes the names. What stands before the last ":" is a word of its own for it.
	((${#COMPREPLY[@]})) && compopt -o filenames
	[[ -z $quote && $COMP_WORDBREAKS == *:* && $word == *:* ]] && values=("${values[@]#"${word%:*}:"}")
	((${#values[@]})) || return
	[[ $quote ]] || printf -v values '%q\n' "${values[@]}"
	COMPREPLY+=($values)
}

complete -F _lever lever
