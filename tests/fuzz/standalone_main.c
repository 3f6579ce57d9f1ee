/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replay files and folders of files through a fuzz target, for compilers
 * without libFuzzer:
 *
 *	gcc -std=c11 -D_GNU_SOURCE -g -I. -fsanitize=address,undefined -fno-sanitize-recover=all \
 *		tests/fuzz/fuzz_yaml.c tests/fuzz/standalone_main.c sim/io/yaml*.c sim/io/bind.c sim/util/[a-z]*.c \
 *		-lyaml -lm -o build/fuzz_yaml_replay
 *	build/fuzz_yaml_replay tests/fuzz/corpus/yaml
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* 0, or -1 with a message. */
static int replay_file(const char *path)
{
	static const size_t room = (size_t)16 << 20;
	FILE *file = fopen(path, "rb");
	uint8_t *bytes;
	uint8_t *exact;
	size_t size;

	if (!file) {
		perror(path);
		return -1;
	}
	bytes = malloc(room);
	size = bytes ? fread(bytes, 1, room, file) : 0;
	fclose(file);
	/* no byte of slack, so that the sanitizer sees a read beyond the end */
	exact = realloc(bytes, size ? size : 1);
	if (!exact)
		abort();
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	return 0;
}

static int replay_folder(const char *path, DIR *folder, int *nr_files)
{
	char name[PATH_MAX];
	struct dirent *entry;

	while ((entry = readdir(folder))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (replay_file(name))
			return -1;
		++*nr_files;
	}
	return 0;
}

static int replay(const char *path, int *nr_files)
{
	DIR *folder = opendir(path);
	int failed;

	if (!folder) {
		++*nr_files;
		return replay_file(path);
	}
	failed = replay_folder(path, folder, nr_files);
	closedir(folder);
	return failed;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		int nr_files = 0;

		if (replay(argv[i], &nr_files) || !nr_files)
			return 1;
		printf("ok %d - %s: %d inputs hold what is asserted\n", i, argv[i], nr_files);
	}
	printf("1..%d\n", argc - 1);
	return 0;
}
