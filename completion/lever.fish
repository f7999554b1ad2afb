# SPDX-License-Identifier: BSD-2-Clause
# fish completion of lever, which knows its options and values itself: lever help --complete.
# Fish tells a completion nothing of what stands behind the cursor, so no program that stands there.
function __lever_complete
	set -l words (string replace -r '^~/' $HOME/ -- (commandline -opc))
	set -l word (string replace -ar '[\\\\\'"]' '' -- (commandline -ct))
	for line in ($words[1] help --complete -- $words[2..-1] "$word" 2>/dev/null)
		switch $line
			case :file
				__fish_complete_path $word
			case :program
				__fish_complete_command
			case '*'
				echo $line
		end
	end
end

complete -c lever -f -a '(__lever_complete)'
