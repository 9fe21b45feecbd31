/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweep: makes one run after the other, until the plan, a limit or the operator
 * ends the sweep; makes the jobs of a run, with the values of its variant.
 */
#include "cmd/sweep/sweep.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "block/sysfs.h"
#include "cmd/command.h"
#include "cmd/privilege.h"
#include "cmd/run/jobs.h"
#include "workload/jobfile/jobfile.h"
#include "workload/kind/kind.h"
#include "workload/target/target.h"

const char *sweep_device(const struct sweep *sw, const struct sweep_axis *a)
{
	if (a && *a->device)
		return a->device;
	if (a && a->kind == SWEEP_KNOB && knob_find(a->name) &&
	    knob_find(a->name)->host)
		return knob_find(a->name)->host;
	if (*sw->plan.device)
		return sw->plan.device;
	return *sw->stage.disk ? sw->stage.disk : NULL;
}

size_t sweep_finished(const struct sweep *sw)
{
	size_t n = 0;

	for (size_t i = 0; i < sw->runs.n; i++)
		n += sw->runs.run[i].state != SWEEP_OPEN;
	return n;
}

/* The sum of a member of the finished runs, at an offset, and their number. */
static double sweep_sum_of(const struct sweep *sw, size_t offset, size_t *n)
{
	double sum = 0;

	*n = 0;
	for (size_t i = 0; i < sw->runs.n; i++) {
		const struct sweep_run *run = &sw->runs.run[i];

		if (run->state != SWEEP_DONE)
			continue;
		sum += *(const double *)((const char *)run + offset);
		++*n;
	}
	return sum;
}

double sweep_estimate_s(const struct sweep *sw)
{
	size_t n;
	const double sum =
		sweep_sum_of(sw, offsetof(struct sweep_run, seconds), &n);

	/* About a second to turn knobs, and one of rest. */
	return n ? sum / (double)n : sw->plan.job_s + 2;
}

double sweep_estimate_bytes(const struct sweep *sw)
{
	size_t n;
	const double sum = sweep_sum_of(
		sw, offsetof(struct sweep_run, written_bytes), &n);

	return n ? sum / (double)n : NAN;
}

/* --- the end --- */

