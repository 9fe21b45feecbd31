/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Witness line: the words and the checksum of a record. */
#include <stdio.h>
#include <string.h>

#include "workload/witness/witness.h"

#define CRC_KEY ",\"crc\":\""
#define CRC_AT	(sizeof(CRC_KEY) - 1)
/* `,"crc":"01234567"}` */
#define CRC_BYTES (CRC_AT + 8 + 2)

/* CRC-32C (Castagnoli), reflected, four bits at a time. */
static uint32_t witness_line_crc(const char *p, size_t n)
{
	static const uint32_t table[16] = {
		0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
		0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
		0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
		0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
	};
	uint32_t crc = ~0u;

	while (n--) {
		crc ^= (unsigned char)*p++;
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}

static size_t witness_line_hex(char *to, uint64_t v)
{
	static const char digit[] = "0123456789abcdef";
	char text[16];
	size_t n = 0, k = 0;

	do
		text[n++] = digit[v & 15];
	while (v >>= 4);
	while (n)
		to[k++] = text[--n];
	return k;
}

size_t witness_word_put(char *buf, size_t n, const struct witness_word *word)
{
	if (n)
		buf[n++] = ' ';
	n += witness_line_hex(buf + n, word->first);
	if (word->n != 1) {
		buf[n++] = '+';
		n += witness_line_hex(buf + n, word->n);
	}
	if (word->generation != 1) {
		buf[n++] = '.';
		n += witness_line_hex(buf + n, word->generation);
	}
	return n;
}

/* A number of at most `digits` digits; false: there is none. */
static bool witness_line_number(const char **text, unsigned digits, uint64_t *v)
{
	const char *p = *text;
	unsigned n = 0;

	for (*v = 0; n <= digits; n++, p++) {
		if (*p >= '0' && *p <= '9')
			*v = *v << 4 | (uint64_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			*v = *v << 4 | (uint64_t)(*p - 'a' + 10);
		else
			break;
	}
	*text = p;
	return n > 0 && n <= digits;
}

bool witness_word_next(const char **text, struct witness_word *word)
{
	const char *p = *text;
	uint64_t generation = 1;

	word->n = 1;
	while (*p == ' ')
		p++;
	if (!witness_line_number(&p, 15, &word->first))
		return false;
	if (*p == '+' && (p++, !witness_line_number(&p, 8, &word->n)))
		return false;
	if (*p == '.' && (p++, !witness_line_number(&p, 7, &generation)))
		return false;
	if ((*p && *p != ' ') || !word->n)
		return false;
	word->generation = (uint32_t)generation;
	*text = p;
	return true;
}

size_t witness_line_end(char *line, size_t n)
{
	uint32_t crc = witness_line_crc(line, n);

	return n + (size_t)sprintf(line + n, CRC_KEY "%08x\"}\n", crc);
}

bool witness_line_read(const char *line, size_t n, struct json **out)
{
	char want[CRC_BYTES + 2];

	*out = NULL;
	if (n <= CRC_BYTES || n > WITNESS_LINE_MAX || memchr(line, 0, n))
		return false;
	snprintf(want, sizeof(want), CRC_KEY "%08x\"}",
		 witness_line_crc(line, n - CRC_BYTES));
	return !memcmp(line + n - CRC_BYTES, want, CRC_BYTES) &&
	       json_parse(line, n, out) == 0;
}
