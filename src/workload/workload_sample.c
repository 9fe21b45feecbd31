/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Workload samples: copy the workers' counters into rows of a sample. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "model/schema/schema_job.h"
#include "workload/kind/kind.h"
#include "workload/thread/clones.h"

static void add_latency(struct job_latency_raw *to, struct histogram **h,
			uint64_t *ios, const struct latency_counters *from,
			struct arena *arena)
{
	uint64_t min_ns = counter_get(&from->min_ns);
	uint64_t max_ns = counter_get(&from->max_ns);

	if (min_ns == UINT64_MAX)
		return;
	if (!*h)
		*h = arena_zalloc(arena, sizeof(**h));
	for (unsigned i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t n = counter_get(&from->bucket[i]);

		(*h)->bucket[i] += n;
		*ios += n;
	}
	if (!to->hist || min_ns < to->min_ns)
		to->min_ns = min_ns;
	if (max_ns > to->max_ns)
		to->max_ns = max_ns;
	to->hist = *h;
}

/* The counters of the run, or those of the ramp before it. */
static const struct counters *counters_of(const struct worker *k, bool running)
{
	return running ? &k->run : &k->ramp;
}

/* The reads after the run, which verify counts where the ramp was. */
static void sample_read_back(struct job_op_raw *op, struct histogram **h,
			     const struct worker *k, struct arena *arena)
{
	const struct op_counters *from = &k->ramp.op[JOB_VERIFY];

	if (atomic_load_explicit(&k->phase, memory_order_acquire) <
	    PHASE_VERIFY)
		return;
	add_latency(&op->service, h, &op->ios, &from->service, arena);
	op->bytes += counter_get(&from->bytes);
}

static void sample_op(struct job_op_raw *op, const struct clones *c,
		      enum job_op which, bool running, struct arena *arena)
{
	struct histogram *service = NULL, *response = NULL, *submit = NULL;
	struct histogram *complete = NULL, *prio = NULL;
	uint64_t not_counted = 0;

	for (unsigned i = 0; i < c->n && which == JOB_VERIFY && running; i++)
		sample_read_back(op, &service, c->worker[i], arena);
	for (unsigned i = 0; i < c->n; i++) {
		const struct op_counters *from =
			&counters_of(c->worker[i], running)->op[which];

		add_latency(&op->service, &service, &op->ios, &from->service,
			    arena);
		add_latency(&op->response, &response, &not_counted,
			    &from->response, arena);
		if (!c->worker[i]->job->disable_slat)
			add_latency(&op->submit, &submit, &not_counted,
				    &from->submit, arena);
		if (!c->worker[i]->job->disable_clat) {
			add_latency(&op->complete, &complete, &not_counted,
				    &from->complete, arena);
			add_latency(&op->prio, &prio, &not_counted,
				    &from->prio, arena);
		}
		op->bytes += counter_get(&from->bytes);
		op->short_ios += counter_get(&from->short_ios);
	}
}

/*
 * CPU time of a thread, by its clock while it lives. After its end another
 * thread may get the number of the clock, so check for the end after the
 * reading.
 */
static uint64_t worker_cpu_ns(const struct worker *k)
{
	int clock = atomic_load(&k->cpu_clock);
	const uint64_t ns = clock ? clock_read_ns(clock) : 0;

	return atomic_load_explicit(&k->over, memory_order_acquire)
		       ? counter_get(&k->cpu_ns)
		       : ns;
}

/*
 * If the clones share a process, only the clock of the process is readable,
 * through its host, until all clones are over.
 */
static uint64_t job_cpu_ns(const struct clones *c)
{
	const struct worker *host = c->n ? c->worker[0] : NULL;
	int clock = c->n > 1 && c->worker[1]->host == host
			    ? atomic_load(&host->cpu_clock)
			    : 0;
	const uint64_t shared_ns = clock ? clock_read_ns(clock) : 0;
	uint64_t ns = 0;
	bool over = true;

	for (unsigned i = 0; i < c->n; i++) {
		over &= atomic_load_explicit(&c->worker[i]->over,
					     memory_order_acquire);
		ns += worker_cpu_ns(c->worker[i]);
	}
	return clock && !over ? shared_ns : ns;
}

