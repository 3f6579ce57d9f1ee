/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/io/yaml_text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

/* libyaml takes its texts as unsigned char without const, and copies them. */
static yaml_char_t *chars(const char *text)
{
	union {
		const char *text;
		yaml_char_t *chars;
	} both = { .text = text };

	return both.chars;
}

static int emit_scalar(yaml_emitter_t *emitter, const char *text, bool quoted)
{
	yaml_scalar_style_t style = quoted ? YAML_DOUBLE_QUOTED_SCALAR_STYLE : YAML_PLAIN_SCALAR_STYLE;
	yaml_event_t event;

	return yaml_scalar_event_initialize(&event, NULL, NULL, chars(text), -1, 1, 1, style) &&
	       yaml_emitter_emit(emitter, &event);
}

static int emit_node(yaml_emitter_t *emitter, const struct yaml_node *node)
{
	bool is_mapping = node->kind == YAML_MAPPING;
	yaml_event_t event;
	int good;

	if (node->kind == YAML_SCALAR)
		return emit_scalar(emitter, node->text, node->quoted);
	good = is_mapping ? yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_MAPPING_STYLE)
			  : yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, YAML_BLOCK_SEQUENCE_STYLE);
	good = good && yaml_emitter_emit(emitter, &event);
	for (const struct yaml_node *child = node->children; child && good; child = child->next) {
		good = !is_mapping || emit_scalar(emitter, child->key, false);
		good = good && emit_node(emitter, child);
	}
	good = good &&
	       (is_mapping ? yaml_mapping_end_event_initialize(&event) : yaml_sequence_end_event_initialize(&event));
	return good && yaml_emitter_emit(emitter, &event);
}

static int emit_document(yaml_emitter_t *emitter, const struct yaml_node *root)
{
	yaml_event_t event;

	return yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING) && yaml_emitter_emit(emitter, &event) &&
	       yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1) &&
	       yaml_emitter_emit(emitter, &event) && emit_node(emitter, root) &&
	       yaml_document_end_event_initialize(&event, 1) && yaml_emitter_emit(emitter, &event) &&
	       yaml_stream_end_event_initialize(&event) && yaml_emitter_emit(emitter, &event);
}

char *yaml_text(struct arena *arena, const struct yaml_node *root)
{
	yaml_emitter_t emitter;
	size_t nr_bytes;
	char *bytes;
	FILE *file = open_memstream(&bytes, &nr_bytes);
	char *text;
	int good = file && yaml_emitter_initialize(&emitter);

	assert(good);
	yaml_emitter_set_output_file(&emitter, file);
	yaml_emitter_set_unicode(&emitter, 1);
	yaml_emitter_set_width(&emitter, -1);
	good = emit_document(&emitter, root);
	yaml_emitter_delete(&emitter);
	fclose(file);
	assert(good); /* trees hold UTF-8 without NUL: only memory can run out */
	text = arena_strndup(arena, bytes, nr_bytes);
	free(bytes);
	return text;
}
