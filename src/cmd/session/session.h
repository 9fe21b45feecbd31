/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Session: a run on the live machine. Each of its parts has one owner: the
 * pipeline (sample, frame, log, report), the workloads, job control, knob
 * control and the view; one event loop serves them. A driver decides what
 * starts next and when the session is over.
 *
 * Drivers use the functions below; none of them blocks. Answers come through
 * the driver's functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/json.h"
#include "base/root.h"
#include "cmd/options.h"
#include "cmd/session/job_control.h"
#include "cmd/session/knob_control.h"
#include "cmd/session/loop.h"
#include "cmd/session/pipeline.h"
#include "cmd/session/plan.h"
#include "cmd/session/view.h"
#include "model/action.h"
#include "model/event.h"
#include "model/frame.h"
#include "model/request.h"
#include "ui/ui.h"

struct display;
struct job_set;
struct open_files;
struct preview_thread;
struct process_files;
struct session;
struct trace;

/*
 * Driver: decides what a session starts next, and when it is over. The live
 * commands (cmd_run.h), the live crossover and the sweep are drivers.
 *
 * Every function may be NULL; each is called from the loop, never from inside
 * a call that the driver makes itself, and must not block.
 */
struct driver {
	enum event_by by; /* in its events */
	bool lays_out; /* its jobs wait for --start-at, not the session */
	bool quiet_knobs; /* do not report turns and resets that worked */

	/*
	 * Give up the rights that sudo gave; NULL: as the jobs of the settings
	 * need. Before it nothing of the session is open but the keeper. 0, or
	 * -errno with a sentence: the session does not begin.
	 */
	int (*rights)(struct session *s, void *arg);
	/*
	 * Privileges are settled; neither log nor screen exist. Open what the
	 * guard should refuse before anything is made. 0, or -errno with a
	 * sentence: the session does not begin.
	 */
	int (*prepare)(struct session *s, void *arg);
	/*
	 * The first frame was taken: start something. 0, or -errno with a
	 * sentence: the session ends with exit status 1.
	 */
	int (*begin)(struct session *s, void *arg);

	/* Called with each frame, also with that at the end of a set. */
	void (*frame)(struct session *s, void *arg, const struct frame *f);
	/*
	 * An event: a phase of a job, the answer to a turn (new_value is what
	 * the kernel says), a mark. It comes before the frame that holds it.
	 * Changes by other programs are in the frame only.
	 */
	void (*event)(struct session *s, void *arg, const struct event *e);
	/*
	 * All jobs of a set have ended, and a frame holds their last figures.
	 * The set stays until session_forget_jobs().
	 */
	void (*jobs_over)(struct session *s, void *arg, struct job_set *set);
	/* The keeper answered all turns of session_set_knobs(); failed: the
	 * number of those not made. */
	void (*knobs_set)(struct session *s, void *arg, size_t failed);
	/* The time of session_wake_at() has come. */
	void (*wake)(struct session *s, void *arg);

	/*
	 * Print the results so far: SIGUSR1 came, or --status-interval is over.
	 * NULL: the signal ends the program.
	 */
	void (*status)(struct session *s, void *arg);

	/* Act on a key; true: the session ignores the key. */
	bool (*action)(struct session *s, void *arg, const struct action *a);
	/* Add data to the view of the screen. */
	void (*view)(struct session *s, void *arg, struct ui_view *view);

	/*
	 * The session ends, for whatever reason, with that exit status: jobs
	 * that still run are stopped next, then knobs are put back.
	 */
	void (*end)(struct session *s, void *arg, int status);
};

struct session_options {
	const struct settings *settings; /* borrowed */
	int tty;                         /* -1: headless */
	enum ui_occasion occasion;
	bool turns_knobs; /* fork the keeper */
	bool traces;      /* headless: trace all I/O, unless --bpf=off */
	bool announce;    /* headless: events as lines on stderr */
	bool progress;    /* headless: a line of progress on stderr */
	bool appends;      /* continue the log of an earlier session ... */
	double from_s;     /* ... at this time since its start */
};

/*
 * Operator: the keys of the screen become turns, changes and jobs.
 *
 * Jobs that are started from the screen are previewed first, in a thread,
 * because a job file or a device may not answer; only previewed jobs can be
 * started. The guard judges as on the command line: the typed confirmation is
 * the only permission. A zeroed struct has done nothing yet.
 */
struct operator
{
	struct preview_thread *preview; /* under way; NULL: none */
	struct run_request next;        /* waits for that one to end */
	bool has_next;
	struct preview_thread *ready; /* the last that ended; NULL: none */
	/* The start that the opener asks about, device by device. */
	struct run_request wanted;
	size_t n_answered;
	int asked_fd; /* brings the answer; 0: no question is open */
	bool by_hand;   /* a job was started or stopped on the screen */
	bool paused;    /* the screen shows one frame; everything else
			   continues */
	bool threads;   /* threads of processes have rows */
	bool cgroups;   /* a key has switched --cgroups to its opposite */
	struct process_files *process_files; /* of the process whose files the
						screen shows; NULL: none */
	struct open_files *files;            /* as of the last look */
	uint64_t files_due_ns;               /* the next look */
	bool said_done; /* the sentence that all jobs are done was shown */
};

/* How far a session got. */
enum session_stage {
	SESSION_NOT_PREPARED, /* refused: there is neither log nor screen */
	SESSION_WAITS,	      /* for --start-at: there is no frame yet */
	SESSION_NOT_BEGUN,    /* the driver could not start anything */
	SESSION_RAN,
};