/* Sums over the clones, from which progress is computed. */
struct sums {
	double layout, layout_total; /* bytes */
	double done;                 /* share of the limit */
	uint64_t run_start_ns;       /* of the last clone; 0: not all run yet */
	uint64_t run_end_ns;         /* of the last clone; 0: not all are
				        done */
};

/* The number of the operations that the clones' limit counts. */
static double op_ios(const struct clones *c, const struct job_raw *row)
{
	const unsigned ops = c->kind->limit_ops ? c->kind->limit_ops
						: ~(1u << JOB_SYNC | 1u << JOB_VERIFY);
	double n = 0;

	for (int i = 0; i < JOB_OPS; i++)
		n += ops & 1u << i ? (double)row->op[i].ios : 0;
	return n;
}

static double op_bytes(const struct job_raw *row)
{
	double n = 0;

	for (int i = 0; i < JOB_DIRS; i++)
		n += (double)row->op[i].bytes;
	return n;
}

static struct sums workload_sample_sum_up(const struct clones *c,
					  const struct job_raw *row)
{
	struct sums s = { 0 };
	double ios = 0, bytes = 0;
	bool ended = true;

	for (unsigned i = 0; i < c->n; i++) {
		const struct worker *k = c->worker[i];
		uint64_t start_ns = counter_get(&k->run_start_ns);
		uint64_t end_ns = counter_get(&k->run_end_at_ns);

		s.layout += (double)counter_get(&k->layout_bytes);
		s.layout_total += (double)k->layout_total_bytes;
		ios += k->limit_ios == UINT64_MAX ? INFINITY
						  : (double)k->limit_ios;
		bytes += k->limit_bytes == UINT64_MAX ? INFINITY
						      : (double)k->limit_bytes;
		if (start_ns > s.run_start_ns)
			s.run_start_ns = start_ns;
		if (end_ns > s.run_end_ns)
			s.run_end_ns = end_ns;
		ended &= end_ns != 0;
	}
	if (!ended)
		s.run_end_ns = 0;
	s.done = fmax(op_ios(c, row) / ios, op_bytes(row) / bytes);
	return s;
}

/*
 * Progress in per cent and the seconds that remain, from a share and the time
 * it took.
 */
static void set_progress(struct job_raw *row, double share, double seconds)
{
	if (share > 1)
		share = 1;
	row->progress_pct = share * 100;
	row->eta_s = share > 0 ? seconds * (1 - share) / share : NAN;
}

/* Progress by time or by I/O, whichever is greater. */
static void run_progress(struct job_raw *row, const struct clones *c,
			 uint64_t now_ns)
{
	const struct job *job = c->job;
	struct sums s = workload_sample_sum_up(c, row);
	uint64_t begin_ns = counter_get(&c->leader->shared->start.at_ns) +
			    job->startdelay_ns;
	double elapsed = now_ns > begin_ns ? (double)(now_ns - begin_ns) : 0;
	double total = (double)(job->ramp_ns + job->runtime_ns);
	double by_time = job->runtime_ns ? elapsed / total : 0;

	if (job->runtime_ns >= JOB_ENDLESS_NS) {
		row->progress_pct = NAN;
		return;
	}
	if (s.done > by_time && now_ns > s.run_start_ns)
		set_progress(row, s.done,
			     (double)(now_ns - s.run_start_ns) / 1e9);
	else
		set_progress(row, by_time, elapsed / 1e9);
}

/*
 * Progress of bytes that the clones count in this member, of one pass over
 * their regions or of so many bytes; unknown with 0.
 */
static void pass_progress(struct job_raw *row, const struct clones *c,
			  size_t member, double most)
{
	double done = 0, total = 0;

	for (unsigned i = 0; i < c->n; i++) {
		const struct worker *k = c->worker[i];

		done += (double)counter_get(
			(const _Atomic uint64_t *)(const void *)((const char *)k +
								 member));
		total += (double)k->pass_bytes;
	}
	total = fmin(total, most);
	if (total > 0)
		row->progress_pct = fmin(100, done / total * 100);
}

