/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FNV-1a, 64 bits: Fowler, Noll, Vo; http://www.isthe.com/chongo/tech/comp/fnv/
 *
 * Tells two configurations apart and finds damage to a record: each step is a bijection of the state, so no change of a
 * single byte goes unseen. No protection against somebody who wants two texts to have one hash.
 */
#ifndef CONTEND_UTIL_HASH_H
#define CONTEND_UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* The hash of what `hash` is of, and these bytes behind it. */
static inline uint64_t hash_more(uint64_t hash, const void *bytes, size_t nr)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < nr; i++) {
		hash ^= byte[i];
		hash *= UINT64_C(0x100000001b3);
	}
	return hash;
}

static inline uint64_t hash_bytes(const void *bytes, size_t nr)
{
	return hash_more(HASH_START, bytes, nr);
}

#endif
