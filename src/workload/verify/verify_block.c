/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Verify block: fill a block, check one, and name its damage. */
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/random.h"
#include "workload/verify/verify.h"

#define MAGIC     0x696f64796e6f7631ull /* "iodynov1" */
#define SECTOR    512
#define FLIP_BITS 3 /* the greatest number of wrong bits of a bit flip */
#define MOST_SECTORS 8192 /* of an interval that is compared by sectors */

/* All members are in the byte order of the machine that wrote the block. */
struct block_header {
	uint64_t magic, run, generation, offset;
	uint64_t bytes;
	uint64_t payload; /* XXH3 of the block without the header */
	uint64_t unused;
	uint64_t self; /* XXH3 of all above */
};

_Static_assert(sizeof(struct block_header) == VERIFY_HEADER_BYTES, "header");

static uint64_t payload_hash(const struct verify_rule *rule, const char *p)
{
	size_t after = rule->header_at + VERIFY_HEADER_BYTES;
	uint64_t before = XXH3_64bits(p, rule->header_at);

	return XXH3_64bits_withSeed(p + after, rule->bytes - after, before);
}

static uint64_t self_hash(const struct block_header *h)
{
	return XXH3_64bits(h, offsetof(struct block_header, self));
}

static void fill_random(char *p, size_t bytes, const struct verify_id *id)
{
	struct random r;

	random_seed(&r, id->run ^ id->generation * 0x9e3779b97f4a7c15ull ^
				id->offset * 0xbf58476d1ce4e5b9ull);
	while (bytes >= sizeof(uint64_t)) {
		uint64_t word = random_next(&r);

		memcpy(p, &word, sizeof(word));
		p += sizeof(word);
		bytes -= sizeof(word);
	}
	memset(p, 0x5a, bytes);
}

static void fill_pattern(const struct verify_rule *rule,
			 const struct verify_id *id, char *p)
{
	size_t step = rule->pattern_bytes ? rule->pattern_bytes : rule->bytes;

	for (size_t at = 0; at < rule->bytes; at += step) {
		size_t left = rule->bytes - at;

		data_pattern_fill(&rule->pattern, p + at,
				  left < step ? left : step, id->offset + at);
	}
}

void verify_fill(const struct verify_rule *rule, const struct verify_id *id,
		 char *p)
{
	struct block_header h = {
		.magic = MAGIC,
		.run = id->run,
		.generation = id->generation,
		.offset = id->offset,
		.bytes = rule->bytes,
	};

	if (rule->pattern.bytes) {
		fill_pattern(rule, id, p);
		return;
	}
	if (rule->payload) {
		fill_random(p, rule->bytes, id);
		h.payload = payload_hash(rule, p);
	}
	h.self = self_hash(&h);
	memcpy(p + rule->header_at, &h, sizeof(h));
}

/* Where two blocks differ. */
struct damage {
	size_t first;  /* first different byte; rule->bytes: none */
	unsigned bits; /* different bits, counted up to a limit */
	size_t good_sectors, bad_sectors;
	size_t first_bad, last_bad; /* sectors */
};

static struct damage verify_block_compare(const char *want, const char *got,
					  size_t bytes)
{
	struct damage d = { .first = bytes };

	for (size_t at = 0; at < bytes; at += SECTOR) {
		size_t n = bytes - at < SECTOR ? bytes - at : SECTOR;

		if (!memcmp(want + at, got + at, n)) {
			d.good_sectors++;
			continue;
		}
		if (!d.bad_sectors++)
			d.first_bad = at / SECTOR;
		d.last_bad = at / SECTOR;
		for (size_t i = at; i < at + n; i++) {
			unsigned char x = (unsigned char)(want[i] ^ got[i]);

			if (x && d.first == bytes)
				d.first = i;
			d.bits += (unsigned)__builtin_popcount(x);
		}
	}
	return d;
}

static bool verify_block_has_magic(const struct verify_rule *rule,
				   const char *p)
{
	uint64_t magic;

	memcpy(&magic, p + rule->header_at, sizeof(magic));
	return magic == MAGIC;
}

/* Name the damage of the block that should be at p. */
static enum verify_damage verify_block_judge(const struct verify_rule *rule,
					     const struct verify_id *id,
					     const char *p, char *scratch,
					     char *words, size_t size)
{
	struct damage d;

	verify_fill(rule, id, scratch);
	/* Without a payload only the header is known. */
	if (!rule->payload && !rule->pattern.bytes)
		d = verify_block_compare(scratch + rule->header_at,
					 p + rule->header_at,
					 VERIFY_HEADER_BYTES);
	else
		d = verify_block_compare(scratch, p, rule->bytes);
	if (!d.bits)
		return DAMAGE_NONE;
	if (d.bits <= FLIP_BITS) {
		snprintf(words, size, "%u bit%s flipped, the first in byte %zu",
			 d.bits, d.bits == 1 ? "" : "s", d.first);
		return DAMAGE_BIT_FLIP;
	}
	if (d.good_sectors) {
		snprintf(words, size,
			 "%zu of its %zu sectors are not what was "
			 "written, from sector %zu to %zu",
			 d.bad_sectors, d.good_sectors + d.bad_sectors,
			 d.first_bad, d.last_bad);
		return DAMAGE_TORN;
	}
	/*
	 * Nothing of the block is there, no header either: this place was not
	 * written at all.
	 */
	if (!rule->pattern.bytes && !verify_block_has_magic(rule, p)) {
		snprintf(words, size,
			 "it holds nothing of what was written: the write is "
			 "lost, or went to another place");
		return DAMAGE_LOST;
	}
	snprintf(words, size, "differs from what was written from byte %zu on",
		 d.first);
	return DAMAGE_UNKNOWN;
}

