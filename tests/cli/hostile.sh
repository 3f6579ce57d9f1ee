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
refused big.yaml "big.yaml: is larger than 4 MiB"

it "200 kB of opening brackets are too deep"
head -c 200000 /dev/zero | tr '\0' '[' >deep.yaml
refused deep.yaml "deep.yaml:1:65: nested deeper than 64 levels"

it "aliases that multiply are too many nodes"
{
	echo 'a: &a [x, x, x, x, x, x, x, x, x, x]'
	previous=a
	for name in b c d e f g h i; do
		echo "$name: &$name [*$previous, *$previous, *$previous, *$previous, *$previous, *$previous, *$previous, *$previous]"
		previous=$name
	done
} >bomb.yaml
refused bomb.yaml "bomb.yaml:6:20: more than 200000 values after aliases are expanded"

it "an alias inside its own anchor is an error"
printf 'a: &a [1, *a]\n' >self.yaml
refused self.yaml "self.yaml:1:11: alias 'a' is inside its own anchor"

it "a 100 MB line of a real text is too large too"
{
	printf 'title: '
	head -c 100000000 /dev/zero | tr '\0' a
} >long.yaml
refused long.yaml "long.yaml: is larger than 4 MiB"
rm long.yaml

it "200 kB of opening braces are refused at the second"
head -c 200000 /dev/zero | tr '\0' '{' >braces.yaml
refused braces.yaml "braces.yaml:1:2: a key must be a single value, not a mapping"

it "200 kB of nested dashes are too deep"
head -c 200000 /dev/zero | tr '\0' '-' | sed 's/-/- /g' >dashes.yaml
refused dashes.yaml "dashes.yaml:1:129: nested deeper than 64 levels"

it "a merge of itself says what to write instead"
printf 'a: &a {<<: *a}\n' >merge.yaml
refused merge.yaml "merge.yaml:1:8: merge keys (<<) are not supported; write the members out"

# As somebody who may read nothing of ours
as_stranger() {
	if [ "$(id -u)" -eq 0 ]; then
		with_command setpriv --reuid=65534 --regid=65534 --clear-groups "$program" "$@"
	else
		contend "$@"
	fi
}

it "a file without permission names the reason to each command that reads it"
write_experiment x.yaml
chmod 0 x.yaml
for command in check run reproduce; do
	as_stranger $command x.yaml
	status_is 2
	err_has "x.yaml"
	err_has "Permission denied"
	out_is_empty
done
is_absent results
rm -f x.yaml

it "results without permission name the reason"
mkdir private
echo '{}' >private/result.json
chmod 0 private/result.json
for command in compare plot; do
	as_stranger $command private
	status_is 2
	err_has "private/result.json"
	err_has "Permission denied"
	out_is_empty
done

it "random bytes are no YAML"
head -c 5000 /dev/urandom >junk.yaml
refused junk.yaml "junk.yaml"

it "an ELF program is no YAML"
refused "$program" "contend:"

it "an empty file says that it is empty"
: >empty.yaml
refused empty.yaml "empty.yaml:1:1: is empty"

it "a directory is no file"
mkdir folder.yaml
refused folder.yaml "folder.yaml: is a directory, not a YAML file"

it "a text is no mapping"
echo hello >text.yaml
refused text.yaml "text.yaml:1:1: an experiment must be a mapping, not a single value"

it "an endless device is refused"
refused /dev/zero "/dev/zero: is larger than 4 MiB"

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
