/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweep cell: steps of a run. */
#include "cmd/sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "block/mounts.h"
#include "cmd/privilege.h"
#include "collect/collect.h"
#include "workload/kind/kind.h"

#define POLL_NS   10000000 /* while a step is waited for */
#define IDLE_S    1.0      /* without I/O before a run begins ... */
#define IDLE_FS_S 5.0      /* ... on a file system, which writes late */
#define SENSOR_NS 3000000000u /* until the first reading of a sensor */

/* Results of a step's begin(), beside -errno with a sentence. */
enum { STEP_DONE, STEP_WAIT, STEP_NONE };

struct step {
	const char *name;
	/* NULL: an order of the hand, where it is needed. */
	int (*begin)(struct session *s, struct sweep *sw);
	enum sweep_hand_order order;
	/* 0: over; 1: not yet; -errno with a sentence. NULL: jobs end it. */
	int (*poll)(struct session *s, struct sweep *sw);
	bool always; /* also after a failure */
	bool idle;   /* counts the time without I/O on the device */
	bool back;   /* then back to the step before: the next job is measured */
};

/* --- steps --- */

/* Write the attempt to the disk before anything else, so that a run that
 * crashes the machine is not tried for ever. */
static int begin_claim(struct session *s, struct sweep *sw)
{
	struct sweep_run *run =
		sweep_order_add(&sw->runs, sw->next.block, sw->next.variant);
	struct event e = { .kind = EVENT_ATTEMPT, .cell = sw->cell };
	struct json *j;

	run->attempts++;
	*run->invalid = '\0';
	text_copy(run->boot, sizeof(run->boot), sw->boot);
	text_copy(run->kernel, sizeof(run->kernel), sw->kernel);
	run->began_s = clock_wall_ns() / NS_PER_S;
	j = sweep_result_record(sw, run->attempts);
	json_put_number(j, "t", session_now_s(s));
	json_put_number(j, "time_s", (double)run->began_s);
	session_record_synced(s, "attempt", j);
	e.number = run->attempts;
	session_add_event(s, &e);
	return STEP_NONE;
}

static int begin_knobs(struct session *s, struct sweep *sw)
{
	struct knob_wish *wish = NULL;
	struct sweep_setting set;
	size_t n = 0, cap = 0;

	for (size_t a = 0; a < sw->plan.n_axes; a++) {
		const struct sweep_axis *axis = &sw->plan.axis[a];
		const char *value =
			sweep_plan_value(&sw->plan, sw->next.variant, a);

		for (size_t k = 0; axis->kind == SWEEP_KNOB &&
				   sweep_plan_setting(axis, value, k, &set);
		     k++)
			*xadd(wish, n, cap) =
				knob_control_wish(sweep_device(sw, axis),
						  set.knob, set.value, BY_NONE);
	}
	sw->knobs_over = false;
	if (n)
		session_set_knobs(s, wish, n);
	free(wish);
	return n ? STEP_WAIT : STEP_NONE;
}

static int poll_knobs(struct session *s, struct sweep *sw)
{
	if (!sw->knobs_over)
		return 1;
	return *sw->failed ? fail(EIO, "%s", strdupa(sw->failed)) : 0;
}

static int sweep_cell_waits(int err)
{
	return err < 0 ? err : STEP_WAIT;
}

/* Begin an order of the hand, which has root's rights. */
static int begin_order(struct sweep *sw, enum sweep_hand_order order)
{
	return sweep_cell_waits(
		sweep_hand_begin(&sw->hand, order, sw->next.variant));
}

/* A step that is an order, where the plan or the stage asks for it. */
static int begin_if_needed(struct sweep *sw, enum sweep_hand_order order)
{
	const bool needed[] = {
		[HAND_PRECONDITION] = sw->plan.precondition != 0,
		[HAND_MKFS] = sweep_plan_axis(&sw->plan, SWEEP_FS),
		[HAND_MOUNT] = sweep_plan_axis(&sw->plan, SWEEP_FS),
		[HAND_UMOUNT] = *sw->stage.mount,
	};

	return needed[order] ? begin_order(sw, order) : STEP_NONE;
}

static int poll_order(struct session *s, struct sweep *sw)
{
	return sweep_hand_poll(&sw->hand);
}

/* --- before the jobs --- */

