/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A tree as YAML text: block style, quoted where YAML needs it or the tree
 * was. Equal trees give equal bytes, and yaml_parse gives back an equal tree.
 */
#ifndef CONTEND_IO_YAML_TEXT_H
#define CONTEND_IO_YAML_TEXT_H

#include "sim/io/yaml.h"
#include "sim/util/arena.h"

/* The text in arena. */
char *yaml_text(struct arena *arena, const struct yaml_node *root);

#endif
