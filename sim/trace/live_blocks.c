/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A hash table of open addressing with linear probing, at most half full; what is taken out is closed up (Knuth, The Art of
 * Computer Programming 3, section 6.4, algorithm R), so that no marks of removed blocks pile up.
 */
#include "sim/trace/live_blocks.h"

#define FIRST_BITS 10

struct slot {
	struct live_block block;
	bool used;
};

struct live_blocks {
	struct arena *arena;
	struct slot *slots;
	int bits; /* 2^bits slots */
	size_t nr;
};

static size_t mask_of(const struct live_blocks *blocks)
{
	return ((size_t)1 << blocks->bits) - 1;
}

/* Fibonacci hashing: neighbours spread over all of the table. */
static size_t home_of(const struct live_blocks *blocks, uint64_t pfn)
{
	return (size_t)(pfn * UINT64_C(0x9e3779b97f4a7c15) >> (64 - blocks->bits));
}

/* The slot of a pfn, or the free one where it would be. */
static size_t find(const struct live_blocks *blocks, uint64_t pfn)
{
	size_t i = home_of(blocks, pfn);

	while (blocks->slots[i].used && blocks->slots[i].block.pfn != pfn)
		i = (i + 1) & mask_of(blocks);
	return i;
}

static void slots_allocate(struct live_blocks *blocks, int bits)
{
	blocks->bits = bits;
	blocks->slots = arena_calloc(blocks->arena, (size_t)1 << bits, sizeof(*blocks->slots));
}

struct live_blocks *live_blocks_create(struct arena *arena)
{
	struct live_blocks *blocks = arena_alloc(arena, sizeof(*blocks));

	blocks->arena = arena;
	slots_allocate(blocks, FIRST_BITS);
	return blocks;
}

static void grow(struct live_blocks *blocks)
{
	const struct slot *old = blocks->slots;
	const size_t nr_old = mask_of(blocks) + 1;

	slots_allocate(blocks, blocks->bits + 1);
	for (size_t i = 0; i < nr_old; i++) {
		if (old[i].used)
			blocks->slots[find(blocks, old[i].block.pfn)] = old[i];
	}
}

bool live_blocks_add(struct live_blocks *blocks, const struct live_block *block)
{
	struct slot *slot = &blocks->slots[find(blocks, block->pfn)];
	const bool was_there = slot->used;

	if (!was_there && 2 * (blocks->nr + 1) > mask_of(blocks) + 1) {
		grow(blocks);
		slot = &blocks->slots[find(blocks, block->pfn)];
	}
	slot->block = *block;
	slot->used = true;
	blocks->nr += !was_there;
	return was_there;
}

/* Move later blocks up, but for those that would come to stand before their home. */
static void close_up(struct live_blocks *blocks, size_t gap)
{
	const size_t mask = mask_of(blocks);

	for (size_t i = (gap + 1) & mask; blocks->slots[i].used; i = (i + 1) & mask) {
		const size_t home = home_of(blocks, blocks->slots[i].block.pfn);

		if (((i - home) & mask) < ((i - gap) & mask))
			continue;
		blocks->slots[gap] = blocks->slots[i];
		gap = i;
	}
	blocks->slots[gap].used = false;
}

bool live_blocks_take(struct live_blocks *blocks, uint64_t pfn, struct live_block *out)
{
	const size_t i = find(blocks, pfn);

	if (!blocks->slots[i].used)
		return false;
	*out = blocks->slots[i].block;
	close_up(blocks, i);
	blocks->nr--;
	return true;
}

size_t live_blocks_nr(const struct live_blocks *blocks)
{
	return blocks->nr;
}
