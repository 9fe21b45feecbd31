/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disk model: the tables of models and of their figures. */
#include "disk/disk_model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"

#define US  1000ull
#define MS  1000000ull
#define SEC 1000000000ull
#define MB  1000000ull /* as data sheets count */
#define MIB (1ull << 20)

/* clang-format off */
const struct disk_model_row disk_models[] = {
	{ .model = { .name = "ide-2001", .depth = 1, .overhead_ns = 300 * US,
		     .bus_bytes_per_s = 100 * MB, .rpm = 7200,
		     .seek_min_ns = 1200 * US, .seek_avg_ns = 8500 * US,
		     .outer_bytes_per_s = 48 * MB, .inner_bytes_per_s = 23 * MB,
		     .ahead_bytes = 256 << 10, .segments = 4,
		     .cache_bytes = 2 * MIB, .cache_volatile = true },
	  .help = "a desktop disk of 2001: 7200/min, 8.5 ms, no command queue",
	  .source = "IBM Deskstar 60GXP and 120GXP, models IC35L040, OEM "
		    "specifications S07N-4780-04 and S07N-4778-08: overhead "
		    "0.3 ms, read seek 8.5 ms, 2 MiB cache, Ultra ATA/100; "
		    "the sustained rates are assumptions",
	  .sourced = "overhead bus rpm seek cache" },
	{ .model = { .name = "hdd-7200", .depth = 32, .overhead_ns = 100 * US,
		     .bus_bytes_per_s = 550 * MB, .rpm = 7200,
		     .seek_min_ns = 800 * US, .seek_avg_ns = 8500 * US,
		     .outer_bytes_per_s = 200 * MB,
		     .inner_bytes_per_s = 95 * MB,
		     .ahead_bytes = 2 * MIB, .segments = 16,
		     .cache_bytes = 32 * MIB, .atom_bytes = 4096,
		     .cache_volatile = true },
	  .help = "a desktop disk with SATA: 7200/min, 8.5 ms, NCQ 32",
	  .source = "Seagate Barracuda ST2000DM001 and ST2000DM006: 64 MiB "
		    "cache, access 8.5 ms, 156 MB/s on average, up to about "
		    "200 MB/s (itproportal.com, 22 August 2013; the greatest "
		    "rate is an assumption); half of the cache is for writes "
		    "here",
	  .sourced = "rpm seek" },
	{ .model = { .name = "laptop-2010", .depth = 32, .overhead_ns = 150 * US,
		     .bus_bytes_per_s = 140 * MB, .rpm = 7200,
		     .seek_min_ns = 1500 * US, .seek_avg_ns = 10500 * US,
		     .outer_bytes_per_s = 60 * MB, .inner_bytes_per_s = 30 * MB,
		     .ahead_bytes = 512 << 10, .segments = 8,
		     .cache_bytes = 4 * MIB, .cache_volatile = true },
	  .help = "a laptop's disk of 80 GB: 7200/min, 10.5 ms, NCQ 32",
	  .source = "Seagate Momentus 7200, model ST980825AS; its figures (8 "
		    "MiB cache, 10.5 ms, about 60 MB/s) are assumptions; half "
		    "of the cache is for writes here",
	  .sourced = "rpm" },
	{ .model = { .name = "lun-15k", .depth = 64, .overhead_ns = 100 * US,
		     .bus_bytes_per_s = 400 * MB, .rpm = 15000,
		     .seek_min_ns = 200 * US, .seek_avg_ns = 3500 * US,
		     .outer_bytes_per_s = 700 * MB,
		     .inner_bytes_per_s = 450 * MB,
		     .ahead_bytes = 4 * MIB, .segments = 32,
		     .cache_bytes = 256 * MIB, .cache_volatile = false },
	  .help = "a stripe of seven disks of 15000/min behind a controller",
	  .source = "Seagate Cheetah 15K.5, product manual 100384784: 15000/min, "
		    "3.5 ms; the rates, 73 to 125 MB/s each, are assumptions; "
		    "one arm stands for the stripe, whose rate is that of "
		    "seven disks; 400 MB/s as "
		    "Fibre Channel of 4 Gbit/s; the cache has a battery",
	  .sourced = "rpm seek bus" },
	{ .model = { .name = "ssd-sata", .depth = 32, .overhead_ns = 5 * US,
		     .bus_bytes_per_s = 540 * MB, .lanes = 10,
		     .read_ns = 98 * US, .write_ns = 110 * US, .spread_pct = 20,
		     .pause_bytes = 512 * MIB, .pause_ns = 40 * MS,
		     .cache_bytes = 64 * MIB, .atom_bytes = 4096,
		     .cache_volatile = true },
	  .help = "a flash disk with SATA: 10 lanes, pauses to collect garbage",
	  .source = "Samsung 850 EVO, data sheet of 2014: 540 MB/s, random "
		    "reads 10000/s at depth 1 and 98000/s at depth 32, random "
		    "writes 90000/s; the pauses are an assumption",
	  .sourced = "depth bus read write" },
	{ .model = { .name = "cloud-burst", .depth = 64, .overhead_ns = 50 * US,
		     .bus_bytes_per_s = 134217728, .lanes = 16,
		     .read_ns = 600 * US, .write_ns = 800 * US,
		     .spread_pct = 30, .base_iops = 100, .burst_iops = 3000,
		     .credits = 5400000, .atom_bytes = 4096 },
	  .help = "a cloud volume: 100 IOPS, 3000 while its credits last",
	  .source = "Amazon EBS gp2 (user guide, EBS volume types): 100 IOPS at "
		    "least, 3000 with credits, 5.4 million credits, 128 MiB/s "
		    "for small volumes; the latency is an assumption",
	  .sourced = "bus base burst credits" },
	{ .model = { .name = "sdcard", .depth = 1, .overhead_ns = 200 * US,
		     .bus_bytes_per_s = 20 * MB, .lanes = 1,
		     .read_ns = 600 * US, .write_ns = 1500 * US,
		     .spread_pct = 30, .pause_bytes = 64 * MIB,
		     .pause_ns = 800 * MS, .erase_bytes = 4 * MIB,
		     .erase_ns = 40 * MS, .erase_open = 2, .atom_bytes = 4096 },
	  .help = "a memory card: small writes into large erase blocks",
	  .source = "Linaro, Flash card survey: erase blocks of 4 MiB, few of "
		    "them open at once; SD speed class 10 with pauses of less "
		    "than a second; the times are assumptions within it",
	  .sourced = "erase-block erase-open" },
};
const size_t n_disk_models = ARRAY_SIZE(disk_models);