/* Only src/cmd/session changes the members. */
struct session {
	struct session_options options;
	const struct settings *settings;
	struct root root;
	struct trace *trace;   /* of all I/O; NULL: none */
	struct opener *opener; /* after sudo: opens devices; NULL: none */
	struct loop *loop;
	struct workloads workloads;
	struct pipeline pipeline;
	struct knob_control knobs;
	struct job_control jobs;
	struct operator operator;
	struct session_view view;
	struct plan plan;      /* of --at */
	char plan_failed[512]; /* of the first step that failed, or "" */

	const struct driver *driver;
	void *driver_arg;
	struct event *news; /* events that the driver has not received */
	size_t n_news, cap_news;
	size_t n_announced;  /* waiting events that were printed already */
	bool knobs_answered; /* the driver's knobs_set() is due */
	size_t knobs_failed;

	struct display *display; /* NULL: headless */
	struct loop_source *tick, *signal, *keeper, *jobs_source, *preview,
		*asked, *timed, *wake, *redraw, *files, *status, *start;
	int signal_fd;
	double interval_s;
	uint64_t due_ns;      /* the next tick */
	uint64_t progress_ns; /* when the line of progress was written */
	enum session_stage stage;
	bool quit; /* the operator ended the session */
};

/*
 * Open what must come before any thread and while privileges are still held:
 * the plan of --at, the root, the keeper. 0, or -errno with a sentence. Call
 * session_close() in any case.
 */
int session_open(struct session *s,
		 const struct session_options *options) must_check;
/*
 * Run to the end: prepare, first frame, driver, loop; then stop the jobs, put
 * settings back, finish the log, close the screen and print what went wrong.
 * Returns an exit status. The report and the header stay until session_close().
 */
int session_run(struct session *s, const struct driver *driver,
		void *arg) must_check;
void session_close(struct session *s);

/* --- for drivers --- */

/* Seconds since t = 0, the time of events and frames. */
double session_now_s(const struct session *s);
/* Call the driver's wake() at that time (CLOCK_MONOTONIC ns); 0: never. */
void session_wake_at(struct session *s, uint64_t mono_ns);
/* End with that exit status (command.h); the first one stands. */
void session_end(struct session *s, int status);
bool session_has_screen(const struct session *s);

/*
 * Open and start a set beside those that run: see job_control_start(). Its
 * jobs get new lines in the log, and its end comes as driver.jobs_over().
 */
int session_start_jobs(struct session *s, const struct job_request *request,
		       struct job_set **out) must_check;
/* Ask all jobs of a set to end; the end comes as driver.jobs_over(). */
void session_stop_jobs(struct session *s, struct job_set *set);
/*
 * Close a set that is over and forget its jobs, so that a session of many sets
 * stays small. Stops a set that is not over, and waits up to 5 s. 0, or -errno
 * with a sentence: I/O errors of its jobs.
 */
int session_forget_jobs(struct session *s, struct job_set *set) must_check;

/*
 * Turn knobs, in the order in which they must be set; driver.event() gets each
 * answer, driver.knobs_set() the end. The wishes' by is the driver's.
 */
void session_set_knobs(struct session *s, const struct knob_wish *wish,
		       size_t n);

/* Add an event that happens now: a mark, a note, a step. Sets t_s. */
void session_add_event(struct session *s, struct event *e);
void session_mark(struct session *s, const char *text);
/*
 * Write an object to the log, as a line of that type, which is on the disk when
 * this function returns; frees the object.
 */
void session_record_synced(struct session *s, const char *type,
			   struct json *object);
/* Reserve the ids of that name up to that number ("mix#3"). */
void session_used_id(struct session *s, const char *name, unsigned number);

/* What ends the session with this exit status: "SIGTERM", "the operator"; NULL:
 * it ends by itself. */
const char *session_ended_by(const struct session *s, int status);

/* Show a sentence to the operator: on the screen, or on stderr without one. */
void session_say(struct session *s, const char *fmt, ...) printf_like(2, 3);
/* Set the title on the first line of the screen. */
void session_title(struct session *s, const char *fmt, ...) printf_like(2, 3);
/* Do not print the events so far: the caller has printed them. */
void session_announced(struct session *s);

/* --- for the parts of a session --- */

/* Sample now: one more frame, between two ticks. */
void session_tick(struct session *s, unsigned late);
void session_draw(struct session *s);
/* Multiply the interval; it stays within 0.01 and 3600 seconds. */
void session_change_interval(struct session *s, double factor);
/* A step of the plan of --at failed: the exit status becomes 1. */
void session_plan_failed(struct session *s, enum event_by by,
			 const char *sentence);

/* --- the operator --- */

/* Act on a key. */
void operator_act(struct session *s, const struct action *a);

/*
 * The descriptor to poll, or -1: no preview is under way. When it is readable,
 * call operator_previewed().
 */
int operator_preview_fd(const struct operator* o);
void operator_previewed(struct session *s);
/*
 * The same for the answer to a question of the opener, which has the terminal
 * meanwhile: operator_answered().
 */
int operator_asked_fd(const struct operator* o);
void operator_answered(struct session *s);
/* The last preview; NULL: there is none yet. */
const struct run_preview *operator_preview(const struct operator* o);

/* When to call operator_look_at_files() again (CLOCK_MONOTONIC); 0: never. */
uint64_t operator_files_due(const struct operator* o);
void operator_look_at_files(struct session *s);

void operator_free(struct operator* o);

/*
 * Carry out an order (struct task_order) on the process of that pid, with all
 * its threads, if it still has that name. words receives a sentence that
 * describes the change. 0, or -errno with a sentence: -ENOENT the process is
 * gone or another has its pid, -EPERM not allowed, -EINVAL no such order or not
 * the live machine.
 */
int task_control_act(const struct root *root, const char *pid_text,
		     const char *name, const char *text, char *words,
		     size_t size) must_check;
