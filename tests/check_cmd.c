/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of cmd: options, plans, job files. */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/lists.h"
#include "cmd/options.h"
#include "cmd/privilege.h"
#include "cmd/run/jobs.h"
#include "cmd/session/plan.h"
#include "test.h"
#include "workload/jobfile/jobfile.h"

static const struct command *command(const char *name)
{
	for (size_t i = 0; i < n_commands; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* Parse blank-separated words; the settings borrow from *line. */
static int parse(struct settings *s, const char *name, char *line)
{
	static char *argv[64];
	int argc = 0;

	while ((argv[argc] = strsep(&line, " ")))
		argc++;
	settings_init(s, argc, argv);
	return options_parse(s, command(name), argc, argv);
}

START_TEST(options_of_top)
{
	char line[] = "-i0.5 --count 3 -a vda sdb --no-tasks -t 2m";
	struct settings s;

	ck_assert_int_eq(parse(&s, "top", line), 0);
	ck_assert_double_eq(s.interval_s, 0.5);
	ck_assert_uint_eq(s.count, 3);
	ck_assert_uint_eq(s.duration_ns, 120000000000ull);
	ck_assert(s.all_devices && s.no_tasks && !s.headless);
	ck_assert_uint_eq(s.arg.n, 2);
	ck_assert_str_eq(s.arg.word[1], "sdb");
	settings_free(&s);
}
END_TEST

START_TEST(options_of_run)
{
	char line[] = "--bs=8k --name=a --rw=randread --time_based "
		      "--runtime=9 --name=b --direct 1 --rw write "
		      "--at=1s:vda.scheduler=bfq --at=2s:vda.nr_requests=64";
	struct settings s;

	ck_assert_int_eq(parse(&s, "run", line), 0);
	ck_assert_uint_eq(s.n_jobs, 2);
	ck_assert_str_eq(s.job[0].name, "a");
	ck_assert_uint_eq(s.job[0].rw, RW_RANDREAD);
	ck_assert_uint_eq(s.job[0].bs[0].max, 8192);
	ck_assert(s.job[0].time_based && !s.job[0].direct);
	ck_assert_uint_eq(s.job[0].runtime_ns, 9000000000ull);
	ck_assert_uint_eq(s.job[1].rw, RW_WRITE);
	ck_assert(s.job[1].direct && !s.job[1].time_based);
	ck_assert_uint_eq(s.job[1].bs[0].max, 8192);
	ck_assert_uint_eq(s.at.n, 2);
	settings_free(&s);
}
END_TEST

/* Every way to be wrong is -EINVAL with a sentence that names the word. */
static const char *const wrong[][3] = {
	{ "top", "--intervall=1", "interval" },
	{ "top", "-i 0", "--interval=0" },
	{ "top", "-i 4000", "--interval" },
	{ "top", "-Q", "-Q" },
	{ "top", "--interval", "needs a value" },
	{ "top", "--bs=4k", "--bs" },
	{ "top", "--no-tasks=1", "takes no value" },
	{ "run", "--name=a --bs=0", "bs=0" },
	{ "run", "--name=a --rw=randred", "randred" },
	{ "run", "--name=a --iodpeth=4", "iodepth" },
	{ "record", "--count=0", "--count" },
	{ "record", "--count=-1", "--count" },
	{ "replay", "--speed=fast", "--speed" },
};

START_TEST(options_wrong)
{
	struct settings s;
	char line[128];

	strcpy(line, wrong[_i][1]);
	ck_assert_int_lt(parse(&s, wrong[_i][0], line), 0);
	ck_assert_msg(strstr(fail_sentence(), wrong[_i][2]) != NULL,
		      "%s does not name %s", fail_sentence(), wrong[_i][2]);
	settings_free(&s);
}
END_TEST

/* An option of a command, beside all others of that command. */
static void check_unique(const struct command *c, size_t i)
{
	const struct option_row *a = &option_rows[i];

	/* overwrite: the value (FILE, or 0 and 1) says which is meant.
	 * max-time, metric: sweep's own; jobs of sysbench and of kind=exec have
	 * theirs in a job file. */
	/* assert: on the command line of any row, in a job file of that job. */
	if (c->takes_jobs && strcmp(a->name, "overwrite") != 0 &&
	    strcmp(a->name, "assert") != 0 &&
	    strcmp(a->name, "metric") != 0 &&
	    strcmp(a->name, "max-time") != 0)
		ck_assert_ptr_null(job_option_find(a->name));
	for (size_t k = 0; k < i; k++) {
		const struct option_row *b = &option_rows[k];

		if (!options_taken(c, b))
			continue;
		ck_assert_str_ne(a->name, b->name);
		/* -h and -t are iostat's beside another of its letters. */
		ck_assert(!a->letter || a->letter != b->letter ||
			  ((a->group == OPTIONS_BATCH) !=
				   (b->group == OPTIONS_BATCH) &&
			   strchr("ht", a->letter)));
	}
}

/* Letters and names are unique within each command. */
START_TEST(options_unique)
{
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *o = &option_rows[i];
		size_t taken = 0;

		ck_assert_ptr_nonnull(o->help);
		ck_assert_int_eq(o->kind == OPTION_FLAG, !o->value);
		ck_assert(!o->list || lists_find(o->list));
		ck_assert(o->kind != OPTION_CHOICE || o->list);
		for (size_t c = 0; c < n_commands; c++)
			if (options_taken(&commands[c], o)) {
				check_unique(&commands[c], i);
				taken++;
			}
		ck_assert_msg(taken, "no command takes --%s", o->name);
	}
}
END_TEST

START_TEST(plan_in_order)
{
	struct plan p = { 0 };

	ck_assert_int_eq(plan_add(&p, "20s:loop0.scheduler=bfq"), 0);
	ck_assert_int_eq(plan_add(&p, "500ms:vm.dirty_ratio=5"), 0);
	ck_assert_int_eq(plan_add(&p, "20:loop0.iosched.low_latency=0"), 0);
	ck_assert_uint_eq(p.n, 3);
	ck_assert_double_eq(p.step[0].t_s, 0.5);
	ck_assert_str_eq(p.step[0].action.device, "vm");
	ck_assert_str_eq(p.step[1].action.knob, "scheduler");
	ck_assert_str_eq(p.step[1].action.value, "bfq");
	ck_assert_str_eq(p.step[2].action.knob, "iosched.low_latency");
	plan_free(&p);
}
END_TEST

static const char *const bad_steps[] = {
	"",
	"20s",
	"20s:loop0",
	"20s:loop0.scheduler",
	"20s:loop0.scheduler=",
	"x:loop0.scheduler=bfq",
	"-1s:loop0.scheduler=bfq",
	"20s:.scheduler=bfq",
	"20s:loop0.=bfq",
	"20s:loop0.schedulr=bfq",
	"20s:loop0.queue/scheduler=bfq",
};

START_TEST(plan_bad)
{
	struct plan p = { 0 };

	ck_assert_int_lt(plan_add(&p, bad_steps[_i]), 0);
	ck_assert_uint_eq(p.n, 0);
	plan_free(&p);
}
END_TEST

static struct job *add_job(void *settings)
{
	return settings_add_job(settings);
}

static int parse_file(struct settings *s, const char *text)
{
	char copy[2048];

	settings_init(s, 0, NULL);
	strcpy(copy, text);
	return jobfile_parse(&(struct jobfile){ .global = &s->global,
						.add = add_job,
						.arg = s },
			     "x.fio", copy);
}

START_TEST(jobfile_good)
{
	struct settings s;

	setenv("IODYNO_TEST_SIZE", "64m", 1);
	ck_assert_int_eq(parse_file(&s, "; a comment\n[global]\nbs=16k\n"
					"direct=1 # another\n\n[a]\n"
					"rw = randrw\nrwmixread=70\n"
					"time_based\nruntime=30\n"
					"[global]\nbs=64k\n[b]\n"
					"size=${IODYNO_TEST_SIZE}\n"),
			 0);
	ck_assert_uint_eq(s.n_jobs, 2);
	ck_assert_str_eq(s.job[0].name, "a");
	ck_assert_uint_eq(s.job[0].bs[0].max, 16384);
	ck_assert_uint_eq(s.job[0].rwmixread, 70);
	ck_assert(s.job[0].direct && s.job[0].time_based);
	ck_assert_uint_eq(s.job[1].bs[0].max, 65536);
	ck_assert_uint_eq(s.job[1].size_bytes, 64u << 20);
	ck_assert(s.job[1].direct && !s.job[1].time_based);
	settings_free(&s);
}
END_TEST

/* The sentence names file and line. */
static const char *const bad_files[][2] = {
	{ "", "holds no job" },
	{ "[global]\nbs=4k\n", "holds no job" },
	{ "bs=4k\n", "x.fio:1:" },
	{ "[a\n", "x.fio:1:" },
	{ "[a]\nzonemode=zbd\n", "x.fio:2:" },
	{ "[a]\n\nbs=banana\n", "x.fio:3:" },
	{ "[a]\ninclude other.fio\n", "x.fio:2:" },
	{ "[a]\nsize=${IODYNO_NOT_SET}\n", "IODYNO_NOT_SET" },
	{ "[a]\nread_iolog=x\n", "read_iolog" },
	{ "[a]\nsize\n", "needs a value" },
};

START_TEST(jobfile_bad)
{
	struct settings s;

	ck_assert_int_lt(parse_file(&s, bad_files[_i][0]), 0);
	ck_assert_msg(strstr(fail_sentence(), bad_files[_i][1]) != NULL,
		      "%s does not name %s", fail_sentence(), bad_files[_i][1]);
	settings_free(&s);
}
END_TEST

/* By sudo: who called could read the one file, and not the other. */
START_TEST(rights)
{
	char dir[] = "/tmp/iodyno-rights-XXXXXX", path[64];
	static const mode_t modes[] = { 0644, 0600 };
	struct job job;

	if (geteuid() != 0)
		return;
	const struct allow_list none = { .folder = "." };

	ck_assert_ptr_nonnull(mkdtemp(dir));
	/* So that a file could be made: this is not what counts. */
	ck_assert_int_eq(chmod(dir, 01777), 0);
	setenv("SUDO_UID", "65534", 1);
	setenv("SUDO_GID", "65534", 1);
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		int fd;

		/* A ':' in a path is no end of it. */
		snprintf(path, sizeof(path), "%s/a:b", dir);
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, modes[i]);
		ck_assert_int_ge(fd, 0);
		close(fd);
		job_init(&job);
		ck_assert_int_eq(job_set(&job, "name", "j"), 0);
		ck_assert_int_eq(jobs_target_filename(&job, path), 0);
		ck_assert_int_eq(privilege_needed(&job, 1, &none), i == 1);
		job_free(&job);
		unlink(path);
	}
	unsetenv("SUDO_UID");
	rmdir(dir);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("cmd");

	tcase_add_test(tc, options_of_top);
	tcase_add_test(tc, options_of_run);
	tcase_add_loop_test(tc, options_wrong, 0, ARRAY_SIZE(wrong));
	tcase_add_test(tc, options_unique);
	tcase_add_test(tc, plan_in_order);
	tcase_add_loop_test(tc, plan_bad, 0, ARRAY_SIZE(bad_steps));
	tcase_add_test(tc, jobfile_good);
	tcase_add_loop_test(tc, jobfile_bad, 0, ARRAY_SIZE(bad_files));
	tcase_add_test(tc, rights);
	suite_add_tcase(suite, tc);
}
