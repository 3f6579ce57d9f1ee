# SPDX-License-Identifier: GPL-3.0-or-later
# A Markdown file in, the same file out with what its commands print now:
#
#	```sh run                    commands, run in `directory` with sh -eu; "run slow": takes minutes
#	contend run demo
#	```
#	<!-- output: head -n 5 -->   standard output of the last commands, through a filter (a command run where awk is) if one is named
#	```text
#	...
#	```
#	<!-- end output -->
#
# "<!-- markdown output -->" puts it in without the fence. "<!-- file: PATH -->" to "<!-- end file -->" shows a file,
# whose path starts from where awk runs. Variables: directory; slow=0 leaves slow commands and their
# output alone; tap=1 prints one TAP line per block of commands instead of the file. Ends with 1 when a command failed.

function say(line) {
	if (!tap)
		print line
}

function finish_block(status) {
	print commands >(directory "/commands.sh")
	close(directory "/commands.sh")
	status = system("cd '" directory "' && sh -eu commands.sh >output.txt 2>errors.txt </dev/null; " \
		"status=$?; rm commands.sh; exit $status")
	nr_blocks++
	if (tap)
		printf "%s %d - %s\n", status ? "not ok" : "ok", nr_blocks, first_command
	if (status) {
		failed = 1
		printf "%s:%d: exit status %d\n", FILENAME, block_line, status | "cat >&2"
		system("sed 's/^/# /' '" directory "/errors.txt' >&2")
	}
}

function put_output(filter, source, line) {
	if (match($0, /output: .* -->$/))
		filter = substr($0, RSTART + 8, RLENGTH - 8 - 4)
	if (!/markdown/)
		say("```text")
	source = "<'" directory "/output.txt' " (filter ? filter : "cat")
	while ((source | getline line) > 0)
		say(line)
	close(source)
	if (!/markdown/)
		say("```")
}

function put_file(path, line, status) {
	while ((status = getline line <path) > 0)
		say(line)
	close(path)
	if (status < 0 && !tap) {
		failed = 1
		printf "%s:%d: cannot read %s\n", FILENAME, NR, path | "cat >&2"
	}
}

/^```sh run( slow)?$/ {
	in_block = 1
	is_left_out = / slow$/ && !slow
	commands = first_command = ""
	block_line = NR
	say($0)
	next
}

in_block && /^```$/ {
	in_block = 0
	say($0)
	if (!is_left_out)
		finish_block()
	next
}

in_block {
	commands = commands $0 "\n"
	if (!first_command)
		first_command = $0
}

/^<!-- (markdown )?output(: .*)? -->$/ {
	say($0)
	if (!is_left_out) {
		put_output()
		is_skipping = 1
	}
	next
}

/^<!-- file: .* -->$/ {
	say($0)
	put_file(substr($0, 12, length($0) - 11 - 4))
	is_skipping = 1
	next
}

/^<!-- end (output|file) -->$/ { is_skipping = 0 }

!is_skipping { say($0) }

END {
	if (tap)
		print "1.." nr_blocks
	exit failed || in_block || is_skipping
}
