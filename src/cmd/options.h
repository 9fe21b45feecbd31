/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options: one table for all commands. The command line, --help and
 * "list options" walk it; the jobs' options are the table of model/job/job.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "cmd/command.h"
#include "model/alarms.h"
#include "model/assertion.h"
#include "model/header.h"
#include "model/job/job.h"
#include "workload/target/guard.h"

/* A list of texts; the texts are borrowed from argv. */
struct words {
	char **word;
	size_t n, cap;
};

/* Options of ping only; texts are values of job options. */
struct ping_settings {
	const char *bs, *size, *offset, *engine;
	bool write, direct, cached, linear, rate, quiet, sync, fsync, fdatasync;
	bool stamps, raw;
	uint64_t period_ns; /* 0: not given */
	double interval_s; /* below 0: not given */
	uint64_t warmup;
};

/* Options of sweep only; texts are read by sweep/sweep_plan.h. */
struct sweep_settings {
	struct words vary, remount;
	const char *resume, *until, *rule, *metric, *scratch, *cold, *order,
		*device, *max_writes, *emit, *emit_for, *audit, *dirty, *precondition,
		*sd_from, *resume_from, *boot;
	uint64_t blocks, max_blocks, confirm, seed, boots;
	uint64_t settle_ns, max_time_ns; /* settle UINT64_MAX: not given */
	bool dry_run;
};

/* Options of disk only. */
struct witness_settings {
	const char *place, *mode;
	int fd;		/* once it is connected */
	bool connected, answers;
	const char *listen, *cut, *cut_after;
	uint64_t batch, warm;
};

struct disk_settings {
	const char *size, *truth;
	struct words faults;
	uint64_t seed;
	bool end;
};

/* The result of parsing a command line. */
struct settings {
	int argc;
	char **argv;
	double interval_s, task_interval_s; /* 0: not given */
	uint64_t count;       /* frames; 0: no end */
	uint64_t duration_ns; /* 0: no end */
	uint64_t start_at_ns; /* wall clock of the first I/O; 0: at once */
	uint64_t start_window_ns; /* how late it may be */
	const char *host_label;   /* NULL: the host name */
	const char *openmetrics; /* a file for node_exporter */
	uint64_t openmetrics_tasks;
	uint64_t slower_ns;   /* keep all requests so slow; 0: the slowest */
	const char *log, *bpf, *root, *format, *align, *theme;
	const char *output, *output_format, *terse_version; /* of results */
	double speed;
	const char *ab, *until; /* of a live crossover */
	double period_s, washout_s; /* likewise; washout below 0: not given */
	uint64_t blocks;            /* likewise; 0: not given */
	bool headless, screen, all_devices, no_tasks, no_color, no_mouse, ascii,
		json;
	bool minimal, append_terse;
	const char *help_topic; /* "": what most people use; NULL: no help */
	bool version, follow, quiet;
	bool allow_exec, yes;
	bool as_fio; /* the program was called by the name "fio" */
	bool commanded; /* a command stands before the first --name */
	const char *aux_path; /* of run: for the state of verify; NULL: here */
	uint64_t status_ns; /* of run: print the status so often; 0: never */
	/* Of report: the rows, columns and base of the comparison. */
	const char *rows, *cols, *metric, *base, *correct, *error, *series;
	bool simultaneous;
	struct words filter;
	double margin_pct;
	bool include_invalid, diff, all;
	struct words exclude; /* numbers of runs */
	const char *why;      /* reason for exclude */
	const char *from, *to; /* of a log */
	const char *excerpt, *excerpt_at; /* iostat, top of an interval */
	bool fleet; /* merge the logs as hosts of one experiment */
	const char *window; /* of a fleet: common or all */
	bool reference; /* print the published figures of the plan, too */
	const char *columns; /* of the monitor as a stream */
	bool batch, csv, cgroups;
	/* iostat's letters; as_ever: those that change nothing here */
	bool extended, only_devices, only_cpu, megabytes, only_busy, as_ever;
	unsigned numbers; /* interval and count as iostat has them: 0 to 2 */
	struct iostat_settings {
		bool since_boot, epoch, human, pretty, narrow, group_only,
			mapper, partitions;
		const char *digits, *group, *persistent, *format;
	} iostat;
	const char *alarm_limits; /* a file; NULL: the limits of the rules */
	bool letters_of_iostat; /* of letters with two meanings, iostat's holds */
	const char *scale; /* of presets: full or small */
	bool parse_only, showcmd, readonly, lenient, warnings_fatal;
	uint64_t max_jobs; /* clones in all; 0: any number */
	struct words at, destroy, override, overwrite, label;
	/*
	 * The paths and knobs that the command line names: what a job file,
	 * plan or log may use as root. place is owned.
	 */
	struct words place, allow_path, allow_knob;
	const char *folder; /* where the operator started it; NULL: here */
	bool foreign; /* the words parsed now are those of a plan or a log */
	size_t foreign_at, foreign_vary; /* the first ones of these words */
	struct words assertion;
	struct assertions assertions; /* parsed from assertion */
	struct words section; /* of job files: these jobs only */
	struct ping_settings ping;
	struct sweep_settings sweep;
	struct disk_settings disk;
	struct witness_settings witness;
	struct words target, jobfile; /* of run: --target, --job-file */
	struct words arg;     /* words that are not options */
	struct words note;    /* owned; about accepted options */
	struct job *job;
	size_t n_jobs, cap_jobs;
	struct job global; /* options before the first --name */
};

