# SPDX-License-Identifier: BSD-2-Clause
# fish completion of lever, which knows its options and values itself: lever help --complete.
function __lever_complete
	set -l words (commandline -opc)
	set -l word (commandline -ct)
	set -l all (commandline -op)
	set -l before (math (count $words) + (count (string match -v '' -- "$word")))
	set -l behind
	test (count $all) -gt $before; and set behind --behind (math (count $all) - $before)
	for line in ($words[1] help --complete $behind -- $words[2..-1] "$word" $all[(math $before + 1)..-1] 2>/dev/null)
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
