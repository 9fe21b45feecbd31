/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Smart: the counters in a page, and what changed between two pages.
 *
 * NVMe: NVM Express Base Specification 2.0, figure "SMART / Health Information
 * Log Page"; little-endian. ATA: ACS-2, SMART READ DATA, and the attributes
 * that makers share; 30 entries of 12 bytes from byte 2: id, flags (2), value,
 * worst value, raw (6), reserved; the sum of all 512 bytes is 0.
 */
#include "collect/smart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KELVIN	    273.15
#define ATA_FIRST   2
#define ATA_BYTES   12
#define WARNING	    0 /* rows of the table that have a meaning of their own */
#define TEMPERATURE 1

/*
 * NVMe: where the number is, and its bytes; 0: it has none. ATA: id, and how
 * many low bits of raw count; makers put other facts into the upper ones.
 */
static const struct {
	const char *key;
	enum smart_change rise; /* what it means that the number rises */
	unsigned at, bytes;
	double scale;
	unsigned id, bits;
} counters[SMART_COUNTERS] = {
	[WARNING] = { "critical_warning", SMART_CALM, 0, 1, 1, 0, 0 },
	[TEMPERATURE] = { "temperature_c", SMART_CALM, 1, 2, 1, 194, 8 },
	{ "spare_pct", SMART_CALM, 3, 1, 1, 0, 0 },
	{ "used_pct", SMART_CALM, 5, 1, 1, 0, 0 },
	/* In thousands of 512 bytes. */
	{ "read_bytes", SMART_CALM, 32, 16, 512000, 0, 0 },
	{ "written_bytes", SMART_CALM, 48, 16, 512000, 0, 0 },
	{ "power_cycles", SMART_CALM, 112, 16, 1, 12, 32 },
	{ "power_on_hours", SMART_CALM, 128, 16, 1, 9, 32 },
	{ "unsafe_shutdowns", SMART_CALM, 144, 16, 1, 0, 0 },
	{ "error_log_entries", SMART_CALM, 176, 16, 1, 0, 0 },
	{ "media_errors", SMART_ERROR, 160, 16, 1, 0, 0 },
	{ "warning_temp_minutes", SMART_HEAT, 192, 4, 1, 0, 0 },
	{ "critical_temp_minutes", SMART_HEAT, 196, 4, 1, 0, 0 },
	{ "thm_temp1_trans_count", SMART_HEAT, 216, 4, 1, 0, 0 },
	{ "thm_temp2_trans_count", SMART_HEAT, 220, 4, 1, 0, 0 },
	{ "thm_temp1_total_s", SMART_HEAT, 224, 4, 1, 0, 0 },
	{ "thm_temp2_total_s", SMART_HEAT, 228, 4, 1, 0, 0 },
	{ "reallocated_sectors", SMART_ERROR, 0, 0, 1, 5, 16 },
	{ "reported_uncorrectable", SMART_ERROR, 0, 0, 1, 187, 32 },
	{ "pending_sectors", SMART_ERROR, 0, 0, 1, 197, 32 },
	{ "offline_uncorrectable", SMART_ERROR, 0, 0, 1, 198, 32 },
	{ "crc_errors", SMART_ERROR, 0, 0, 1, 199, 32 },
};

/* Bits of critical_warning. */
static const struct {
	const char *words;
	enum smart_change new;
} warnings[] = {
	{ "little spare capacity", SMART_HEAT },
	{ "its temperature", SMART_HEAT },
	{ "degraded reliability", SMART_ERROR },
	{ "read-only media", SMART_ERROR },
	{ "a failed backup of volatile memory", SMART_HEAT },
	{ "unreliable persistent memory", SMART_HEAT },
};

/* 16 bytes lose digits behind the 53rd bit. */
static double number_at(const uint8_t *p, unsigned bytes)
{
	double n = 0;

	for (unsigned i = bytes; i-- > 0;)
		n = n * 256 + p[i];
	return n;
}

/* A controller that gives no page may leave all bytes 0 or 0xff. */
static bool is_empty(const uint8_t *page)
{
	for (size_t i = 1; i < SMART_PAGE; i++)
		if (page[i] != page[0])
			return false;
	return true;
}

static void parse_nvme(struct smart *s, const uint8_t *page)
{
	for (size_t i = 0; i < SMART_COUNTERS; i++)
		if (counters[i].bytes)
			s->value[i] = counters[i].scale *
				      number_at(page + counters[i].at,
						counters[i].bytes);
	/* 0 K: the controller does not know it. */
	s->value[TEMPERATURE] = s->value[TEMPERATURE] > 0
					? s->value[TEMPERATURE] - KELVIN
					: NAN;
}