enum option_kind {
	OPTION_FLAG,    /* bool */
	OPTION_TOPIC,   /* char *, "" without a value, which is optional */
	OPTION_TEXT,    /* char * */
	OPTION_CHOICE,  /* char *, a name of the row's list */
	OPTION_WORDS,   /* struct words, repeatable */
	OPTION_SECONDS, /* double, seconds unless a unit is given */
	OPTION_NS,      /* uint64_t ns, seconds unless a unit is given */
	OPTION_INSTANT, /* uint64_t ns since 1970, at most a day ahead */
	OPTION_COUNT,   /* uint64_t */
	OPTION_FACTOR,  /* double */
};

struct option_row {
	const char *name;
	char letter; /* 0: none */
	enum option_group group; /* commands say which groups they take */
	enum option_kind kind;
	size_t offset;
	const char *value; /* NULL for flags */
	const char *help;
	const char *list; /* of lists.h: its names are the values; or NULL */
	double min, max;   /* of seconds and factors */
	bool often; /* --help without a topic shows it */
};

extern const struct option_row option_rows[];
extern const size_t n_option_rows;

/* Whether the command takes that option. */
bool options_taken(const struct command *command, const struct option_row *o);

/* Append a word, which is borrowed. */
void options_add_word(struct words *w, char *word);
/* The name that the kernel has for a device given by name or path; owned. */
char *options_device(const char *word);

/* The targets that the command line allows to write; words are borrowed. */
struct allow_list options_allowed(const struct settings *s);

/*
 * The words that were parsed so far stand in a plan or log: take back what they
 * permit.
 */
void settings_take_permits(struct settings *s);

/*
 * Whether the command line names this knob: by --allow-knob, or its device as a
 * target or for destruction.
 */
bool options_allow_knob(const struct settings *s, const char *device,
			const char *knob);
/* -EPERM with the sentence that refuses a knob of a plan or log. */
int options_refuse_knob(const char *option, const char *device,
			const char *knob) must_check;

/* Set every member to its default; argv is borrowed. */
void settings_init(struct settings *s, int argc, char **argv);
/* Free what the settings own, not the struct itself. */
void settings_free(struct settings *s);

/*
 * Read the words after the command's name. 0, or -EINVAL with a sentence: exit
 * status 2.
 */
int options_parse(struct settings *s, const struct command *command, int argc,
		  char **argv) must_check;

/*
 * Take the limits of --alarm-limits=FILE, which is there. 0, or -EINVAL with a
 * sentence.
 */
int options_alarm_limits(const struct settings *s,
			 struct alarms *alarms) must_check;

/* Begin a job with the options given before the first --name. */
struct job *settings_add_job(struct settings *s);

/*
 * Print --help of a command, or of the program when it is NULL: the options of a
 * topic, "all", or "" for what most people use. 0, or -EINVAL with a sentence.
 */
int options_help(const struct command *command, const char *topic) must_check;

/*
 * Read the label.n "key=value" labels into *out, which the caller frees. 0, or
 * -EINVAL with a sentence.
 */
int options_labels(const struct settings *s, struct header_fact **out) must_check;