/* The words of what was done, for the step's event. */
static int poll_mkfs(struct session *s, struct sweep *sw)
{
	int rc = poll_order(s, sw);

	if (!rc)
		text_set(sw->step_words, sw->stage.made);
	return rc;
}

/* Store the options of the mount as the kernel lists them: it changes some and
 * adds its own. */
static int poll_mount(struct session *s, struct sweep *sw)
{
	int rc = poll_order(s, sw);
	struct mounts *mounts = rc ? NULL : mounts_read(&s->root);
	const struct mount *m =
		mounts ? mounts_of_path(mounts, SWEEP_STAGE_PLACE) : NULL;

	if (m && !strcmp(m->point, SWEEP_STAGE_PLACE)) {
		text_copy(sw->mounted, sizeof(sw->mounted), m->options);
		text_clean(sw->mounted);
		text_copy(sw->step_words, sizeof(sw->step_words), sw->mounted);
	}
	mounts_free(mounts);
	return rc;
}

/* The file system that the run uses, or NULL. */
static const char *sweep_cell_place_of(const struct sweep *sw)
{
	if (*sw->stage.mount)
		return sw->stage.mount;
	for (size_t i = 0; i < sw->settings->n_jobs; i++) {
		const struct job *job = &sw->settings->job[i];

		if (job->directory)
			return job->directory;
		if (job->filename && access(job->filename, F_OK) == 0)
			return job->filename;
	}
	return NULL;
}

/* Write back the data of the last run before this one begins. --dirty waits for
 * data of other programs, too. */
static int begin_writeback(struct session *s, struct sweep *sw)
{
	double dirty = collect_dirty_bytes(&s->root);

	if (!sw->plan.dirty_bytes || !sw->plan.settle_ns ||
	    !(dirty > (double)sw->plan.dirty_bytes))
		return STEP_NONE;
	if (sweep_cell_place_of(sw))
		return sweep_cell_waits(
			sweep_stage_sync(&sw->stage, sweep_cell_place_of(sw)));
	return sw->plan.waits_dirty ? STEP_WAIT : STEP_NONE;
}

static int poll_writeback(struct session *s, struct sweep *sw)
{
	double dirty = collect_dirty_bytes(&s->root);
	bool over = clock_mono_ns() - sw->step_ns >= sw->plan.settle_ns;
	int rc = sweep_stage_poll(&sw->stage);

	if (rc || !sw->plan.waits_dirty ||
	    !(dirty > (double)sw->plan.dirty_bytes))
		return rc;
	if (over)
		snprintf(sw->step_words, sizeof(sw->step_words),
			 "not settled: %s are dirty or in writeback",
			 units_bytes(dirty).text);
	return !over;
}

static int begin_cold(struct session *s, struct sweep *sw)
{
	switch (sw->plan.cold) {
	case SWEEP_DROP:
		return begin_order(sw, HAND_DROP);
	case SWEEP_REMOUNT:
		return begin_order(sw, HAND_UMOUNT);
	default:
		return STEP_NONE;
	}
}

/* Mount again after an unmount. */
static int poll_mount_again(struct session *s, struct sweep *sw)
{
	int rc = sweep_hand_poll(&sw->hand);

	if (rc || *sw->stage.mount)
		return rc;
	rc = sweep_hand_begin(&sw->hand, HAND_MOUNT, sw->next.variant);
	return rc < 0 ? rc : 1;
}

static int poll_cold(struct session *s, struct sweep *sw)
{
	return sw->plan.cold == SWEEP_REMOUNT ? poll_mount_again(s, sw)
					      : poll_order(s, sw);
}

/* Whether the disk is too hot; after --resume its sensor is not read yet. */
static bool may_be_hot(const struct sweep *sw, uint64_t waited_ns)
{
	if (isnan(sw->disk_c) && !isnan(sw->audit.first_c) &&
	    sw->audit.what & SWEEP_AUDIT_TEMPERATURE)
		return waited_ns < SENSOR_NS;
	return sweep_audit_is_hot(&sw->audit, sw->disk_c);
}

static int begin_settle(struct session *s, struct sweep *sw)
{
	sw->idle_s = 0;
	return sw->plan.settle_ns &&
			       (sweep_device(sw, NULL) || may_be_hot(sw, 0))
		       ? STEP_WAIT
		       : STEP_NONE;
}

