/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disk truth: sums, ring, and its lines. */
#include "disk/disk_truth.h"

#include <inttypes.h>

static uint64_t late_ns(const struct disk_truth *t)
{
	return t->answer_ns > t->end_ns ? t->answer_ns - t->end_ns : 0;
}

/*
 * Late by 5 % of its time, or of the mean over all requests where that is more, up
 * to 50 us: beside requests of 10 ms one from the cache needs no 15 us.
 */
static bool disk_truth_is_late(const struct disk_page *p,
			       const struct disk_truth *t)
{
	uint64_t least = p->time_ns / p->head.answers / DISK_LATE_PART;
	uint64_t late = late_ns(t);

	least = least < DISK_LATE_LEAST_NS ? DISK_LATE_LEAST_NS : least;
	least = least > DISK_LATE_MOST_NS ? DISK_LATE_MOST_NS : least;
	return late > least && late > (t->end_ns - t->arrival_ns) / DISK_LATE_PART;
}

void disk_truth_count(struct disk_page *p, struct disk_ring *r,
		      const struct disk_truth *t)
{
	uint64_t head, tail;

	p->requests[t->op]++;
	p->moved[t->op] += t->bytes;
	p->time_ns += t->end_ns - t->arrival_ns;
	p->head.answers++;
	p->head.late += disk_truth_is_late(p, t);
	p->errors += t->error != 0;
	for (unsigned i = 0; t->kinds >> i; i++)
		if (t->kinds >> i & 1)
			p->faults[i]++;
	p->time[t->op].bucket[histogram_index(t->end_ns - t->arrival_ns)]++;
	p->lateness.bucket[histogram_index(late_ns(t))]++;
	if (!r)
		return;
	head = atomic_load_explicit(&r->head, memory_order_relaxed);
	tail = atomic_load_explicit(&r->tail, memory_order_acquire);
	if (head - tail == DISK_RING) {
		r->lost++;
		return;
	}
	r->item[head % DISK_RING] = *t;
	atomic_store_explicit(&r->head, head + 1, memory_order_release);
}

uint64_t disk_truth_requests(const struct disk_page *p)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < DISK_OPS; i++)
		n += p->requests[i];
	return n;
}

double disk_truth_late_pct(const struct disk_page *p)
{
	uint64_t n = disk_truth_requests(p);

	return n ? 100.0 * (double)p->head.late / (double)n : 0;
}

static void disk_truth_print(FILE *f, const struct disk_truth *t)
{
	const char *help;

	fprintf(f,
		"{\"n\":%" PRIu64 ",\"op\":\"%s\",\"offset\":%" PRIu64
		",\"bytes\":%" PRIu64 ",\"arrival_ns\":%" PRIu64
		",\"start_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64
		",\"answer_ns\":%" PRIu64 ",\"late_ns\":%" PRIu64,
		t->number, disk_op_name(t->op), t->offset, t->bytes,
		t->arrival_ns, t->start_ns, t->end_ns, t->answer_ns,
		late_ns(t));
	if (t->hit)
		fputs(",\"hit\":true", f);
	if (t->error)
		fprintf(f, ",\"errno\":%u", t->error);
	for (unsigned i = 0, any = 0; i < DISK_FAULTS; i++)
		if (t->kinds >> i & 1)
			fprintf(f, "%s\"%s\"", any++ ? "," : ",\"fault\":[",
				disk_fault_name(i, &help));
	fputs(t->kinds ? "]}\n" : "}\n", f);
}

uint64_t disk_truth_drain(struct disk_ring *r, FILE *f)
{
	uint64_t tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
	uint64_t head = atomic_load_explicit(&r->head, memory_order_acquire);
	uint64_t n = head - tail;

	for (; tail != head; tail++)
		if (f)
			disk_truth_print(f, &r->item[tail % DISK_RING]);
	atomic_store_explicit(&r->tail, head, memory_order_release);
	return n;
}
