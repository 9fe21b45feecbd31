/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run: workloads under the monitor. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/privilege.h"
#include "cmd/run/cmd_run.h"
#include "cmd/run/jobs.h"
#include "cmd/run/output.h"
#include "cmd/scratch_disk.h"
#include "cmd/session/display.h"
#include "cmd/start_time.h"
#include "cmd/witness/witness_place.h"
#include "knob/knob.h"
#include "report/report.h"
#include "workload/jobfile/jobfile.h"
#include "workload/kind/kind.h"
#include "workload/ping.h"
#include "workload/target/target.h"

/* --- the jobs of the command line, and those that the operator adds --- */

static int live_prepare(struct session *s, void *arg)
{
	struct live *l = arg;
	const struct witness_options witness =
		witness_place_options(s->settings);
	const struct job_request request = {
		.job = s->settings->job,
		.n_jobs = s->settings->n_jobs,
		.allowed = l->allowed,
		.by = s->driver->by,
		.keep_ids = true,
		.witness = witness.fd >= 0 ? &witness : NULL,
	};

	int err;

	if (!request.n_jobs)
		return 0;
	err = job_control_open(&s->jobs, &request, &l->set);
	if (err == 0)
		workload_start_at(l->set->workload, s->settings->start_at_ns,
				  s->settings->start_window_ns);
	return err;
}

/* Log the notes on options; they are on stderr already. */
static void cmd_run_add_notes(struct session *s)
{
	const char *text;
	size_t at = 0;

	while (jobs_note(s->settings, &at, &text)) {
		struct event e = { .kind = EVENT_NOTE };

		text_set(e.text, text);
		session_add_event(s, &e);
	}
	session_announced(s);
}

static int live_begin(struct session *s, void *arg)
{
	struct live *l = arg;

	view_title_of_jobs(s);
	if (s->settings->duration_ns)
		session_wake_at(s, s->pipeline.start_ns +
					   start_time_wait_ns(s->settings) +
					   s->settings->duration_ns);
	cmd_run_add_notes(s);
	if (l->set) {
		int err = job_control_begin(l->set);

		if (err < 0)
			return err;
	}
	return l->plan ? ab_begin(&l->ab, s, l->plan, true) : 0;
}

/* All jobs have ended, and their last frame is in the report. */
static void live_judge(struct session *s, struct live *l)
{
	struct event e = { .kind = EVENT_NOTE };

	if (!l->asserted.n)
		return;
	report_verdict(s->pipeline.report, &l->asserted, e.text,
		       sizeof(e.text));
	assertions_free(&l->asserted);
	/* The sentence goes with the next key; the event stays. */
	session_say(s, "%s", e.text);
	session_add_event(s, &e);
}

static void live_frame(struct session *s, void *arg, const struct frame *f)
{
	struct live *l = arg;

	ab_frame(&l->ab, s, f);
	live_judge(s, l);
	if (s->settings->count && s->pipeline.frames >= s->settings->count)
		session_end(s, EXIT_DONE);
}

static void live_event(struct session *s, void *arg, const struct event *e)
{
	view_title_of_jobs(s);
}

static void live_jobs_over(struct session *s, void *arg, struct job_set *set)
{
	struct operator* o = & s->operator;
	struct live *l = arg;

	if (session_has_screen(s))
		for (size_t i = 0; i < set->n_jobs; i++)
			assertions_add_job(&l->asserted, &set->job[i],
					   job_id(&set->job[i]));

	if (!workloads_done(&s->workloads))
		return;
	ab_stop(&l->ab, s, "all jobs have ended");
	/* An interactive user may want to start another job. */
	if (!session_has_screen(s) || !o->by_hand) {
		session_end(s, EXIT_DONE);
	} else if (!o->said_done) {
		o->said_done = true;
		session_say(s, "all jobs done (r: new, q: quit)");
		session_draw(s);
	}
}