#define AT(member) .offset = offsetof(struct disk_model, member)
#define DAY (86400 * SEC)

const struct disk_key disk_keys[] = {
	{ "depth", DISK_KEY_COUNT, AT(depth), 1, DISK_DEPTH_MAX,
	  "requests that the disk holds at once" },
	{ "overhead", DISK_KEY_NS, AT(overhead_ns), 0, SEC,
	  "time of each command besides the medium" },
	{ "bus", DISK_KEY_BYTES, AT(bus_bytes_per_s), 1000, 1ull << 40,
	  "bytes per second between host and disk" },
	{ "rpm", DISK_KEY_COUNT, AT(rpm), 0, 100000,
	  "revolutions per minute; 0: lanes instead of an arm" },
	{ "seek-min", DISK_KEY_NS, AT(seek_min_ns), 0, SEC,
	  "seek to the next track" },
	{ "seek", DISK_KEY_NS, AT(seek_avg_ns), 0, SEC,
	  "mean seek over all pairs of places" },
	{ "outer", DISK_KEY_BYTES, AT(outer_bytes_per_s), 1 << 16, 1ull << 40,
	  "media rate per second at the first address" },
	{ "inner", DISK_KEY_BYTES, AT(inner_bytes_per_s), 1 << 16, 1ull << 40,
	  "media rate per second at the last address" },
	{ "ahead", DISK_KEY_BYTES, AT(ahead_bytes), 0, 1ull << 30,
	  "bytes that the disk reads ahead of each stream" },
	{ "segments", DISK_KEY_COUNT, AT(segments), 0, 64,
	  "streams whose read-ahead the disk keeps" },
	{ "lanes", DISK_KEY_COUNT, AT(lanes), 1, DISK_LANES_MAX,
	  "servers in parallel" },
	{ "read", DISK_KEY_NS, AT(read_ns), 0, 10 * SEC,
	  "lanes: time of a read of 4 KiB" },
	{ "write", DISK_KEY_NS, AT(write_ns), 0, 10 * SEC,
	  "lanes: time of a write of 4 KiB" },
	{ "spread", DISK_KEY_COUNT, AT(spread_pct), 0, 100,
	  "lanes: half the range of these times, in per cent" },
	{ "pause-every", DISK_KEY_BYTES, AT(pause_bytes), 0, 1ull << 50,
	  "lanes: bytes written between two pauses; 0: no pause" },
	{ "pause", DISK_KEY_NS, AT(pause_ns), 0, DAY,
	  "lanes: length of a pause, which collects garbage" },
	{ "erase-block", DISK_KEY_BYTES, AT(erase_bytes), 0, 1ull << 40,
	  "lanes: size of an erase block; 0: none" },
	{ "erase", DISK_KEY_NS, AT(erase_ns), 0, 100 * SEC,
	  "lanes: time to open another erase block" },
	{ "erase-open", DISK_KEY_COUNT, AT(erase_open), 1, 16,
	  "lanes: erase blocks open at once" },
	{ "base", DISK_KEY_COUNT, AT(base_iops), 1, 10000000,
	  "token bucket: credits earned per second" },
	{ "burst", DISK_KEY_COUNT, AT(burst_iops), 0, 10000000,
	  "token bucket: requests per second while there are credits; 0: no "
	  "bucket" },
	{ "credits", DISK_KEY_COUNT, AT(credits), 1, 1ull << 50,
	  "token bucket: credits at the start, and the most" },
	{ "cache", DISK_KEY_BYTES, AT(cache_bytes), 0, 1ull << 40,
	  "size of the write cache; 0: none" },
	{ "linger", DISK_KEY_NS, AT(linger_ns), 0, DAY,
	  "time that data stay in the cache, unless it is half full or a "
	  "flush comes" },
	{ "atom", DISK_KEY_BYTES, AT(atom_bytes), 0, 4096,
	  "bytes that a power cut keeps or loses together: 4096, or less for "
	  "sectors of 512" },
	{ "volatile", DISK_KEY_BOOL, AT(cache_volatile), 0, 1,
	  "1: a power cut empties the cache" },
};
/* clang-format on */
const size_t n_disk_keys = ARRAY_SIZE(disk_keys);