/* A device that is not idle in time is not a failure; the event says so. */
static int poll_settle(struct session *s, struct sweep *sw)
{
	double want = !sweep_device(sw, NULL) ? 0
		      : *sw->stage.mount      ? IDLE_FS_S
					      : IDLE_S;
	uint64_t waited_ns = clock_mono_ns() - sw->step_ns;
	bool hot = may_be_hot(sw, waited_ns);

	if ((sw->idle_s < want || hot) && waited_ns < sw->plan.settle_ns)
		return 1;
	if (sw->idle_s < fmin(want, IDLE_S))
		text_copy(sw->step_words, sizeof(sw->step_words), "not settled");
	else if (hot && !isnan(sw->disk_c))
		snprintf(sw->step_words, sizeof(sw->step_words),
			 "not settled: %.0f C, the first run began at %.0f C",
			 sw->disk_c, sw->audit.first_c);
	return 0;
}

static bool is_remounted(const struct sweep *sw, const struct job *job)
{
	return text_is_of(job->name,
			  (const char *const *)sw->plan.remount->word,
			  sw->plan.remount->n);
}

/* Keep only the jobs of this part: from from_job to the next --remount. */
static void take_part(struct sweep *sw, struct job_request *r)
{
	size_t to = sw->from_job + 1, n = 0;

	sw->n_jobs = r->n_jobs;
	while (to < r->n_jobs && !is_remounted(sw, &r->job[to]))
		to++;
	for (size_t i = 0; i < r->n_jobs; i++)
		if (i >= sw->from_job && i < to)
			r->job[n++] = r->job[i];
		else
			job_free(&r->job[i]);
	r->n_jobs = n;
	sw->from_job = to;
}

/* Make the jobs of the run, and check what they read and run. */
static int sweep_cell_make_request(struct sweep *sw, struct job_request *r)
{
	int err;

	/* A job file may have changed since the start: open it as the caller.
	 */
	privilege_lower();
	err = sweep_jobs_make(sw, sw->next.variant, sw->next.block, &r->job,
			      &r->n_jobs);
	privilege_raise();
	if (err < 0)
		return err;
	if (privilege_by_sudo())
		err = privilege_check_files(r->job, r->n_jobs);
	if (!err && privilege_by_sudo())
		err = privilege_check_commands(r->job, r->n_jobs);
	if (err < 0)
		sweep_jobs_free(r->job, r->n_jobs);
	return err;
}

/* --cold=remount: make the files, so that they can be read after a mount. */
static int begin_layout(struct session *s, struct sweep *sw)
{
	struct job_request request = { .owned = true, .allowed = &sw->allowed };
	const struct work_kind *kind;
	size_t n = 0;
	int err;

	if (sw->plan.cold != SWEEP_REMOUNT)
		return STEP_NONE;
	err = sweep_cell_make_request(sw, &request);
	if (err < 0)
		return err;
	for (size_t i = 0; i < request.n_jobs; i++)
		if (kind_find(&request.job[i], &kind) == 0 &&
		    kind_reads(kind, "create_only")) {
			request.job[i].create_only = true;
			request.job[n++] = request.job[i];
		} else {
			job_free(&request.job[i]);
		}
	request.n_jobs = n;
	if (!n) {
		free(request.job);
		return STEP_NONE;
	}
	sw->measured = false;
	err = session_start_jobs(s, &request, &sw->set);
	return err < 0 ? err : STEP_WAIT;
}

static int poll_layout(struct session *s, struct sweep *sw)
{
	int err;

	if (!sw->measured)
		return 1;
	err = session_forget_jobs(s, sw->set);
	sw->set = NULL;
	return err;
}

static int begin_measure(struct session *s, struct sweep *sw)
{
	struct job_request request = { .owned = true, .allowed = &sw->allowed };
	int err = sweep_cell_make_request(sw, &request);

	if (err < 0)
		return err;
	if (!sw->from_job) {
		memset(&sw->window, 0, sizeof(sw->window));
		checks_free(&sw->checks);
	}
	take_part(sw, &request);
	sw->measured = false;
	err = session_start_jobs(s, &request, &sw->set);
	if (err < 0)
		return err;
	sw->measuring = true;
	return STEP_WAIT;
}