static void live_knobs_set(struct session *s, void *arg, size_t failed)
{
	struct live *l = arg;

	ab_knobs_set(&l->ab, s, failed);
}

static void begin_crossover(struct session *s, struct live *l,
			    const struct crossover_request *request)
{
	struct ab_plan plan;

	if (ab_plan_request(&plan, request) < 0 ||
	    ab_begin(&l->ab, s, &plan, false) < 0)
		session_say(s, "not begun: %s", fail_sentence());
}

/* Act on the crossover's keys; refuse other changes while it runs. */
static bool live_action(struct session *s, void *arg, const struct action *a)
{
	struct live *l = arg;
	bool runs = ab_running(&l->ab);

	switch (a->kind) {
	case ACTION_CROSSOVER:
		if (!runs)
			begin_crossover(s, l, a->crossover);
		return true;
	case ACTION_CROSSOVER_END:
		ab_stop(&l->ab, s, "ended by the operator");
		return true;
	case ACTION_KNOB_SET:
	case ACTION_KNOB_UNDO:
	case ACTION_KNOB_RESET:
	case ACTION_JOB_SET:
	case ACTION_INTERVAL:
		if (runs)
			session_say(s, "a live crossover is under way: V ends "
				       "it");
		return runs;
	default:
		return false;
	}
}

static void live_view(struct session *s, void *arg, struct ui_view *view)
{
	struct live *l = arg;

	view->can_cross = true;
	view->crossover_runs = ab_running(&l->ab);
	if (l->ab.stage == AB_OFF)
		return;
	view->crossover = report_crossover(s->pipeline.report);
	view->crossover_words = l->ab.words;
}

static void live_end(struct session *s, void *arg, int status)
{
	struct live *l = arg;

	ab_stop(&l->ab, s, "the run ends");
	assertions_free(&l->asserted);
}

static void live_status(struct session *s, void *arg)
{
	struct live *l = arg;

	if (session_has_screen(s) && !l->output->path)
		session_say(s, "the screen shows the results so far; with "
			       "--output=FILE they are printed, too");
	else if (output_status(l->output, s->pipeline.report,
			       &s->pipeline.header, session_now_s(s)) < 0)
		session_say(s, "%s", fail_sentence());
}

static void live_wake(struct session *s, void *arg)
{
	session_end(s, EXIT_DONE);
}

const struct driver live_driver = {
	.by = BY_OPERATOR,
	.prepare = live_prepare,
	.begin = live_begin,
	.frame = live_frame,
	.event = live_event,
	.jobs_over = live_jobs_over,
	.knobs_set = live_knobs_set,
	.action = live_action,
	.view = live_view,
	.end = live_end,
	.wake = live_wake,
};

/* The driver of run, which has results to print. */
static struct driver run_driver(void)
{
	struct driver d = live_driver;

	d.status = live_status;
	d.lays_out = true;
	return d;
}

void cmd_run_print_plan(struct session *s, FILE *out)
{
	const struct effect *effect;
	size_t n, printed = 0;

	effect = report_effects(s->pipeline.report, &n);
	for (size_t i = 0; i < n; i++) {
		const struct event *e = &effect[i].event;

		if (e->by != BY_OPERATOR || e->error || !*e->knob)
			continue;
		fprintf(out, "%s--at=%.3fs:%s%s.%s=%s",
			printed++ ? " " : "to repeat: ", e->t_s,
			e->kind == EVENT_JOB_SET ? "job." : "",
			e->kind == EVENT_JOB_SET ? e->job : e->device, e->knob,
			e->new_value);
	}
	if (printed)
		fputc('\n', out);
}