static void progress(struct job_raw *row, const struct workload *w,
		     const struct clones *c, enum phase phase, uint64_t now_ns)
{
	struct sums s;

	row->progress_pct = 0;
	row->eta_s = NAN;
	switch (phase) {
	case PHASE_LAYOUT:
		s = workload_sample_sum_up(c, row);
		if (s.layout_total > 0)
			set_progress(row, s.layout / s.layout_total,
				     (double)(now_ns - w->begin_ns) / 1e9);
		break;
	case PHASE_INVALIDATE:
		pass_progress(row, c, offsetof(struct worker, invalidate_bytes),
			      INFINITY);
		break;
	case PHASE_RAMP:
	case PHASE_RUN:
		run_progress(row, c, now_ns);
		break;
	case PHASE_VERIFY:
		/* Each block that was written at most once is read once. */
		pass_progress(row, c, offsetof(struct worker, verify_bytes),
			      (double)row->op[JOB_WRITE].bytes);
		break;
	case PHASE_DONE:
		/* A job that was stopped early shows no full progress. */
		row->progress_pct = atomic_load(&c->shared->stop) &&
						    !c->steady.result.attained
					    ? NAN
					    : 100;
		row->eta_s = 0;
		break;
	default:
		break;
	}
}

static void add_verified(struct job_raw *row, const struct worker *k,
			 uint64_t now_ns)
{
	uint64_t start_ns = counter_get(&k->verify_start_ns);
	uint64_t end_ns = counter_get(&k->verify_end_ns), ns;

	for (int i = 0; i < DAMAGE_UNFLUSHED; i++) {
		uint64_t n = counter_get(&k->verify_found[i]);

		row->verify_blocks += n;
		row->verify_bad += i ? n : 0;
	}
	if (!start_ns)
		return;
	ns = (end_ns ? end_ns : now_ns) - start_ns;
	if (ns > row->verify_ns)
		row->verify_ns = ns;
}

/* "zero:3 torn:1"; NULL: all blocks are good. */
static const char *workload_sample_found_words(const struct clones *c,
					       struct arena *arena)
{
	const char *words = NULL;

	for (int i = DAMAGE_NONE + 1; i < DAMAGES; i++) {
		uint64_t n = 0;

		for (unsigned k = 0; k < c->n; k++)
			n += counter_get(&c->worker[k]->verify_found[i]);
		if (n)
			words = arena_printf(arena, "%s%s%s:%llu",
					     words ? words : "",
					     words ? " " : "",
					     verify_damage_names[i],
					     (unsigned long long)n);
	}
	return words;
}

static void add_worker(struct job_raw *row, const struct worker *k)
{
	const struct counters *from = counters_of(k, row->running);

	row->errors +=
		counter_get(&k->ramp.errors) + counter_get(&k->run.errors);
	row->late += counter_get(&from->late);
	for (int i = 0; i < JOB_DEPTHS; i++)
		row->depth[i] += counter_get(&from->depth[i]);
	for (int i = 0; i < JOB_BATCHES; i++) {
		row->submits[i] += counter_get(&from->submits[i]);
		row->reaps[i] += counter_get(&from->reaps[i]);
	}
	row->in_flight +=
		atomic_load_explicit(&k->in_flight_now, memory_order_relaxed);
	row->cpu_ns += counter_get(&k->children_ns);
	if (atomic_load(&k->exit_status) > row->exit_status)
		row->exit_status = atomic_load(&k->exit_status);
	if (!atomic_load_explicit(&k->over, memory_order_acquire))
		return;
	process_usage_add(&row->usage, NULL, &k->usage);
}

/*
 * Set the time from the start of the first clone to the end of the last one, or
 * to now.
 */
static void set_run_ns(struct job_raw *row, const struct clones *c,
		       uint64_t now_ns)
{
	uint64_t start_ns = UINT64_MAX, end_ns = 0;
	bool ended = true;

	for (unsigned i = 0; i < c->n; i++) {
		const struct worker *k = c->worker[i];
		uint64_t start = counter_get(&k->run_start_ns);
		uint64_t end = counter_get(&k->run_end_at_ns);

		if (start && start < start_ns)
			start_ns = start;
		if (end > end_ns)
			end_ns = end;
		/* A worker that could not begin has no end either. */
		ended &= end != 0 || atomic_load(&k->over);
	}
	if (!ended)
		end_ns = now_ns;
	row->run_ns = end_ns > start_ns ? end_ns - start_ns : 0;
}