/* The jobs of a part are over: keep their names, and close their files. */
static int end_part(struct session *s, struct sweep *sw)
{
	int err;

	if (!sw->set)
		return 0;
	sw->ran = xrealloc(sw->ran,
			   (sw->n_ran + sw->set->n_jobs) * sizeof(*sw->ran));
	for (size_t i = 0; i < sw->set->n_jobs; i++)
		job_copy(&sw->ran[sw->n_ran++], &sw->set->job[i]);
	err = session_forget_jobs(s, sw->set);
	sw->set = NULL;
	return err;
}

/* --remount: the next part of the jobs reads what the device holds. */
static int begin_remount(struct session *s, struct sweep *sw)
{
	int err;

	if (sw->from_job >= sw->n_jobs)
		return STEP_NONE;
	/* Its sentence says why the jobs cannot be ended. */
	err = end_part(s, sw);
	return err < 0 ? err : begin_order(sw, HAND_UMOUNT);
}

/* --- after the jobs --- */

/* A run that is fast because much is dirty at its end pays here. */
static int begin_end_sync(struct session *s, struct sweep *sw)
{
	if (!(sweep_result_written(sw) > 0) || !sweep_cell_place_of(sw))
		return STEP_NONE;
	return sweep_cell_waits(
		sweep_stage_sync(&sw->stage, sweep_cell_place_of(sw)));
}

static int poll_end_sync(struct session *s, struct sweep *sw)
{
	int rc = sweep_stage_poll(&sw->stage);

	if (!rc)
		sw->end_sync_ns = (double)(clock_mono_ns() - sw->step_ns);
	return rc;
}

static int begin_extents(struct session *s, struct sweep *sw)
{
	const struct job *job = sw->set ? sw->set->job : sw->ran;
	size_t n = sw->set ? sw->set->n_jobs : sw->n_ran;
	bool any;

	/* Open files of the caller as the caller. */
	if (!*sw->stage.mount)
		privilege_lower();
	any = sweep_audit_extents(&sw->audit, sw->stage.mount, job, n,
				  sw->step_words, sizeof(sw->step_words));
	if (!*sw->stage.mount)
		privilege_raise();
	return any ? STEP_DONE : STEP_NONE;
}

static int begin_temperature(struct session *s, struct sweep *sw)
{
	return sweep_audit_temperature(&sw->audit, &s->root, sw->step_words,
				       sizeof(sw->step_words))
		       ? STEP_DONE
		       : STEP_NONE;
}

static int begin_smart(struct sweep *sw, unsigned when)
{
	if (sweep_audit_smart_begin(&sw->audit, when, sw->step_words,
				    sizeof(sw->step_words)))
		return STEP_WAIT;
	return *sw->step_words ? STEP_DONE : STEP_NONE;
}

static int begin_smart_before(struct session *s, struct sweep *sw)
{
	return begin_smart(sw, 0);
}

static int begin_smart_after(struct session *s, struct sweep *sw)
{
	return begin_smart(sw, 1);
}

static int poll_smart(struct session *s, struct sweep *sw)
{
	return sweep_audit_smart_poll(&sw->audit, clock_mono_ns() - sw->step_ns,
				      sw->step_words, sizeof(sw->step_words));
}

static int begin_kernel_log(struct session *s, struct sweep *sw)
{
	return sweep_audit_kernel(&sw->audit, sweep_device(sw, NULL),
				  sw->step_words, sizeof(sw->step_words))
		       ? STEP_DONE
		       : STEP_NONE;
}

static int begin_collect(struct session *s, struct sweep *sw)
{
	uint64_t took_ns = clock_mono_ns() - sw->cell_ns;

	if (end_part(s, sw) < 0 && !*sw->failed)
		text_copy(sw->failed, sizeof(sw->failed), fail_sentence());
	sweep_result_take(s, sw, took_ns);
	return STEP_NONE;
}

static int begin_restore(struct session *s, struct sweep *sw)
{
	if (!sweep_plan_axis(&sw->plan, SWEEP_KNOB) || !s->knobs.n_turned)
		return STEP_NONE;
	return sweep_cell_waits(knob_control_reset(&s->knobs, "", BY_RESTORE));
}

static int poll_restore(struct session *s, struct sweep *sw)
{
	return knob_control_pending(&s->knobs, NULL) || s->knobs.n_reset;
}