/* Name the files that a preset leaves: nobody chose their names or places. */
static void cmd_run_say_left(const struct settings *s)
{
	char *first = NULL;
	uint64_t bytes = 0;
	size_t count = 0;

	for (size_t i = 0; i < s->n_jobs; i++) {
		const struct job *job = &s->job[i];

		for (unsigned j = 0; j < job->numjobs && !job->filename; j++) {
			size_t n;
			char **path = target_paths(job, j, &n);
			struct stat st;

			for (size_t k = 0; k < n; k++)
				if (!stat(path[k], &st) && S_ISREG(st.st_mode)) {
					bytes += (uint64_t)st.st_size;
					if (!count++)
						first = xstrdup(path[k]);
				}
			xfree_list(path, n);
		}
	}
	if (count == 1)
		command_say("%s (%s) stays for the next run; --unlink=1 removes "
			    "it", first, units_bytes((double)bytes).text);
	else if (count)
		command_say("%s and %zu more files (%s) stay for the next run; "
			    "--unlink=1 removes them", first, count - 1,
			    units_bytes((double)bytes).text);
	free(first);
}

static bool cmd_run_of_preset(const struct settings *s)
{
	bool any = false;

	for (size_t i = 0; i < s->arg.n; i++)
		any |= preset_find(s->arg.word[i]) != NULL;
	return any;
}

/* Print the results. Returns status, or EXIT_FAILED when that fails. */
static int cmd_run_print_results(struct session *session, struct output *o,
				 int status)
{
	if (output_print(o, session->pipeline.report,
			 &session->pipeline.header) < 0) {
		int failed = command_failed(EXIT_FAILED);

		return status == EXIT_DONE ? failed : status;
	}
	/* Programs read fio's formats: print only the document on stdout. */
	cmd_run_print_plan(session, o->fio ? stderr : o->file);
	return status;
}

/* Whether the text, which begins with what failed, is where stderr is. */
static bool told_on_stderr(const struct output *o)
{
	struct stat out, err;

	for (size_t i = 0; i < o->n_formats; i++)
		if (!strcmp(o->format[i]->name, "text"))
			return !fstat(fileno(o->file), &out) &&
			       !fstat(STDERR_FILENO, &err) &&
			       out.st_dev == err.st_dev &&
			       out.st_ino == err.st_ino;
	return false;
}

/* A complete run that fails an assertion ends with EXIT_ASSERTION. */
static int assert_results(struct session *session, const struct output *o,
			  int status)
{
	char words[700];

	if (!report_failed_assertions(session->pipeline.report, words,
				      sizeof(words)))
		return status;
	if (!told_on_stderr(o))
		command_say("%s", words);
	return status == EXIT_DONE ? EXIT_ASSERTION : status;
}

static int cmd_run_load(struct session *session, struct settings *s,
			struct output *o, const struct ab_plan *plan)
{
	const struct allow_list allowed = options_allowed(s);
	const struct driver driver = run_driver();
	struct live live = {
		.allowed = &allowed,
		.plan = plan,
		.output = o,
	};
	int status;

	report_assert(session->pipeline.report, &s->assertions);
	status = session_run(session, &driver, &live);
	if (session->stage <= SESSION_WAITS ||
	    (session->stage == SESSION_NOT_BEGUN && !o->fio))
		return status;
	status = assert_results(session, o,
				cmd_run_print_results(session, o, status));
	if (!s->quiet && cmd_run_of_preset(s))
		cmd_run_say_left(s);
	return status;
}

/* --- the demonstration --- */

/*
 * The demonstration, without a job: a scratch target, a mixed random load and
 * a buffered scan on it, a live crossover of the settings as they are, another
 * scheduler and another readahead.
 */
struct demo {
	struct scratch_disk made; /* its fd -1: none */
	struct words named; /* texts that name it; owned */
	char *destroy;     /* the word that permits writing to the scratch */
	struct ab_plan ab; /* n 0: no knob can be turned */
};

/* Large enough that a scan does not end within a second on a fast disk. */
#define SCRATCH_BYTES (512ull << 20)
#define DEMO_MODEL    "hdd-7200,depth=4"
/* Seconds without a crossover; the limit with one, which ends it earlier. */
#define ALONE_S      24
#define RUNTIME_MOST "52s"
/* Time to allocate the scratch file and to fill the page cache of the scan. */
#define RAMP   "6s"
#define RAMP_S 6
/* 5 blocks of 3 variants: about 42 s. */
#define PERIOD_S  2
#define WASHOUT_S 0.4
#define BLOCKS    5