void sweep_resume_words(const struct sweep *sw, char *buf, size_t size)
{
	bool runs_program = false;
	struct job *job;
	size_t n;

	snprintf(buf, size, "%s", sw->log);
	for (size_t a = 0; a < sw->plan.n_axes; a++) {
		const struct sweep_axis *axis = &sw->plan.axis[a];
		const char *device = sweep_device(sw, axis);

		if (axis->kind == SWEEP_KNOB && device &&
		    device != sw->stage.disk)
			text_add(buf, size, " --allow-knob=%s.%s", device,
				 axis->name);
	}
	if (sweep_jobs_make(sw, 0, 1, &job, &n) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		runs_program |= kind_runs_program(&job[i]);
	sweep_jobs_free(job, n);
	if (runs_program)
		text_add(buf, size, " --allow-exec");
}

static void sweep_end_words(struct sweep *sw, const char *why)
{
	char log[PATH_MAX + 300];

	sweep_resume_words(sw, log, sizeof(log));
	snprintf(sw->end_words, sizeof(sw->end_words),
		 "%s: stopped after %zu of %zu runs; to go on: iodyno sweep "
		 "--resume=%s",
		 why, sweep_finished(sw),
		 sweep_order_total(&sw->plan, sweep_finished(sw)),
		 log);
}

static void sweep_end_early(struct session *s, struct sweep *sw, int status,
			    const char *why)
{
	sweep_end_words(sw, why);
	session_end(s, status);
}

static void sweep_quit(struct session *s, struct sweep *sw)
{
	sweep_log_ended(s, sw, "the operator");
	sweep_end_early(s, sw, EXIT_DONE, "ended by the operator");
}

/*
 * Whether the next run would exceed a limit; runs before --resume count, too.
 */
static bool over_limit(struct session *s, struct sweep *sw)
{
	size_t n;
	double bytes = sweep_sum_of(
		sw, offsetof(struct sweep_run, written_bytes), &n);
	double seconds =
		sweep_sum_of(sw, offsetof(struct sweep_run, seconds), &n);
	double more = sweep_estimate_bytes(sw);

	if (isnan(more) && sw->plan.precondition)
		more = (double)sweep_stage_condition_bytes(
			&sw->stage, sw->plan.precondition);
	if (sw->plan.max_time_ns &&
	    seconds + sweep_estimate_s(sw) > (double)sw->plan.max_time_ns / 1e9)
		sweep_end_early(s, sw, EXIT_DONE,
				"the next run would exceed --max-time");
	else if (sw->plan.max_writes && !isnan(more) &&
		 bytes + more > (double)sw->plan.max_writes)
		sweep_end_early(s, sw, EXIT_DONE,
				"the next run would exceed --max-writes");
	else
		return false;
	return true;
}

/* How much of a release a label names; 0: it is of another one. 6.1 is not the
 * begin of 6.12. */
static size_t kernel_named(const char *release, const char *label)
{
	size_t n = strlen(label);

	if (!n || strncmp(release, label, n) != 0 ||
	    (isdigit((unsigned char)label[n - 1]) &&
	     isdigit((unsigned char)release[n])))
		return 0;
	return n;
}

/* Of 6.12 and 6.12.3 the longer label is that of kernel 6.12.3. */
static bool is_kernel_of(const struct sweep_axis *a, const char *release,
			 const char *label)
{
	size_t named = kernel_named(release, label), most = 0;

	for (size_t i = 0; i < a->n; i++)
		if (kernel_named(release, a->value[i]) > most)
			most = kernel_named(release, a->value[i]);
	return named && named == most;
}

/* End the sweep early when the next run needs another kernel. */
static bool other_kernel(struct session *s, struct sweep *sw)
{
	char words[260];

	for (size_t a = 0; a < sw->plan.n_axes; a++) {
		const char *label =
			sweep_plan_value(&sw->plan, sw->next.variant, a);

		if (sw->plan.axis[a].kind != SWEEP_KERNEL ||
		    is_kernel_of(&sw->plan.axis[a], sw->kernel, label))
			continue;
		snprintf(words, sizeof(words),
			 "the next run needs kernel %s, and %s runs; boot the "
			 "other one",
			 label, sw->kernel);
		sweep_end_early(s, sw, EXIT_DONE, words);
		sw->boot_label = label;
		return true;
	}
	return false;
}

/* End the sweep when as many attempts as a block may have failed alike: there
 * is nothing left to compare. */
static bool always_fails(struct session *s, struct sweep *sw)
{
	char words[260];

	if (sw->in_a_row < SWEEP_ATTEMPTS * sw->plan.n_variants)
		return false;
	snprintf(words, sizeof(words), "%u attempts in a row failed: %s",
		 sw->in_a_row, sw->trouble);
	sweep_end_early(s, sw, EXIT_FAILED, words);
	return true;
}

static void title(struct session *s, struct sweep *sw)
{
	size_t finished = sweep_finished(sw);
	size_t planned = sweep_order_total(&sw->plan, finished + 1);
	double rest = planned > finished ? (double)(planned - finished) : 0;

	session_title(s, "sweep: run %zu of %zu, %s left: %s, block %u%s",
		      finished + 1, planned,
		      units_span(rest * sweep_estimate_s(sw)).text,
		      sweep_plan_words(&sw->plan, sw->next.variant).text,
		      sw->next.block,
		      sw->stop     ? " (stops after this run)"
		      : sw->paused ? " (pauses after this run)"
				   : "");
}

/* Begin the next run, if there is one and it may begin. */
static void sweep_go_on(struct session *s, struct sweep *sw)
{
	while (!sw->in_cell && loop_status(s->loop) < 0) {
		/* --resume repeats the run that the hand left. */
		if (sw->hand.ended) {
			sweep_end_early(
				s, sw, EXIT_FAILED,
				"the process with root's rights has ended");
			return;
		}
		if (sw->stop) {
			sweep_end_early(s, sw, EXIT_DONE,
					"ended by the operator");
			return;
		}
		if (sw->paused)
			return;
		if (!sweep_order_next(&sw->plan, &sw->runs, &sw->next)) {
			session_end(s, EXIT_DONE);
			return;
		}
		if (always_fails(s, sw) || other_kernel(s, sw) ||
		    over_limit(s, sw))
			return;
		title(s, sw);
		sweep_cell_begin(s, sw);
	}
}

/* --- the driver --- */

/* Whether the job's files are on the sweep's file system, which the caller
 * owns. */
static bool is_on_stage(const struct job *job)
{
	const size_t n = strlen(SWEEP_STAGE_PLACE);

	return job->directory &&
	       !strncmp(job->directory, SWEEP_STAGE_PLACE, n) &&
	       (!job->directory[n] || job->directory[n] == '/');
}

/* Make the jobs of all variants, which the caller frees: first the n that are
 * not on the stage, then those on it. */
static int all_jobs(const struct sweep *sw, struct job **all, size_t *n,
		    size_t *n_all)
{
	size_t cap = 0;

	*all = NULL;
	*n = *n_all = 0;
	for (size_t v = 0; v < sw->plan.n_variants; v++) {
		struct job *job;
		size_t n_jobs;
		int err = sweep_jobs_make(sw, v, 1, &job, &n_jobs);

		if (err < 0)
			return err;
		*all = xgrow(*all, &cap, *n_all + n_jobs, sizeof(**all));
		for (size_t i = 0; i < n_jobs; i++) {
			(*all)[*n_all] = job[i];
			if (!is_on_stage(&job[i])) {
				(*all)[*n_all] = (*all)[*n];
				(*all)[(*n)++] = job[i];
			}
			++*n_all;
		}
		free(job);
	}
	return 0;
}

/* Whether the sweep keeps root's rights; the command of --boot needs them. */
static bool keeps_root(const struct sweep *sw, const struct job *job, size_t n)
{
	if (!sw->settings->sweep.boot)
		return privilege_needed(job, n, &sw->allowed);
	command_say("--boot=%s runs as root, and so does all of this sweep",
		    sw->settings->sweep.boot);
	return true;
}

/* Give up root's rights, except those of the hand and the opener. */
static int lower_rights(struct session *s, struct sweep *sw,
			const struct job *job, size_t n)
{
	uid_t uid;
	gid_t gid;
	int err;

	if (!privilege_caller(&uid, &gid))
		return 0;
	sweep_stage_give(&sw->stage, uid, gid);
	err = sweep_hand_start(&sw->hand);
	if (!err)
		err = privilege_drop_for(&s->opener, job, n, &sw->allowed,
					 false);
	s->root.opener = s->opener;
	return err;
}

/* Find the disks under the jobs, and start the process that asks them. */
static int open_smart(struct session *s, struct sweep *sw,
		      const struct job *job, size_t n_jobs)
{
	const char *device = sweep_device(sw, NULL);
	dev_t dev;

	if (!(sw->audit.what & (SWEEP_AUDIT_SMART | SWEEP_AUDIT_TEMPERATURE)) ||
	    !s->root.live)
		return 0;
	if (device && sysfs_number_of(&s->root, device, &dev))
		smart_reader_add(&sw->audit.smart, &s->root, dev);
	privilege_lower();
	for (size_t i = 0; i < n_jobs; i++) {
		size_t n;
		char **path = target_paths(&job[i], 0, &n);

		for (size_t k = 0; k < n; k++) {
			if (!is_on_stage(&job[i]))
				smart_reader_add_path(&sw->audit.smart,
						      &s->root, path[k]);
			free(path[k]);
		}
		free(path);
	}
	privilege_raise();
	return sw->audit.what & SWEEP_AUDIT_SMART
		       ? smart_reader_start(&sw->audit.smart)
		       : 0;
}

static int sweep_rights(struct session *s, void *arg)
{
	struct sweep *sw = arg;
	struct job *job = NULL;
	size_t n = 0, n_all = 0;
	int err = 0;

	/* The hand mounts for this process, and the opener sees the mounts. */
	if (sweep_plan_axis(&sw->plan, SWEEP_FS))
		err = sweep_stage_own_mounts();
	sweep_audit_open(&sw->audit, &s->root);
	if (err < 0)
		return err;
	privilege_lower();
	err = all_jobs(sw, &job, &n, &n_all);
	privilege_raise();
	if (!err)
		err = open_smart(s, sw, job, n_all);
	if (!err && privilege_by_sudo())
		err = keeps_root(sw, job, n)
			      ? privilege_check_commands(job, n_all)
			      : lower_rights(s, sw, job, n_all);
	sweep_jobs_free(job, n_all);
	return err;
}

/* Mark results that count but were not marked before a kill. */
static void mark_results(struct session *s, struct sweep *sw)
{
	for (size_t i = 0; i < sw->runs.n; i++)
		if (sw->runs.run[i].unmarked)
			sweep_result_mark(s, sw, &sw->runs.run[i],
					  (unsigned)i + 1);
}

static int sweep_begin(struct session *s, void *arg)
{
	struct sweep *sw = arg;

	report_no_checks(s->pipeline.report);
	for (size_t i = 0; i < sw->past.n_names; i++)
		session_used_id(s, sw->past.name[i].name,
				sw->past.name[i].number);
	if (sw->resumes)
		mark_results(s, sw);
	else
		sweep_log_plan(s, sw);
	if (sw->repeats) {
		sweep_log_repeat(s, sw, sw->repeats);
		sweep_order_repeat(&sw->runs, sw->repeats);
		session_say(s, "block %u is repeated", sw->repeats);
	}
	sweep_go_on(s, sw);
	return 0;
}

static void sweep_frame(struct session *s, void *arg, const struct frame *f)
{
	sweep_cell_frame(s, arg, f);
}

static void sweep_event(struct session *s, void *arg, const struct event *e)
{
	struct sweep *sw = arg;
	char words[200];

	if (!sw->in_cell)
		return;
	if ((e->kind == EVENT_KNOB && e->error && e->by == BY_SWEEP) ||
	    e->kind == EVENT_JOB_FAILED)
		text_set(sw->failed, event_words(e, words, sizeof(words)));
}

static void sweep_jobs_over(struct session *s, void *arg, struct job_set *set)
{
	struct sweep *sw = arg;

	sweep_cell_jobs_over(s, sw, set);
	sweep_go_on(s, sw);
}

static void sweep_knobs_set(struct session *s, void *arg, size_t failed)
{
	struct sweep *sw = arg;

	sw->knobs_over = true;
	if (failed && !*sw->failed)
		text_set(sw->failed, "a setting could not be made");
	sweep_cell_go_on(s, sw);
	sweep_go_on(s, sw);
}

static void sweep_wake(struct session *s, void *arg)
{
	struct sweep *sw = arg;

	sweep_cell_go_on(s, sw);
	sweep_go_on(s, sw);
}

static bool quit(struct session *s, struct sweep *sw)
{
	if (sw->stop || !sw->in_cell) {
		sweep_quit(s, sw);
	} else {
		sw->stop = true;
		session_say(s, "the sweep stops after this run; a second q "
			       "stops it now");
		title(s, sw);
	}
	return true;
}

static bool sweep_action(struct session *s, void *arg, const struct action *a)
{
	struct sweep *sw = arg;

	switch (a->kind) {
	case ACTION_QUIT:
		return quit(s, sw);
	case ACTION_SWEEP_NOW:
		sweep_quit(s, sw);
		return true;
	case ACTION_PAUSE:
		sw->paused = !sw->paused;
		session_say(s, sw->paused ? "the sweep pauses after this run; "
					    "p continues it"
					  : "the sweep continues");
		if (!sw->in_cell)
			sweep_go_on(s, sw);
		return true;
	case ACTION_JOB_STOP:
	case ACTION_SWEEP_SKIP:
		if (!sw->in_cell)
			return true;
		sw->skip = true;
		session_say(s, "this run is skipped");
		if (sw->set)
			session_stop_jobs(s, sw->set);
		return true;
	case ACTION_KNOB_SET:
	case ACTION_KNOB_UNDO:
	case ACTION_KNOB_RESET:
	case ACTION_JOB_SET:
	case ACTION_JOB_START:
	case ACTION_RUN:
		session_say(s, "a sweep is under way: a change by hand would "
			       "spoil its runs");
		return true;
	default:
		return false;
	}
}

static void sweep_view(struct session *s, void *arg, struct ui_view *view)
{
	struct sweep *sw = arg;

	sweep_screen_fill(s, sw);
	view->sweep = &sw->matrix;
}

static void sweep_end(struct session *s, void *arg, int status)
{
	const char *by = session_ended_by(s, status);
	struct sweep *sw = arg;
	char why[40];

	sweep_cell_abort(s, sw);
	if (!by)
		return;
	sweep_log_ended(s, sw, by);
	snprintf(why, sizeof(why), "ended by %s", by);
	sweep_end_words(sw, why);
}

const struct driver sweep_driver = {
	.by = BY_SWEEP,
	.quiet_knobs = true,
	.rights = sweep_rights,
	.begin = sweep_begin,
	.frame = sweep_frame,
	.event = sweep_event,
	.jobs_over = sweep_jobs_over,
	.knobs_set = sweep_knobs_set,
	.wake = sweep_wake,
	.action = sweep_action,
	.view = sweep_view,
	.end = sweep_end,
};

/* --- the jobs of a run --- */

void sweep_jobs_free(struct job *job, size_t n)
{
	for (size_t i = 0; i < n; i++)
		job_free(&job[i]);
	free(job);
}

/* Take the jobs of the command line or of the axis job, before options vary. */
static int base_jobs(const struct sweep *sw, size_t variant,
		     struct settings *to)
{
	const struct settings *from = sw->settings;

	for (size_t i = 0; i < from->n_jobs; i++) {
		struct job *job = settings_add_job(to);

		job_free(job);
		job_copy(job, &from->job[i]);
	}
	for (size_t a = 0; a < sw->plan.n_axes; a++)
		if (sw->plan.axis[a].kind == SWEEP_JOB) {
			char *name =
				(char *)sweep_plan_value(&sw->plan, variant, a);

			options_add_word(preset_find(name) ? &to->arg
							   : &to->jobfile,
					 name);
			return jobs_parse(to);
		}
	return 0;
}

static int sweep_set_options(const struct sweep *sw, size_t variant,
			     struct job *job)
{
	const struct sweep_plan *p = &sw->plan;
	int err = 0;

	for (size_t a = 0; a < p->n_axes && !err; a++) {
		const struct sweep_axis *axis = &p->axis[a];

		if (axis->kind == SWEEP_OPTION &&
		    (!*axis->job || !strcmp(axis->job, job->name))) {
			job->foreign = axis->foreign;
			err = job_set(job, axis->name,
				      sweep_plan_text(p, variant, a));
			job->foreign = false;
			/* The command stands on the command line. */
			job->by_operator |= !axis->foreign &&
					    !strcmp(axis->name, "exec");
		}
	}
	return err;
}

static int sweep_set_target(const struct sweep *sw, struct job *job)
{
	bool scratch = sw->plan.scratch_bytes || sw->plan.scratch_device;

	if (!scratch || job->directory)
		return 0;
	if (sweep_plan_axis(&sw->plan, SWEEP_FS))
		return job_set(job, "directory", SWEEP_STAGE_PLACE);
	if (job->filename)
		return 0;
	return kind_give_scratch(job, *sw->stage.device ? sw->stage.device
							: "scratch");
}

/* Seed the offsets: the same in each run of a block, others in the next. A
 * number of the log holds only 52 bits exactly. */
static int set_seed(const struct sweep *sw, size_t variant, unsigned block,
		    struct job *job)
{
	uint64_t seed = sweep_order_seed(&sw->plan, block);
	const struct work_kind *kind;
	char number[24];
	int err = kind_find(job, &kind);

	if (err < 0 || !kind_reads(kind, "randseed"))
		return err;

	if (sw->plan.cold == SWEEP_WARM) {
		seed += variant * 0x9e3779b97f4a7c15u;
		job->invalidate = false;
	}
	snprintf(number, sizeof(number), "%llu",
		 (unsigned long long)(seed >> 12));
	return job_set(job, "randseed", number);
}

/* An axis of one job needs that job, or it varies nothing. Jobs of an axis job
 * need not all have it. */
static int sweep_check_jobs(const struct sweep_plan *p, const struct settings *s)
{
	for (size_t a = 0; a < p->n_axes; a++) {
		const char *name = p->axis[a].job;
		bool found = !*name || sweep_plan_axis(p, SWEEP_JOB);

		for (size_t i = 0; i < s->n_jobs && !found; i++)
			found = !strcmp(s->job[i].name, name);
		if (!found)
			return fail(EINVAL,
				    "--vary=%s: no job is called %s; the first "
				    "one is %s",
				    p->axis[a].key, name, s->job[0].name);
	}
	return 0;
}

static int check_end(const struct job *job)
{
	if (job->time_based && !job->runtime_ns)
		return fail(EINVAL, "job %s never ends: give --runtime=TIME",
			    job->name);
	return 0;
}

int sweep_jobs_make(const struct sweep *sw, size_t variant, unsigned block,
		    struct job **job, size_t *n)
{
	struct settings to;
	int err;

	settings_init(&to, 1, sw->settings->argv);
	to.readonly = sw->settings->readonly;
	to.lenient = sw->settings->lenient;
	to.scale = sw->settings->scale;
	to.log = sw->settings->log;
	err = base_jobs(sw, variant, &to);
	if (!err && !to.n_jobs)
		err = fail(EINVAL, "there is no job to run; name a job file, a "
				   "preset or --name=NAME");
	if (!err)
		err = sweep_check_jobs(&sw->plan, &to);
	for (size_t i = 0; i < to.n_jobs && !err; i++) {
		err = sweep_set_options(sw, variant, &to.job[i]);
		if (!err)
			err = sweep_set_target(sw, &to.job[i]);
		if (!err)
			err = set_seed(sw, variant, block, &to.job[i]);
		if (!err)
			err = check_end(&to.job[i]);
		to.job[i].cell = sw->cell;
		to.job[i].drops_output =
			!job_was_given(&to.job[i], "std_redirect");
	}
	if (!err)
		err = jobs_check(&to);
	*job = NULL;
	*n = 0;
	if (!err) {
		*job = to.job;
		*n = to.n_jobs;
		to.job = NULL;
		to.n_jobs = 0;
	}
	settings_free(&to);
	return err;
}