static const struct step steps[] = {
	{ "claim", .begin = begin_claim },
	{ "precondition", .order = HAND_PRECONDITION, .poll = poll_order },
	{ "knobs", begin_knobs, .poll = poll_knobs },
	{ "mkfs", .order = HAND_MKFS, .poll = poll_mkfs },
	{ "mount", .order = HAND_MOUNT, .poll = poll_mount },
	{ "layout", begin_layout, .poll = poll_layout },
	{ "writeback", begin_writeback, .poll = poll_writeback },
	{ "cold", begin_cold, .poll = poll_cold },
	{ "settle", begin_settle, .poll = poll_settle, .idle = true },
	{ "smart before", begin_smart_before, .poll = poll_smart },
	{ "measure", .begin = begin_measure },
	{ "remount", begin_remount, .poll = poll_mount_again, .back = true },
	{ "end sync", begin_end_sync, .poll = poll_end_sync },
	{ "smart after", begin_smart_after, .poll = poll_smart },
	{ "extents", .begin = begin_extents },
	{ "temperature", .begin = begin_temperature },
	{ "kernel log", .begin = begin_kernel_log, .always = true },
	{ "collect", .begin = begin_collect, .always = true },
	{ "umount", .order = HAND_UMOUNT, .poll = poll_order, .always = true },
	{ "restore", begin_restore, .poll = poll_restore, .always = true },
};

/* --- from step to step --- */

/* "knobs ok 0.1 s, cold ok 0.3 s": for the screen. */
static void keep_step(struct sweep_matrix *m, const struct event *e)
{
	text_join(m->steps, sizeof(m->steps), ", ", "%s %s %.1f s", e->name,
		  e->error                     ? "FAILED"
		  : !strncmp(e->text, "ok", 2) ? "ok"
					       : e->text,
		  (double)e->took_ns / 1e9);
}

static void step_event(struct session *s, struct sweep *sw, int err)
{
	struct event e = { .kind = EVENT_STEP, .cell = sw->cell };

	text_copy(e.name, sizeof(e.name), steps[sw->step].name);
	e.took_ns = (int64_t)(clock_mono_ns() - sw->step_ns);
	e.error = err < 0 ? -err : 0;
	if (err < 0)
		text_copy(e.text, sizeof(e.text), fail_sentence());
	else if (!strncmp(sw->step_words, "not ", 4))
		text_copy(e.text, sizeof(e.text), sw->step_words);
	else
		snprintf(e.text, sizeof(e.text), "ok, %.3f s%s%s",
			 (double)e.took_ns / 1e9, *sw->step_words ? ": " : "",
			 sw->step_words);
	session_add_event(s, &e);
	keep_step(&sw->matrix, &e);
}

/* End a step and choose the next; after a failure, one that always runs. */
static void step_over(struct session *s, struct sweep *sw, int err)
{
	if (err != STEP_NONE)
		step_event(s, sw, err);
	if (err < 0 && !*sw->failed)
		snprintf(sw->failed, sizeof(sw->failed), "%.40s: %.150s",
			 steps[sw->step].name, fail_sentence());
	sw->waiting = false;
	if (!err && steps[sw->step].back && !*sw->failed && !sw->skip) {
		sw->step--;
		return;
	}
	do
		sw->step++;
	while (sw->step < ARRAY_SIZE(steps) && !steps[sw->step].always &&
	       (*sw->failed || sw->skip));
}

void sweep_cell_go_on(struct session *s, struct sweep *sw)
{
	while (sw->in_cell && sw->step < ARRAY_SIZE(steps)) {
		const struct step *step = &steps[sw->step];
		int rc;

		if (sw->waiting) {
			rc = step->poll ? step->poll(s, sw) : !sw->measured;
			if (rc > 0)
				break;
			step_over(s, sw, rc);
			continue;
		}
		sw->step_ns = clock_mono_ns();
		sw->step_name = step->name;
		*sw->step_words = '\0';
		rc = step->begin ? step->begin(s, sw)
				 : begin_if_needed(sw, step->order);
		sw->waiting = rc == STEP_WAIT;
		if (!sw->waiting)
			step_over(s, sw, rc);
	}
	if (sw->in_cell && sw->step == ARRAY_SIZE(steps))
		sw->in_cell = false;
	else if (sw->in_cell)
		session_wake_at(s, clock_mono_ns() + POLL_NS);
}

