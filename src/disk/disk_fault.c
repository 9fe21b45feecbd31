/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disk fault: the table of kinds, and the requests that each strikes. */
#include "disk/disk_fault.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"

#define OPS(op) (1u << DISK_##op)

/* The operations that each kind can strike; 0: the disk as a whole. */
static const struct {
	const char *name, *help;
	unsigned ops;
} kinds[DISK_FAULTS] = {
	[DISK_FAULT_STALL] = { "stall", "the disk does nothing for for=TIME", 0 },
	[DISK_FAULT_SLOW] = { "slow", "the range at offset=, bytes= takes "
				      "factor= as long",
			      OPS(READ) | OPS(WRITE) },
	[DISK_FAULT_EIO] = { "eio", "I/O in the range, or for a time, fails; "
				    "op=read or op=write: only these",
			     OPS(READ) | OPS(WRITE) | OPS(FLUSH) },
	[DISK_FAULT_LIE] = { "lie", "a flush is acknowledged and does nothing",
			     OPS(FLUSH) },
	[DISK_FAULT_LOST] = { "lost", "a write is acknowledged and not stored",
			      OPS(WRITE) },
	[DISK_FAULT_TORN] = { "torn", "of a write, only the first part is "
				      "stored, cut at atom=512 or 4096",
			      OPS(WRITE) },
	[DISK_FAULT_MISPLACED] = { "misplaced", "a write is stored at another "
						"place",
				   OPS(WRITE) },
	[DISK_FAULT_DECAY] = { "decay", "a bit of a write flips after=TIME "
					"later",
			       OPS(WRITE) },
	[DISK_FAULT_CUT] = { "cut", "power is lost, and back after for=TIME: "
				    "what is in a volatile cache is kept or "
				    "lost, sector by sector",
			     0 },
};

const char *disk_fault_name(size_t i, const char **help)
{
	if (i >= DISK_FAULTS)
		return NULL;
	*help = kinds[i].help;
	return kinds[i].name;
}

void disk_faults_init(struct disk_faults *f, uint64_t seed)
{
	memset(f, 0, sizeof(*f));
	random_seed(&f->random, seed ^ 0x6661756c74);
}

static int disk_fault_read_key(struct disk_fault *f, const char *key,
			       const char *value)
{
	uint64_t n;
	bool ok;

	if (!strcmp(key, "at"))
		ok = units_parse_ns(value, 1000000000, &f->at_ns);
	else if (!strcmp(key, "for"))
		ok = units_parse_ns(value, 1000000000, &f->for_ns);
	else if (!strcmp(key, "after"))
		ok = units_parse_ns(value, 1000000000, &f->after_ns);
	else if (!strcmp(key, "every"))
		ok = units_parse_count(value, 1, UINT32_MAX, &f->every);
	else if (!strcmp(key, "offset"))
		ok = units_parse_bytes(value, &f->offset);
	else if (!strcmp(key, "bytes"))
		ok = units_parse_bytes(value, &f->bytes) && f->bytes;
	else if (!strcmp(key, "atom"))
		ok = units_parse_bytes(value, &f->atom) &&
		     (f->atom == 512 || f->atom == 4096);
	else if (!strcmp(key, "factor")) {
		ok = units_parse_count(value, 1, 1000000, &n);
		f->factor = ok ? (double)n : 1;
	} else if (!strcmp(key, "op")) {
		f->reads = !strcmp(value, "read");
		f->writes = !strcmp(value, "write");
		ok = f->reads || f->writes;
	} else {
		return fail(EINVAL,
			    "a fault has no %s=; it has at, for, every, "
			    "offset, bytes, factor, atom, after, op",
			    key);
	}
	return ok ? 0 : fail(EINVAL, "%s=%s of a fault makes no sense", key,
			     value);
}

static int disk_fault_find_kind(const char *name, enum disk_fault_kind *kind)
{
	*kind = (enum disk_fault_kind)text_find(name, kinds, DISK_FAULTS, name);
	if (*kind < DISK_FAULTS)
		return 0;
	return fail(EINVAL,
		    "there is no fault %s%s; iodyno list disk-faults prints "
		    "them",
		    name,
		    text_did_you_mean("", text_nearest(name, kinds, DISK_FAULTS,
						       name))
			    .text);
}

static int disk_fault_check(const struct disk_fault *f)
{
	if (f->kind == DISK_FAULT_STALL && !f->for_ns)
		return fail(EINVAL, "the fault stall needs for=TIME");
	if (!kinds[f->kind].ops && f->every)
		return fail(EINVAL, "the fault %s has a time (at=), no every=",
			    kinds[f->kind].name);
	return 0;
}

static int parse_one(struct disk_faults *f, char *text)
{
	char *rest = text, *word = strsep(&rest, ",");
	struct disk_fault *new = &f->fault[f->n];
	int err;

	if (f->n == DISK_FAULTS_MAX)
		return fail(EINVAL, "a disk has at most %d faults",
			    DISK_FAULTS_MAX);
	*new = (struct disk_fault){ .factor = 10, .atom = 512 };
	err = disk_fault_find_kind(word, &new->kind);
	while (!err && (word = strsep(&rest, ","))) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = '\0';
		err = value ? disk_fault_read_key(new, word, value)
			    : fail(EINVAL, "%s is not KEY=VALUE", word);
	}
	if (!err)
		err = disk_fault_check(new);
	if (!err)
		f->n++;
	return err;
}