struct demo_job {
	const char *name;
	const char *option[10][2];
};

/*
 * The mix bypasses the page cache, the scan depends on readahead. It reads pieces of
 * 4 MiB, because Linux (6.18) makes the readahead of a running stream never smaller.
 */
static const struct demo_job demo_jobs[] = {
	{ "mix",
	  { { "rw", "randrw" },
	    { "rwmixread", "60" },
	    { "bs", "16k" },
	    { "ioengine", "libaio" },
	    { "iodepth", "16" },
	    { "direct", "1" },
	    { "ramp_time", RAMP },
	    { "time_based", "1" } } },
	{ "scan",
	  { { "rw", "read" },
	    { "bs", "16k" },
	    { "ioengine", "psync" },
	    { "zonemode", "strided" },
	    { "zonesize", "4m" },
	    { "zoneskip", "12m" },
	    { "ramp_time", RAMP },
	    { "time_based", "1" } } },
};

/*
 * Take what this system refuses from a job: direct I/O on some file systems, an
 * engine under a seccomp filter. Say what takes its place.
 */
static int cmd_run_fit_job(struct job *job, const char *path)
{
	struct probe p = {
		.choose_engine = true,
		.choose_direct = job->direct,
		.first = job->engine,
	};
	int err = ping_probe(&p, job, path);

	if (err == 0 && *p.words) {
		job_note(job, "job %s by %s, direct=%d: %s", job->name,
			 p.engine, p.direct, p.words);
		command_say("%s", job->note[job->n_notes - 1]);
	}
	if (err == 0)
		err = job_set(job, "ioengine", p.engine);
	return err == 0 && job->direct && !p.direct
		       ? job_set(job, "direct", "0")
		       : err;
}

static int cmd_run_add_job(struct settings *s, const struct demo_job *d,
			   const char *path, const char *runtime)
{
	struct job *job = settings_add_job(s);
	int err = job_set(job, "name", d->name);

	if (err == 0)
		err = job_set(job, "filename", path);
	if (err == 0)
		err = job_set(job, "runtime", runtime);
	for (int i = 0; err == 0 && d->option[i][0]; i++)
		err = job_set(job, d->option[i][0], d->option[i][1]);
	return err == 0 ? cmd_run_fit_job(job, path) : err;
}

/* The first scheduler on offer that is not the active one. */
static bool other_choice(const char *active, char *choices, char *out,
			 size_t size)
{
	char *rest = choices, *word;

	while ((word = strsep(&rest, " ")))
		if (*word && strcmp(word, active))
			return text_copy(out, size, word);
	return false;
}

/* A setting with its present value, and with another; other "": none. */
struct demo_knob {
	char now[160], other[160]; /* "loop0.scheduler=none" */
};

static void set_words(struct demo_knob *k, const char *device, const char *knob,
		      const char *now, const char *other)
{
	snprintf(k->now, sizeof(k->now), "%s.%s=%s", device, knob, now);
	snprintf(k->other, sizeof(k->other), "%s.%s=%s", device, knob, other);
}

static void find_scheduler(struct demo_knob *k, const struct root *root,
			   const char *device)
{
	char value[64], choices[256], other[64];

	if (knob_get(root, device, "scheduler", value, sizeof(value), choices,
		     sizeof(choices)) < 0 ||
	    !other_choice(value, choices, other, sizeof(other)))
		command_say("%s offers no other scheduler; that variant is "
			    "left out",
			    device);
	else
		set_words(k, device, "scheduler", value, other);
}

