" SPDX-License-Identifier: BSD-2-Clause
" lever - the sure gains and contentions of a causal profile in the quickfix list.
"   :Lever [PROFILE]    lever.lever if none is named; then :cnext, :copen
"   g:lever_program     the program lever
if exists('g:loaded_lever')
	finish
endif
let g:loaded_lever = 1

function! s:Show(profile) abort
	let program = get(g:, 'lever_program', 'lever')
	let lines = systemlist(join(map([program, 'report', '--format', 'quickfix', a:profile], 'shellescape(v:val)')))
	if v:shell_error
		echohl ErrorMsg | echomsg join(lines, ' ') | echohl None
		return
	endif
	call setqflist([], ' ', {'title': 'lever report ' . a:profile, 'lines': lines, 'efm': '%f:%l: %m'})
	if empty(lines)
		echomsg 'lever: the profile has no sure gain at a line'
	else
		cwindow
	endif
endfunction

command! -nargs=? -complete=file Lever call s:Show(empty(<q-args>) ? 'lever.lever' : <q-args>)
