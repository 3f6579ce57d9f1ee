# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# shellcheck disable=SC2154 # source_dir, program and work come from cli.sh
# Sourced after cli.sh by tests that need a source tree of their own: a copy in tree/, objects included, so that little is
# left to compile.

mkdir -p tree/results
(cd "$source_dir" && cp -a Makefile configs models plots sim "$work/tree" && cp -a results/published "$work/tree/results")
cp -a "$(dirname "$program")" tree/build

# make_tree TARGET...: make in the copy, with the variables of the make that runs the tests but without its jobs.
make_tree() {
	case ${MAKEFLAGS:-} in
	*'-- '*) flags="-- ${MAKEFLAGS#*-- }" ;;
	*) flags= ;;
	esac
	with_command env MAKEFLAGS="$flags" make -C tree BUILD=build "$@"
}