void sweep_cell_begin(struct session *s, struct sweep *sw)
{
	memset(&sw->cell, 0, sizeof(sw->cell));
	sweep_plan_point(&sw->plan, sw->next.variant, &sw->cell.point);
	sw->cell.block = sw->next.block;
	sw->cell.run = (unsigned)sweep_finished(sw) + 1;
	sw->step = 0;
	sw->in_cell = true;
	sw->matrix.steps[0] = '\0';
	sw->matrix.n_rates = 0;
	sw->from_job = sw->n_jobs = 0;
	sw->waiting = sw->measuring = sw->measured = sw->skip = false;
	*sw->failed = *sw->mounted = '\0';
	sw->end_sync_ns = NAN;
	sweep_audit_begin(&sw->audit, &s->root);
	sw->cell_ns = clock_mono_ns();
	sweep_cell_go_on(s, sw);
}

/* The sum of a device's rates in a frame; 0 when the device is absent. */
static double io_of(const struct frame *f, const char *device)
{
	static const char *const keys[] = { "read_iops", "write_iops",
					    "discard_iops", "flush_iops" };
	const struct row *row = frame_find(f, SCHEMA_DEVICE, device);
	double sum = 0;

	for (size_t i = 0; row && i < ARRAY_SIZE(keys); i++) {
		double value = row_number(SCHEMA_DEVICE, row, keys[i]);

		sum += isnan(value) ? 0 : value;
	}
	return sum;
}

/* The rate of all jobs and their worst p99, for the screen. */
static void keep_rate(struct sweep_matrix *m, const struct frame *f)
{
	static const char *const keys[] = { "read_p99_ns", "write_p99_ns",
					    "read_response_p99_ns",
					    "write_response_p99_ns",
					    "sync_p99_ns" };

	if (m->n_rates == SWEEP_MATRIX_RATES)
		memmove(m->rate, m->rate + 1,
			--m->n_rates * sizeof(m->rate[0]));
	m->rate[m->n_rates++] = frame_jobs_iops(f);
	m->p99_ns = 0;
	for (size_t i = 0; i < f->table[SCHEMA_JOB].n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(keys); k++)
			m->p99_ns = fmax(m->p99_ns,
					 row_number(SCHEMA_JOB,
						    &f->table[SCHEMA_JOB].row[i],
						    keys[k]));
}

/* NaN: not known. */
static double temperature_of(const struct frame *f, const char *device)
{
	return row_number(SCHEMA_DEVICE, frame_find(f, SCHEMA_DEVICE, device),
			  "temperature_c");
}

void sweep_cell_frame(struct session *s, struct sweep *sw,
		      const struct frame *f)
{
	const char *device = sweep_device(sw, NULL);
	double c = device ? temperature_of(f, device) : NAN;

	/* The hottest of the disks under the jobs. */
	for (size_t i = 0; i < sw->audit.smart.n; i++)
		c = fmax(c, temperature_of(f, sw->audit.smart.disk[i].name));

	if (!isnan(c))
		sw->disk_c = c;
	if (sw->measuring) {
		digest_take(&sw->digest, f);
		window_add(&sw->window, &sw->digest);
		checks_add(&sw->checks, &sw->digest);
		sweep_audit_frame(&sw->audit, c);
		keep_rate(&sw->matrix, f);
	}
	if (sw->in_cell && sw->waiting && device && steps[sw->step].idle)
		sw->idle_s =
			io_of(f, device) > 0 ? 0 : sw->idle_s + f->interval_s;
}

void sweep_cell_jobs_over(struct session *s, struct sweep *sw,
			  struct job_set *set)
{
	if (set != sw->set)
		return;
	sw->measuring = false;
	sw->measured = true;
	sweep_cell_go_on(s, sw);
}

void sweep_cell_abort(struct session *s, struct sweep *sw)
{
	struct sweep_run *run =
		sweep_order_run(&sw->runs, sw->next.block, sw->next.variant);

	if (sw->in_cell && run && run->state == SWEEP_OPEN)
		sweep_result_abort(s, sw, run);
	sweep_result_forget(sw);
	sw->in_cell = false;
}