static void find_readahead(struct demo_knob *k, const struct root *root,
			   const char *device)
{
	char value[64], choices[256];

	if (knob_get(root, device, "read_ahead_kb", value, sizeof(value),
		     choices, sizeof(choices)) < 0)
		command_say("%s has no readahead; that variant is left out",
			    device);
	else
		set_words(k, device, "read_ahead_kb", value,
			  strcmp(value, "16") ? "16" : "128");
}

/*
 * Plan a live crossover: the settings as they are, another scheduler, another
 * readahead. A single switch would give no result on a machine with other load.
 */
static int plan_crossover(struct demo *d, struct settings *s,
			  struct session *session)
{
	const struct root *root = &session->root;
	struct demo_knob scheduler = { 0 }, readahead = { 0 };
	char text[1024];

	find_scheduler(&scheduler, root, d->made.scratch.device);
	find_readahead(&readahead, root, d->made.scratch.device);
	if (!*scheduler.other && !*readahead.other)
		return 0;
	if (!*readahead.other)
		snprintf(text, sizeof(text), "%s,%s", scheduler.now,
			 scheduler.other);
	else if (!*scheduler.other)
		snprintf(text, sizeof(text), "%s,%s", readahead.now,
			 readahead.other);
	else
		snprintf(text, sizeof(text), "%s+%s,%s+%s,%s+%s", scheduler.now,
			 readahead.now, scheduler.other, readahead.now,
			 scheduler.now, readahead.other);
	d->ab.period_s = PERIOD_S;
	d->ab.washout_s = WASHOUT_S;
	d->ab.blocks = BLOCKS;
	/* The session is open: change its interval, too. */
	session->interval_s = s->interval_s =
		fmin(s->interval_s, PERIOD_S / (double)AB_LEAST_FRAMES);
	return ab_plan_parse(&d->ab, "--ab", text, NULL);
}

/* Name the half that is missing. */
static void say_no_turn(const struct demo *d)
{
	char rerun[FAIL_ROOT_MAX];

	if (geteuid() != 0)
		command_say("no knob is turned: that needs root and a loop "
			    "device%s",
			    fail_as_root(rerun, sizeof(rerun)));
	else if (!d->made.scratch.is_device)
		command_say("no knob is turned: there is no loop device here, "
			    "as in a container without rights; run it on the "
			    "host or in a VM, or give the container the "
			    "devices (docker run --privileged)");
}

/*
 * A simulated disk with an arm shows what a scheduler and readahead do to one; a
 * loop device is next best.
 */
static int demo_target(struct demo *d)
{
	if (scratch_disk_make(&d->made, DISK_BYTES_DEFAULT, DEMO_MODEL, 1) == 0)
		return 0;
	return scratch_disk_make(&d->made, SCRATCH_BYTES, NULL, 1);
}

/* The device that the program itself made may be written to. */
static void permit_scratch(struct demo *d, struct settings *s)
{
	d->destroy = xstrdup(d->made.scratch.path);
	options_add_word(&s->destroy, d->destroy);
}

/*
 * Make the scratch target, add its jobs to the settings and, where knobs can
 * be turned, plan the crossover, for which the open session gets a shorter
 * interval. 0, or -errno with a sentence.
 */
static int demo_make(struct demo *d, struct settings *s,
		     struct session *session)
{
	int err = d->made.scratch.fd >= 0 ? 0 : demo_target(d);
	char alone[16];
	double time_s;
	bool turns;

	if (err < 0)
		return err;
	turns = d->made.scratch.is_device && geteuid() == 0;
	if (turns) {
		permit_scratch(d, s);
		err = plan_crossover(d, s, session);
	}
	snprintf(alone, sizeof(alone), "%ds", ALONE_S);
	/* The file has no name: its path is that of a descriptor. */
	for (size_t i = 0; err == 0 && i < ARRAY_SIZE(demo_jobs); i++)
		err = cmd_run_add_job(s, &demo_jobs[i], d->made.scratch.path,
				      d->ab.n ? RUNTIME_MOST : alone);
	if (err < 0)
		return err;
	time_s = RAMP_S +
		 (d->ab.n ? ab_seconds(&d->ab, s->interval_s) : ALONE_S);
	if (s->duration_ns)
		time_s = fmin(time_s, (double)s->duration_ns / 1e9);
	command_say("no job given: loading a scratch %s%s%s for %s%.0f s",
		    d->made.scratch.is_device ? "loop device, " : "file",
		    d->made.scratch.is_device ? d->made.scratch.path : "",
		    d->made.scratch.is_device ? "," : "",
		    d->ab.n ? "about " : "", time_s);
	if (!turns)
		say_no_turn(d);
	return 0;
}