const char *disk_model_name(size_t i, const char **help)
{
	if (i >= n_disk_models)
		return NULL;
	*help = disk_models[i].help;
	return disk_models[i].model.name;
}

const char *disk_model_key(size_t i, const char **help)
{
	if (i >= n_disk_keys)
		return NULL;
	*help = disk_keys[i].help;
	return disk_keys[i].name;
}

char *disk_model_figure(const struct disk_model *m, const struct disk_key *k,
			char *buf, size_t size)
{
	const void *at = (const char *)m + k->offset;
	uint64_t v = k->kind == DISK_KEY_BOOL ? *(const bool *)at
					      : *(const uint64_t *)at;

	if (!v)
		*buf = '\0';
	else if (k->kind == DISK_KEY_NS)
		text_copy(buf, size, units_ns((double)v).text);
	else if (k->kind == DISK_KEY_BYTES)
		text_copy(buf, size, units_bytes((double)v).text);
	else
		snprintf(buf, size, "%llu", (unsigned long long)v);
	return buf;
}

bool disk_model_is_sourced(const struct disk_model_row *row, const char *key)
{
	return text_lists(row->sourced, key, strlen(key));
}

static const char *model_at(size_t i, const void *arg)
{
	return disk_models[i].model.name;
}

static int find_model(const char *name, struct disk_model *m)
{
	const struct disk_model_row *row =
		text_row(name, disk_models, n_disk_models, model.name);

	if (row) {
		*m = row->model;
		return 0;
	}
	return fail(EINVAL,
		    "there is no model of a disk named %s%s; iodyno list disks "
		    "prints the models",
		    name,
		    text_did_you_mean("", text_closest(name, n_disk_models,
						       model_at, NULL))
			    .text);
}

static bool disk_model_read_value(const struct disk_key *k, const char *text,
				  uint64_t *v)
{
	switch (k->kind) {
	case DISK_KEY_BYTES:
		return units_parse_bytes(text, v) && *v >= k->min && *v <= k->max;
	case DISK_KEY_NS:
		return units_parse_ns(text, 1, v) && *v >= k->min && *v <= k->max;
	default:
		return units_parse_count(text, k->min, k->max, v);
	}
}

static int set_key(struct disk_model *m, const char *name, const char *value)
{
	const size_t i = text_find(name, disk_keys, n_disk_keys, name);
	const struct disk_key *k = &disk_keys[i];
	uint64_t v;
	void *to;

	if (i == n_disk_keys)
		return fail(EINVAL,
			    "a disk has no figure %s%s; iodyno list disk-keys "
			    "prints the figures",
			    name,
			    text_did_you_mean("", text_nearest(name, disk_keys,
							       n_disk_keys,
							       name))
				    .text);
	if (!disk_model_read_value(k, value, &v))
		return fail(EINVAL, "%s=%s is not in the range of %s", name,
			    value, name);
	to = (char *)m + k->offset;
	if (k->kind == DISK_KEY_BOOL)
		*(bool *)to = v;
	else
		*(uint64_t *)to = v;
	return 0;
}

/* Figures that only together make sense. */
static int disk_model_check(struct disk_model *m)
{
	if (!m->rpm && !m->lanes)
		m->lanes = 1;
	if (m->rpm && (!m->outer_bytes_per_s || !m->inner_bytes_per_s ||
		       m->inner_bytes_per_s > m->outer_bytes_per_s))
		return fail(EINVAL, "a disk with an arm needs the rates outer "
				    "and inner, and inner is not above outer");
	if (m->rpm && m->seek_avg_ns < m->seek_min_ns)
		return fail(EINVAL, "the mean seek is below seek-min");
	if (m->burst_iops && (!m->base_iops || m->base_iops > m->burst_iops))
		return fail(EINVAL, "a token bucket needs base, not above burst");
	if (m->erase_bytes && !m->erase_open)
		m->erase_open = 1;
	return 0;
}

int disk_model_parse(const char *text, struct disk_model *m)
{
	char *copy = xstrdup(text), *rest = copy, *word = strsep(&rest, ",");
	int err = *word ? find_model(word, m)
			: fail(EINVAL, "a disk needs a model; iodyno list "
				       "disks prints them");

	while (!err && (word = strsep(&rest, ","))) {
		char *value = strchr(word, '=');

		if (!value || value == word)
			err = fail(EINVAL, "%s: after the model comes "
					   "KEY=VALUE, such as depth=1",
				   text);
		else
			*value++ = '\0';
		err = err ? err : set_key(m, word, value);
	}
	free(copy);
	return err ? err : disk_model_check(m);
}