static bool all_zero(const char *p, size_t bytes)
{
	return !*p && !memcmp(p, p + 1, bytes - 1);
}

static bool header_at(const struct verify_rule *rule, const char *p,
		      struct block_header *h)
{
	memcpy(h, p + rule->header_at, sizeof(*h));
	return h->magic == MAGIC && h->self == self_hash(h);
}

static bool payload_good(const struct verify_rule *rule,
			 const struct block_header *h, const char *p)
{
	return !rule->payload || h->payload == payload_hash(rule, p);
}

/* Name the damage of a whole block that is not the expected one. */
static enum verify_damage another(const struct verify_id *id,
				  const struct block_header *h, char *words,
				  size_t size)
{
	if (h->offset != id->offset) {
		snprintf(words, size,
			 "the place holds the block of offset %llu",
			 (unsigned long long)h->offset);
		return DAMAGE_MISPLACED;
	}
	if (h->run != id->run)
		snprintf(words, size, "it holds a write of another run");
	else
		snprintf(words, size,
			 "it holds write %llu of this place, not write "
			 "%llu",
			 (unsigned long long)h->generation,
			 (unsigned long long)id->generation);
	return DAMAGE_STALE;
}

/*
 * Whether a header of an unknown write is right but for one bit, which is then
 * mended in h.
 */
static bool mend_header(const struct verify_rule *rule, const char *p,
			struct block_header *h)
{
	unsigned char *byte = (unsigned char *)h;

	memcpy(h, p + rule->header_at, sizeof(*h));
	for (unsigned bit = 0; bit < 8 * sizeof(*h); bit++) {
		byte[bit / 8] ^= (unsigned char)(1u << bit % 8);
		if (h->magic == MAGIC && h->self == self_hash(h))
			return true;
		byte[bit / 8] ^= (unsigned char)(1u << bit % 8);
	}
	return false;
}

enum verify_damage verify_check(const struct verify_rule *rule,
				const struct verify_id *id, const char *p,
				char *scratch, char *words, size_t size)
{
	struct verify_id own = *id;
	struct block_header h;
	bool whole;

	if (rule->pattern.bytes) {
		enum verify_damage d =
			verify_block_judge(rule, id, p, scratch, words, size);

		if (d == DAMAGE_NONE || !all_zero(p, rule->bytes))
			return d;
		snprintf(words, size, "all zeros");
		return DAMAGE_ZERO;
	}
	whole = header_at(rule, p, &h);
	/*
	 * The writer is unknown: check only that the block matches its own
	 * header.
	 */
	if (whole && !id->generation)
		own = (struct verify_id){ .run = h.run,
					  .generation = h.generation,
					  .offset = id->offset };
	if (whole && h.bytes != rule->bytes) {
		snprintf(words, size,
			 "it was written with intervals of %llu bytes; give "
			 "verify_interval=%llu",
			 (unsigned long long)h.bytes,
			 (unsigned long long)h.bytes);
		return DAMAGE_UNKNOWN;
	}
	if (whole && h.run == own.run && h.offset == own.offset &&
	    (h.generation == own.generation ||
	     (id->newer && h.generation > own.generation)) &&
	    payload_good(rule, &h, p))
		return DAMAGE_NONE;
	if (all_zero(p, rule->bytes)) {
		snprintf(words, size, "all zeros");
		return DAMAGE_ZERO;
	}
	if (whole && payload_good(rule, &h, p))
		return another(&own, &h, words, size);
	if (!whole && !id->generation && mend_header(rule, p, &h) &&
	    h.offset == id->offset && payload_good(rule, &h, p)) {
		snprintf(words, size, "1 bit flipped, in its header");
		return DAMAGE_BIT_FLIP;
	}
	if (!whole && !id->generation) {
		snprintf(words, size,
			 "without a header of this program: the write is lost, "
			 "or went to another place");
		return verify_block_has_magic(rule, p) ? DAMAGE_UNKNOWN
						       : DAMAGE_LOST;
	}
	return verify_block_judge(rule, &own, p, scratch, words, size);
}

/* Whether each sector at p is of one of the generations from least on. */
static bool mixed(const struct verify_rule *rule, const struct verify_id *id,
		  const char *p, char *scratch, size_t sector)
{
	const size_t sectors = (rule->bytes + sector - 1) / sector;
	uint8_t known[MOST_SECTORS / 8] = { 0 };
	size_t left = sectors;

	if (sectors > MOST_SECTORS || id->generation - id->least > VERIFY_MOST_MIXED)
		return false;
	for (uint64_t g = id->least; g <= id->generation && left; g++) {
		struct verify_id one = *id;

		one.generation = g;
		verify_fill(rule, &one, scratch);
		for (size_t i = 0; i < sectors; i++) {
			size_t at = i * sector, n = rule->bytes - at;

			if (known[i / 8] >> i % 8 & 1 ||
			    memcmp(p + at, scratch + at, n < sector ? n : sector))
				continue;
			known[i / 8] |= (uint8_t)(1u << i % 8);
			left--;
		}
	}
	return !left;
}

bool verify_may_be_lost(const struct verify_rule *rule,
			const struct verify_id *id, const char *p,
			char *scratch, size_t sector)
{
	struct block_header h;

	if (rule->pattern.bytes)
		return !id->least;
	if (header_at(rule, p, &h) && h.offset != id->offset)
		return false;
	if (!id->least)
		return true;
	if (header_at(rule, p, &h) && h.run == id->run &&
	    h.generation >= id->least && payload_good(rule, &h, p))
		return true;
	return rule->payload && mixed(rule, id, p, scratch, sector);
}

uint64_t verify_run_of(const struct verify_rule *rule, const char *p)
{
	struct block_header h;

	return header_at(rule, p, &h) ? h.run : 0;
}