static void demo_remove(struct demo *d)
{
	scratch_disk_remove(&d->made);
	free(d->destroy);
	d->destroy = NULL;
	xfree_list(d->named.word, d->named.n);
	d->named = (struct words){ 0 };
}

static int run_jobs(struct settings *s, struct output *o, int tty,
		    const struct ab_plan *plan, struct demo *demo)
{
	const struct session_options options = {
		.settings = s,
		.tty = tty,
		.occasion = UI_RUN,
		.turns_knobs = tty >= 0 || s->at.n || plan || !s->n_jobs,
		.announce = !s->quiet,
		.progress = !s->quiet && isatty(STDERR_FILENO),
	};
	struct session session;
	int status;

	if (session_open(&session, &options) < 0)
		status = command_failed(EXIT_USAGE);
	else if (!s->n_jobs && demo_make(demo, s, &session) < 0)
		status = command_failed(EXIT_FAILED);
	else
		status = cmd_run_load(&session, s, o,
				      demo->ab.n ? &demo->ab : plan);
	session_close(&session);
	return status;
}

/* Refuse options that belong to a job that does not begin. */
static int refuse_nameless(const struct settings *s)
{
	const struct job *job = &s->global;
	const char *first = job->n_given ? job->given[0].name : NULL;

	if (s->n_jobs)
		return 0;
	if (first && s->arg.n)
		return fail(EINVAL,
			    "%s has no job: its options are those of a "
			    "[global] section only; add a section such as "
			    "[job1]",
			    s->arg.word[0]);
	if (first)
		return fail(EINVAL,
			    "--name is missing before --%s: a job needs a "
			    "name; give --name=NAME",
			    first);
	if (s->as_fio && !s->parse_only)
		return fail(EINVAL, "there is no job; name a job file or give "
				    "--name=NAME");
	return 0;
}

/* --parse-only, --showcmd: run nothing. */
static int cmd_run_print_jobs(const struct settings *s)
{
	/* As in fio, parsing nothing finds no fault. */
	if (!s->n_jobs && !s->showcmd && s->as_fio)
		return EXIT_DONE;
	if (!s->n_jobs) {
		fail(EINVAL, "there is no job to show; name a job file, a "
			     "preset or --name=NAME");
		return command_failed(EXIT_USAGE);
	}
	if (s->parse_only)
		jobs_print(s);
	if (s->showcmd)
		jobs_showcmd(s);
	return EXIT_DONE;
}

static void say_notes(const struct settings *s)
{
	const char *text;
	size_t at = 0;

	while (jobs_note(s, &at, &text))
		command_say("%s", text);
}

/*
 * The text with the name of the device where it says "scratch." at its begin, or
 * behind a mark that joins settings. demo owns it.
 */
static char *cmd_run_name_scratch(struct demo *d, const char *text)
{
	static const char word[] = "scratch.";
	const size_t n = strlen(word), name = strlen(d->made.scratch.device);
	char *out = xmalloc(strlen(text) * (name + 1) + 1), *to = out;

	for (const char *p = text; *p;) {
		if (!strncmp(p, word, n) &&
		    (p == text || strchr("+,:", p[-1]))) {
			memcpy(to, d->made.scratch.device, name);
			to += name;
			p += n - 1;
		} else {
			*to++ = *p++;
		}
	}
	*to = '\0';
	options_add_word(&d->named, out);
	return out;
}