/* "tps=1200 lat_ns=830000" */
static void told_row(const struct clones_told *t, struct job_raw *row,
		     struct arena *arena)
{
	row->n_told = t->n;
	for (unsigned i = 0; i < t->n; i++) {
		row->told_value[i] = t->of[i].value;
		row->told = arena_printf(arena, "%s%s%s=%.6g",
					 i ? row->told : "", i ? " " : "",
					 t->of[i].name, t->of[i].value);
	}
}

/* The row of a job, or of one of its clones. */
static void workload_sample_add_row(const struct workload *w,
				    const struct clones *c,
				    enum schema_id schema, const char *id,
				    struct sample *s)
{
	uint64_t now_ns = s->mono_ns ? s->mono_ns : clock_mono_ns();
	struct job_raw *row = sample_add(s, schema);
	enum phase phase = clones_phase(c);

	text_set(row->key.id, id);
	row->cell = &c->job->cell;
	row->running = phase >= PHASE_RUN;
	row->exit_status = -1;
	row->ops = c->kind->ops;
	if (c->worker[0]->verifies)
		row->ops |= 1u << JOB_VERIFY;
	for (int op = 0; op < JOB_OPS; op++)
		sample_op(&row->op[op], c, (enum job_op)op, row->running,
			  &s->arena);
	row->cpu_ns = job_cpu_ns(c);
	for (unsigned j = 0; j < c->n; j++) {
		add_worker(row, c->worker[j]);
		add_verified(row, c->worker[j], now_ns);
	}
	row->verify_found = workload_sample_found_words(c, &s->arena);
	if (row->errors)
		row->errors_by = clones_errors_by(c, &s->arena);
	set_run_ns(row, c, now_ns);
	text_set(row->device, c->device);
	row->set_bytes = c->set_bytes ? (int64_t)c->set_bytes : -1;
	row->hole_bytes = c->hole_bytes ? (int64_t)c->hole_bytes : -1;
	row->group = c->group;
	row->group_reporting = c->job->group_reporting;
	if (schema == SCHEMA_JOB)
		told_row(&c->newest, row, &s->arena);
	row->phase = phase;
	progress(row, w, c, phase, now_ns);
	if (schema == SCHEMA_CLONE)
		return;
	c->kind->describe(c, row->loop, sizeof(row->loop));
	clones_steady_row(&c->steady, &row->steady, phase == PHASE_DONE,
			  &s->arena);
}

/*
 * Whether each clone gets a row. As in fio, that is so without group_reporting.
 * An experiment compares jobs only, and a name without room for a number could
 * stand for two clones.
 */
static bool has_clones(const struct clones *c)
{
	return c->n > 1 && !c->job->group_reporting &&
	       !point_cell_any(&c->job->cell) &&
	       strlen(job_id(c->job)) <= JOB_CLONE_NAME_MAX;
}

/*
 * Add a row per clone. If the clones share a process, their CPU times are
 * unknown.
 */
static void workload_sample_add_clones(const struct workload *w,
				       const struct clones *c, struct sample *s)
{
	const bool shared = c->worker[1]->host == c->worker[0];

	for (unsigned i = 0; i < c->n; i++) {
		struct clones one = *c;
		char id[ROW_ID_MAX];
		struct job_raw *row;

		one.worker = &c->worker[i];
		one.n = 1;
		JOB_CLONE_ID(id, job_id(c->job), i);
		workload_sample_add_row(w, &one, SCHEMA_CLONE, id, s);
		row = sample_row(s, SCHEMA_CLONE, s->table[SCHEMA_CLONE].n - 1);
		if (shared)
			row->cpu_ns = UINT64_MAX;
	}
}

void workload_sample(struct workload *w, struct sample *s)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct clones *c = &w->clones[i];

		workload_sample_add_row(w, c, SCHEMA_JOB, job_id(c->job), s);
		if (has_clones(c))
			workload_sample_add_clones(w, c, s);
	}
}