static const struct smart_attribute *attribute(const struct smart *s,
					       unsigned id)
{
	for (size_t i = 0; i < s->n_attributes; i++)
		if (s->attribute[i].id == id)
			return &s->attribute[i];
	return NULL;
}

static bool parse_ata(struct smart *s, const uint8_t *page)
{
	const struct smart_attribute *a;
	uint8_t sum = 0;

	for (size_t i = 0; i < SMART_PAGE; i++)
		sum = (uint8_t)(sum + page[i]);
	if (sum)
		return false;
	for (size_t i = 0; i < SMART_ATTRIBUTES; i++) {
		const uint8_t *p = page + ATA_FIRST + i * ATA_BYTES;

		if (!*p)
			continue;
		s->attribute[s->n_attributes++] = (struct smart_attribute){
			*p, (uint64_t)number_at(p + 5, 6)
		};
	}
	for (size_t i = 0; i < SMART_COUNTERS; i++) {
		a = counters[i].id ? attribute(s, counters[i].id) : NULL;
		if (a)
			s->value[i] = (double)(a->raw &
					       ((UINT64_C(1) << counters[i].bits) -
						1));
	}
	/* Some disks have the temperature of the air flow only. */
	a = attribute(s, 194) ? attribute(s, 194) : attribute(s, 190);
	if (a)
		s->value[TEMPERATURE] = (int8_t)(a->raw & 0xff);
	return true;
}

bool smart_parse(struct smart *s, enum smart_interface interface,
		 const uint8_t page[SMART_PAGE])
{
	s->n_attributes = 0;
	for (size_t i = 0; i < SMART_COUNTERS; i++)
		s->value[i] = NAN;
	if (interface == SMART_ATA)
		return !is_empty(page) && parse_ata(s, page);
	if (interface != SMART_NVME || is_empty(page))
		return false;
	parse_nvme(s, page);
	return true;
}

double smart_temperature(const struct smart *s)
{
	return s->value[TEMPERATURE];
}

static void append(char *words, size_t size, const char *more)
{
	size_t n = strlen(words);

	snprintf(words + n, size - n, "%s%s", n ? ", " : "", more);
}

static enum smart_change compare_warning(double before, double after,
					 char *words, size_t size)
{
	const unsigned is = after > 0 ? (unsigned)after : 0;
	const unsigned was = before > 0 ? (unsigned)before : 0;
	enum smart_change worst = SMART_CALM;
	char text[80];

	for (unsigned i = 0; i < ARRAY_SIZE(warnings); i++) {
		const bool old = was & 1u << i;
		const enum smart_change here = old ? SMART_HEAT
						   : warnings[i].new;

		if (!(is & 1u << i))
			continue;
		snprintf(text, sizeof(text), "it warns of %s%s",
			 warnings[i].words, old ? ", as before the run" : "");
		append(words, size, text);
		worst = here > worst ? here : worst;
	}
	return worst;
}

enum smart_change smart_compare(const struct smart *before,
				const struct smart *after, char *words,
				size_t size)
{
	enum smart_change worst = compare_warning(before->value[WARNING],
						  after->value[WARNING], words,
						  size);

	for (size_t i = 0; i < SMART_COUNTERS; i++) {
		const double rose = after->value[i] - before->value[i];
		char text[120];

		if (counters[i].rise == SMART_CALM || !(rose > 0))
			continue;
		snprintf(text, sizeof(text), "%s rose by %.0f to %.0f",
			 counters[i].key, rose, after->value[i]);
		append(words, size, text);
		worst = counters[i].rise > worst ? counters[i].rise : worst;
	}
	return worst;
}

struct json *smart_json(const struct smart *s)
{
	struct json *j = json_new_object(), *list;

	for (size_t i = 0; i < SMART_COUNTERS; i++)
		json_put_number(j, counters[i].key, s->value[i]);
	if (!s->n_attributes)
		return j;
	list = json_new_array();
	for (size_t i = 0; i < s->n_attributes; i++) {
		struct json *one = json_new_object();

		json_put_number(one, "id", s->attribute[i].id);
		json_put_number(one, "raw", (double)s->attribute[i].raw);
		json_push(list, one);
	}
	json_put(j, "attribute", list);
	return j;
}