/* --ab and --at may name the device that --scratch has made as "scratch". */
static void cmd_run_name_all(struct settings *s, struct demo *d)
{
	if (!*d->made.scratch.device)
		return;
	if (s->ab)
		s->ab = cmd_run_name_scratch(d, s->ab);
	for (size_t i = 0; i < s->at.n; i++)
		s->at.word[i] = cmd_run_name_scratch(d, s->at.word[i]);
}

/* --scratch: make the device, before rights are given up. */
static int cmd_run_make_scratch(struct settings *s, struct demo *d)
{
	const char *model;
	uint64_t bytes;
	int err;

	if (!s->sweep.scratch)
		return EXIT_DONE;
	if (scratch_disk_parse(s->sweep.scratch, &bytes, &model) < 0)
		return command_failed(EXIT_USAGE);
	if (s->parse_only || s->showcmd) {
		text_set(d->made.scratch.path, "/dev/loopN");
		return EXIT_DONE;
	}
	err = scratch_disk_make(&d->made, bytes, model, 1);
	if (err < 0)
		return command_failed(EXIT_FAILED);
	cmd_run_name_all(s, d);
	return EXIT_DONE;
}

/* Read the jobs; those that name no target get the scratch device. */
static int read_with_scratch(struct settings *s, const struct demo *d)
{
	int err = jobs_parse(s);

	for (size_t i = 0; i < s->n_jobs && !err; i++)
		if (!s->job[i].filename && !s->job[i].directory)
			err = kind_give_scratch(&s->job[i],
						d->made.scratch.path);
	return err ? err : jobs_check(s);
}

/* Read the jobs of the command line, and make those of bare targets. */
static int read_jobs(struct settings *s, struct target_jobs *bare,
		     const struct demo *demo)
{
	int err;

	/* A job file and its includes are opened with the rights of the caller.
	 */
	privilege_lower();
	err = s->sweep.scratch ? read_with_scratch(s, demo) : jobs_read(s);
	privilege_raise();
	if (err == 0 && s->target.n) {
		err = jobs_target_make(bare, s, s->parse_only || s->showcmd);
		/* Show the target that was found, not the typed words. */
		if (err < 0 && err != -EINVAL)
			return command_failed(EXIT_FAILED);
		if (err == 0)
			err = jobs_check(s);
	}
	if (err == 0)
		return EXIT_DONE;
	/* The notes may explain the error: bs=4KiB is 4000 bytes. */
	if (!s->warnings_fatal)
		say_notes(s);
	return command_failed(err == -EPERM ? EXIT_REFUSED : EXIT_USAGE);
}

/* Refuse options of --ab that are given without --ab. */
static int refuse_ab(const struct settings *s)
{
	const char *name = s->until            ? "until"
			   : s->blocks         ? "blocks"
			   : s->period_s > 0   ? "period"
			   : s->washout_s >= 0 ? "washout"
					       : NULL;

	return name ? fail(EINVAL,
			   "--%s belongs to a live crossover; give "
			   "--ab=..., too",
			   name)
		    : 0;
}

/*
 * Make the jobs run until the crossover ends them, again and again over the
 * target.
 */
static int prolong_jobs(struct settings *s)
{
	bool shortened = false;

	for (size_t i = 0; i < s->n_jobs; i++) {
		struct job *job = &s->job[i];

		if (job->stonewall)
			return fail(EINVAL,
				    "job %s waits for others (stonewall); --ab "
				    "compares jobs that run together",
				    job->name);
		if (*job->kind && strcmp(job->kind, "io") != 0)
			continue;
		shortened |= job->runtime_ns > 0;
		job->runtime_ns = JOB_ENDLESS_NS;
		job->time_based = true;
	}
	if (shortened && !s->quiet)
		command_say("--ab: the jobs run until the crossover ends, not "
			    "for their runtime; --period and --blocks give its "
			    "length");
	return 0;
}