int disk_faults_parse(struct disk_faults *f, const char *text)
{
	char *copy = xstrdup(text), *rest = copy, *one;
	int err = 0;

	while (!err && (one = strsep(&rest, ";")))
		if (*one)
			err = parse_one(f, one);
	free(copy);
	return err;
}

/* --- what strikes a request --- */

static bool disk_fault_is_due(const struct disk_fault *f, uint64_t t)
{
	return t >= f->at_ns && (!f->for_ns || t < f->at_ns + f->for_ns);
}

static bool touches(const struct disk_fault *f, enum disk_op op,
		    uint64_t offset, uint64_t bytes)
{
	if (!(kinds[f->kind].ops & 1u << op))
		return false;
	if ((f->reads && op != DISK_READ) || (f->writes && op != DISK_WRITE))
		return false;
	if (op == DISK_FLUSH)
		return !f->bytes;
	return !f->bytes ||
	       (offset < f->offset + f->bytes && offset + bytes > f->offset);
}

static void decay(struct disk_faults *f, const struct disk_fault *one,
		  uint64_t t, uint64_t offset, uint64_t bytes)
{
	if (f->n_decays == DISK_DECAYS_MAX)
		return;
	f->decay[f->n_decays++] = (struct disk_decay){
		.at_ns = t + one->after_ns,
		.offset = offset + random_below(&f->random, bytes),
		.bit = (unsigned)random_below(&f->random, 8),
	};
}

static void strike(struct disk_faults *f, struct disk_fault *one, uint64_t t,
		   uint64_t offset, uint64_t bytes, uint64_t disk_bytes,
		   struct disk_harm *h)
{
	uint64_t atoms = one->atom ? bytes / one->atom : 0;

	switch (one->kind) {
	case DISK_FAULT_SLOW:
		h->factor = one->factor;
		break;
	case DISK_FAULT_EIO:
		h->error = EIO;
		break;
	case DISK_FAULT_TORN:
		/* At least an atom is stored, and at least one is not. */
		if (atoms < 2)
			return;
		h->keep = one->atom * (1 + random_below(&f->random, atoms - 1));
		break;
	case DISK_FAULT_MISPLACED:
		if (disk_bytes < 2 * bytes)
			return;
		/* At another multiple of its own size. */
		h->place = random_below(&f->random, disk_bytes / bytes - 1) *
			   bytes;
		if (h->place / bytes >= offset / bytes)
			h->place += bytes;
		if (h->place + bytes > disk_bytes)
			h->place = 0;
		break;
	case DISK_FAULT_DECAY:
		decay(f, one, t, offset, bytes);
		break;
	default:
		break;
	}
	h->kinds |= 1u << one->kind;
}

struct disk_harm disk_faults_strike(struct disk_faults *f, uint64_t t,
				    enum disk_op op, uint64_t offset,
				    uint64_t bytes, uint64_t disk_bytes)
{
	struct disk_harm h = { .factor = 1 };

	for (unsigned i = 0; i < f->n; i++) {
		struct disk_fault *one = &f->fault[i];

		if (!disk_fault_is_due(one, t) ||
		    !touches(one, op, offset, bytes))
			continue;
		if (one->every && ++one->seen % one->every)
			continue;
		strike(f, one, t, offset, bytes, disk_bytes, &h);
	}
	return h;
}

/* --- what happens to the disk --- */

static enum disk_event take_decay(struct disk_faults *f, uint64_t t,
				  uint64_t *value, unsigned *bit)
{
	for (unsigned i = 0; i < f->n_decays; i++) {
		if (f->decay[i].at_ns > t)
			continue;
		*value = f->decay[i].offset;
		*bit = f->decay[i].bit;
		f->decay[i] = f->decay[--f->n_decays];
		return DISK_DECAY;
	}
	return DISK_NOTHING;
}

enum disk_event disk_faults_event(struct disk_faults *f, uint64_t t,
				  uint64_t *value, unsigned *bit)
{
	for (unsigned i = 0; i < f->n; i++) {
		struct disk_fault *one = &f->fault[i];

		if (kinds[one->kind].ops || t < one->at_ns)
			continue;
		if (!one->begun) {
			one->begun = true;
			*value = one->for_ns;
			return one->kind == DISK_FAULT_CUT ? DISK_CUT
							   : DISK_STALL;
		}
		if (one->kind == DISK_FAULT_CUT && one->for_ns && !one->ended &&
		    t >= one->at_ns + one->for_ns) {
			one->ended = true;
			return DISK_BACK;
		}
	}
	return take_decay(f, t, value, bit);
}

uint64_t disk_faults_next(const struct disk_faults *f)
{
	uint64_t next = UINT64_MAX;

	for (unsigned i = 0; i < f->n; i++) {
		const struct disk_fault *one = &f->fault[i];
		uint64_t at = one->at_ns;

		if (kinds[one->kind].ops)
			continue;
		if (one->begun)
			at = one->kind == DISK_FAULT_CUT && one->for_ns &&
					     !one->ended
				     ? one->at_ns + one->for_ns
				     : UINT64_MAX;
		next = at < next ? at : next;
	}
	for (unsigned i = 0; i < f->n_decays; i++)
		if (f->decay[i].at_ns < next)
			next = f->decay[i].at_ns;
	return next;
}
