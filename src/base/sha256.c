/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256: the compression function of FIPS 180-4, section 6.2. */
#include "base/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"

#define BLOCK 64
#define CHUNK (1u << 18)

/* Fractional parts of the cube roots of the first 64 primes. */
static const uint32_t k_of[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
};

static uint32_t sha256_turn(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static void schedule(uint32_t w[64], const unsigned char *p)
{
	for (int i = 0; i < 16; i++, p += 4)
		w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
		       (uint32_t)p[2] << 8 | p[3];
	for (int i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] +
		       (sha256_turn(a, 7) ^ sha256_turn(a, 18) ^ a >> 3) +
		       (sha256_turn(b, 17) ^ sha256_turn(b, 19) ^ b >> 10);
	}
}

/* One round. The names of the eight words move by one from round to round, so
 * that no word is copied. */
static inline void round_of(uint32_t v[8], int i, const uint32_t *w)
{
	uint32_t a = v[(0 - i) & 7], b = v[(1 - i) & 7], c = v[(2 - i) & 7];
	uint32_t e = v[(4 - i) & 7], f = v[(5 - i) & 7], g = v[(6 - i) & 7];
	uint32_t one =
		v[(7 - i) & 7] +
		(sha256_turn(e, 6) ^ sha256_turn(e, 11) ^ sha256_turn(e, 25)) +
		((e & f) ^ (~e & g)) + *w;
	uint32_t two =
		(sha256_turn(a, 2) ^ sha256_turn(a, 13) ^ sha256_turn(a, 22)) +
		((a & b) ^ (a & c) ^ (b & c));

	v[(3 - i) & 7] += one;
	v[(7 - i) & 7] = one + two;
}

static void compress(uint32_t h[8], const unsigned char *block)
{
	uint32_t w[64], v[8];

	schedule(w, block);
	for (int i = 0; i < 64; i++)
		w[i] += k_of[i];
	memcpy(v, h, sizeof(v));
	/* Eight at a time: the places of the words are constants then. */
	for (int i = 0; i < 64; i += 8) {
		round_of(v, 0, w + i);
		round_of(v, 1, w + i + 1);
		round_of(v, 2, w + i + 2);
		round_of(v, 3, w + i + 3);
		round_of(v, 4, w + i + 4);
		round_of(v, 5, w + i + 5);
		round_of(v, 6, w + i + 6);
		round_of(v, 7, w + i + 7);
	}
	for (int i = 0; i < 8; i++)
		h[i] += v[i];
}

void sha256_begin(struct sha256 *s)
{
	static const uint32_t first[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372,
					   0xa54ff53a, 0x510e527f, 0x9b05688c,
					   0x1f83d9ab, 0x5be0cd19 };

	memcpy(s->h, first, sizeof(first));
	s->bytes = 0;
}

void sha256_add(struct sha256 *s, const void *data, size_t n)
{
	const unsigned char *p = data;
	size_t have = s->bytes % BLOCK;

	s->bytes += n;
	if (have) {
		size_t take = n < BLOCK - have ? n : BLOCK - have;

		memcpy(s->part + have, p, take);
		p += take;
		n -= take;
		if (have + take < BLOCK)
			return;
		compress(s->h, s->part);
	}
	for (; n >= BLOCK; p += BLOCK, n -= BLOCK)
		compress(s->h, p);
	memcpy(s->part, p, n);
}

char *sha256_end(struct sha256 *s, char text[SHA256_TEXT])
{
	static const unsigned char pad[BLOCK] = { 0x80 };
	uint64_t bits = s->bytes * 8;
	unsigned char length[8];

	for (int i = 0; i < 8; i++)
		length[i] = (unsigned char)(bits >> (56 - 8 * i));
	/* The length ends a block. */
	sha256_add(s, pad, (BLOCK + 55 - s->bytes % BLOCK) % BLOCK + 1);
	sha256_add(s, length, sizeof(length));
	for (int i = 0; i < 8; i++)
		snprintf(text + (size_t)8 * i, 9, "%08x", (unsigned)s->h[i]);
	return text;
}

int sha256_file(const char *path, char text[SHA256_TEXT], uint64_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct sha256 s;
	struct stat st;
	char *buf;
	ssize_t n;
	int err = 0;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		err = fd < 0 ? errno : EINVAL;
		if (fd >= 0)
			close(fd);
		return fail(err, "%s: %s", path, strerror(err));
	}
	buf = xmalloc(CHUNK);
	sha256_begin(&s);
	while ((n = read(fd, buf, CHUNK)) > 0)
		sha256_add(&s, buf, (size_t)n);
	if (n < 0)
		err = fail(errno, "%s: %s", path, strerror(errno));
	/* The end adds the padding to the count. */
	*bytes = s.bytes;
	sha256_end(&s, text);
	free(buf);
	close(fd);
	return err;
}