/* The disks under the jobs, for a knob without a device; "": not known. */
static void disks_of_jobs(const struct settings *s, char *disks, size_t size)
{
	struct root root;

	*disks = '\0';
	if (root_open(&root, s->root) < 0)
		return;
	privilege_lower();
	if (workload_disks(&root, s->job, s->n_jobs, disks, size) < 0)
		*disks = '\0';
	privilege_raise();
	root_close(&root);
}

static int read_ab(struct settings *s, struct ab_plan *plan)
{
	char disks[ROW_NAMES_MAX] = "";
	int err;

	memset(plan, 0, sizeof(*plan));
	if (!s->ab)
		return refuse_ab(s);
	if (s->ab[strcspn(s->ab, ".=")] == '=')
		disks_of_jobs(s, disks, sizeof(disks));
	err = ab_plan_parse(plan, "--ab", s->ab, disks);
	if (err == 0 && s->until)
		err = ab_plan_until(plan, s->until);
	if (err == 0 && !s->n_jobs)
		err = fail(EINVAL, "--ab needs a job to measure; name a job "
				   "file, a preset or --name=NAME");
	if (err == 0)
		err = prolong_jobs(s);
	plan->period_s = s->period_s > 0 ? s->period_s : AB_PERIOD_S;
	plan->washout_s = s->washout_s;
	plan->blocks = s->blocks  ? s->blocks
		       : s->until ? AB_BLOCKS_UNTIL
				  : AB_BLOCKS;
	if (s->interval_s > plan->period_s / AB_LEAST_FRAMES)
		s->interval_s = fmax(plan->period_s / AB_LEAST_FRAMES, 0.01);
	return err;
}

static int cmd_run_run(struct settings *s, struct output *o,
		       struct target_jobs *bare, struct demo *demo)
{
	struct ab_plan plan;
	int tty, status = cmd_run_make_scratch(s, demo);

	if (status == EXIT_DONE)
		status = read_jobs(s, bare, demo);
	if (status != EXIT_DONE)
		return status;
	if (read_ab(s, &plan) < 0)
		return command_failed(EXIT_USAGE);
	if (refuse_nameless(s) < 0)
		return command_failed(EXIT_USAGE);
	if (!s->quiet)
		say_notes(s);
	if (s->parse_only || s->showcmd) {
		o->printed = true;
		return cmd_run_print_jobs(s);
	}
	if (s->n_jobs) {
		const struct allow_list allowed = options_allowed(s);
		int err = command_confirm_loss(s, s->job, s->n_jobs, &allowed);

		if (err < 0)
			return command_failed(command_status(err));
		if (demo->made.scratch.is_device)
			permit_scratch(demo, s);
	}
	tty = display_choose_tty(s);
	if (tty < -1)
		return command_failed(EXIT_USAGE);
	status = run_jobs(s, o, tty, s->ab ? &plan : NULL, demo);
	if (tty >= 0)
		close(tty);
	return status;
}

/* --witness: connect with the rights of the caller. */
static int cmd_run_connect(struct settings *s)
{
	int err;

	if (!s->witness.place || s->parse_only || s->showcmd)
		return 0;
	privilege_lower();
	err = witness_place_connect(s);
	privilege_raise();
	if (err == 0 && witness_place_is_stdout(s))
		s->headless = true;
	return err;
}

int cmd_run(struct settings *s)
{
	struct demo demo = { .made.scratch.fd = -1 };
	struct target_jobs bare = { 0 };
	struct output o;
	int err, status;

	err = cmd_run_connect(s);
	if (err < 0)
		return command_failed(err == -EINVAL ? EXIT_USAGE
						     : EXIT_FAILED);
	err = output_open(&o, s);
	if (err < 0)
		status = command_failed(command_status(err));
	else
		status = output_finish(&o, s, cmd_run_run(s, &o, &bare, &demo));
	output_close(&o);
	jobs_target_remove(&bare);
	demo_remove(&demo);
	witness_place_close(s);
	return status;
}
