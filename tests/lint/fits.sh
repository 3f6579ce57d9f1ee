#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The fitted values of configs/fits are those that a fit would give now: `reproduce --fitted` has nothing to say about them.
set -u
cd "$(dirname "$0")/../.." || exit 1

said=$("${CONTEND:-build/contend}" reproduce --fitted --kept --quiet --replications 1 2>&1 >/dev/null) && exit 0
echo "$said"
echo "configs/fits is out of date: run make fits" >&2
exit 1
