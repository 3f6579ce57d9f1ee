# SPDX-License-Identifier: GPL-3.0-or-later
# Input made to hurt: every file is refused with a message, quickly and without much memory, and nothing is written.
# shellcheck source=tests/support/cli.sh
. "$(dirname "$0")/../support/cli.sh"

# refused FILE MESSAGE: within 10 s and 200 MB of memory
refused() {
	with_command sh -c "ulimit -v 400000; exec timeout 10 '$program' check '$1'"
	status_is 2
	err_has "$2"
	out_is_empty
}

it "a file of 100 MB is too large"
truncate -s 100M big.yaml
refused big.yaml "big.yaml"

it "200 kB of opening brackets are too deep"
head -c 200000 /dev/zero | tr '\0' '[' >deep.yaml
refused deep.yaml "deep.yaml:1:"

it "aliases that multiply are too many nodes"
{
	echo 'a: &a [x, x, x, x, x, x, x, x, x, x]'
	previous=a
	for name in b c d e f g h i; do
		echo "$name: &$name [*$previous, *$previous, *$previous, *$previous, *$previous, *$previous, *$previous, *$previous]"
		previous=$name
	done
} >bomb.yaml
refused bomb.yaml "bomb.yaml:"

it "an alias inside its own anchor is an error"
printf 'a: &a [1, *a]\n' >self.yaml
refused self.yaml "self.yaml:1:"

it "random bytes are no YAML"
head -c 5000 /dev/urandom >junk.yaml
refused junk.yaml "junk.yaml"

it "an ELF program is no YAML"
refused "$program" "contend:"

it "an empty file says that it is empty"
: >empty.yaml
refused empty.yaml "empty"

it "a directory is no file"
mkdir folder.yaml
refused folder.yaml "folder.yaml"

it "a text is no mapping"
echo hello >text.yaml
refused text.yaml "text.yaml"

it "an endless device is refused"
refused /dev/zero "/dev/zero"

it "a million threads are more than the machine has"
write_experiment x.yaml
sed -i 's/4, 8\]/4, 1000000]/' x.yaml
refused x.yaml "1000000"

it "a sweep of a million points is too many"
write_experiment x.yaml
values=$(seq -s, 1 200)
sed -i "s/{threads: .*/{threads: [1, 2, 4, 8], machine.transfer.core_ns: [$values], machine.core.load_hit_ns: [$values], seed: [$values]}/" x.yaml
refused x.yaml "x.yaml:"

it "results that are junk are refused"
mkdir junk
head -c 3000 /dev/urandom >junk/result.json
contend compare junk
status_is 2
err_has "result.json"
out_is_empty

it "results without their samples are refused"
mkdir half
echo '{}' >half/result.json
contend plot half -o half.svg
status_is 2
err_has "half/result.json"
is_absent half.svg
