/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of sweeps without running any: order, rules about repeats, and how
 * often the verdicts of simulated sweeps are right.
 */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fail.h"
#include "cmd/sweep/sweep.h"
#include "cmd/sweep/sweep_stage.h"

#include "fixture.h"
#include "test.h"

static struct settings settings;
static char program[] = "iodyno";
static char *arguments[] = { program, NULL };
static struct sweep sweep;

static void setup(void)
{
	settings_init(&settings, 1, arguments);
	memset(&sweep, 0, sizeof(sweep));
}

static void teardown(void)
{
	settings_free(&settings);
	sweep_order_free(&sweep.runs);
}

static void vary(char *text)
{
	options_add_word(&settings.sweep.vary, text);
}

static void make(void)
{
	ck_assert_msg(sweep_plan_make(&sweep.plan, &settings) == 0, "%s",
		      fail_sentence());
}

/* A value in (0, 1) that repeats in each run of the test. */
static double uniform(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(*state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
	double u = uniform(state), v = uniform(state);

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static char schedulers[] = "scheduler=none,bfq[low_latency=0,slice_idle=0]";
static char blanks[] = "scheduler=none,bfq[low_latency=0 slice_idle=0]";
static char filesystems[] = "fs=ext4,ext4[data=journal],xfs";
static char labels[] = "label=a,b";

/* Commas in brackets belong to the value. */
START_TEST(values)
{
	char item[64];

	vary(schedulers);
	make();
	ck_assert_uint_eq(sweep.plan.n_variants, 2);
	ck_assert_str_eq(sweep_plan_value(&sweep.plan, 1, 0),
			 "bfq[low_latency=0,slice_idle=0]");
	ck_assert(sweep_plan_item(sweep_plan_value(&sweep.plan, 1, 0), 1, item,
				  sizeof(item)));
	ck_assert_str_eq(item, "slice_idle=0");
	ck_assert(!sweep_plan_item(sweep_plan_value(&sweep.plan, 1, 0), 2, item,
				   sizeof(item)));
	/* A blank does not separate tunables: every run would fail. */
	vary(blanks);
	ck_assert_int_lt(sweep_plan_make(&sweep.plan, &settings), 0);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "a comma separates"));
}
END_TEST

/* A block has each variant once, and what is dear to change stays together. */
START_TEST(whole_plots)
{
	char scratch[] = "64m";
	size_t order[6];
	unsigned changed = 0;

	settings.sweep.scratch = scratch;
	vary(labels);
	vary(filesystems);
	make();
	ck_assert_uint_eq(sweep.plan.n_variants, 6);
	for (unsigned b = 1; b <= 20; b++) {
		unsigned seen = 0, changes = 0, before = changed;

		sweep_order_block(&sweep.plan, b, order);
		for (size_t i = 0; i < 6; i++) {
			seen |= 1u << order[i];
			changes +=
				i &&
				sweep_plan_choice(&sweep.plan, order[i], 1) !=
					sweep_plan_choice(&sweep.plan,
							  order[i - 1], 1);
			changed += order[i] != i;
		}
		ck_assert_uint_eq(seen, 63);
		ck_assert_uint_eq(changes, 2);
		ck_assert_uint_ge(changed, before);
	}
	ck_assert_uint_ge(changed, 60);
}
END_TEST

/*
 * Run a sweep whose variant b is better by so much: runs scatter by 1 %, blocks
 * by 5 %, and the machine drifts by 1 % a run. Returns whether a difference is
 * called.
 */
static bool simulate(uint64_t *state, double effect, struct difference *d)
{
	struct judge_verdict *v;
	struct sweep_next next;
	double block[64], position = 0;
	unsigned from, to;
	bool called;

	sweep.runs.n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(block); i++)
		block[i] = 0.05 * normal(state);
	while (sweep_order_next(&sweep.plan, &sweep.runs, &next)) {
		struct sweep_run *run =
			sweep_order_add(&sweep.runs, next.block, next.variant);

		run->attempts = 1;
		run->state = SWEEP_DONE;
		run->value =
			1000 * exp(block[next.block % 64] +
				   0.01 * normal(state) + 0.01 * position++ +
				   (next.variant ? log1p(effect) : 0));
	}
	v = sweep_print_verdicts(&sweep, &from, &to);
	called = v[1].p < 0.05;
	*d = v[1].d;
	free(v);
	return called;
}

/* P(X < 3) = .0023 and P(X > 20) = .0012 at 5 %. */
START_TEST(same_against_same)
{
	struct difference d;
	uint64_t state = 17;
	unsigned called = 0;

	vary(labels);
	make();
	for (unsigned i = 0; i < 200; i++) {
		sweep.plan.seed = i + 1;
		called += simulate(&state, 0, &d);
	}
	ck_assert_msg(called >= 3 && called <= 20, "%u of 200", called);
}
END_TEST

START_TEST(effect_is_found)
{
	struct difference d;
	uint64_t state = 5;
	unsigned found = 0, held = 0;

	vary(labels);
	make();
	for (unsigned i = 0; i < 100; i++) {
		sweep.plan.seed = i + 1;
		found += simulate(&state, 0.05, &d) && d.diff > 0;
		held += d.low < log1p(0.05) && d.high > log1p(0.05);
	}
	/* The power is 0.97 at 5 blocks with an sd of the differences of 2 %.
	 */
	ck_assert_msg(found >= 85, "%u of 100", found);
	ck_assert_msg(held >= 87, "%u of 100", held);
}
END_TEST

/* Blocks are added until all intervals are narrow, and not before five. */
START_TEST(until_narrow)
{
	char until[] = "ci<2%";
	struct difference d;
	uint64_t state = 3;

	settings.sweep.until = until;
	settings.sweep.blocks = 3;
	settings.sweep.max_blocks = 40;
	vary(labels);
	make();
	simulate(&state, 0, &d);
	ck_assert_uint_ge(d.n_a, 5);
	ck_assert_uint_lt(d.n_a, 40);
	ck_assert_double_lt((d.high - d.low) / 2, log1p(0.02));
	ck_assert_uint_le(sweep_order_needed(&sweep.plan, &d), d.n_a);
	/* The limit of blocks makes no interval narrow. */
	sweep.plan.max_blocks = 6;
	d.sd = 1;
	ck_assert_uint_gt(sweep_order_needed(&sweep.plan, &d), 6);
}
END_TEST

/* The rule's own vectors (sd 3.5 %: 3, 4 or 6 runs), beside a baseline that it
 * asks for 3 times and that accompanies the others. */
START_TEST(pts)
{
	static char rule[] = "pts2018";
	static const struct {
		double value[6];
		size_t n;
		bool converged;
	} row[] = {
		{ { 100, 103, 101 }, 3, true },
		{ { 100, 107, 101, 103 }, 4, true },
		{ { 100, 120, 101, 99, 100, 102 }, 6, false },
		{ { 100, 140, 100, 101, 100, 100 }, 6, false },
	};
	struct sweep_next next;
	struct power_pts figures;
	double x[15];
	bool more;

	settings.sweep.rule = rule;
	vary(labels);
	make();
	ck_assert_uint_eq(sweep.plan.blocks, 3);
	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		sweep.runs.n = 0;
		while (sweep_order_next(&sweep.plan, &sweep.runs, &next)) {
			struct sweep_run *run = sweep_order_add(
				&sweep.runs, next.block, next.variant);

			ck_assert_uint_le(next.block, 6);
			run->state = SWEEP_DONE;
			run->value = next.variant
					     ? row[i].value[next.block - 1]
					     : 100 + next.block % 2;
		}
		ck_assert_uint_eq(sweep.runs.n, 2 * row[i].n);
		ck_assert_uint_eq(sweep_order_pts(&sweep.runs, 1, 15, x,
						  &figures, &more),
				  row[i].n);
		ck_assert_int_eq(figures.converged, row[i].converged);
		ck_assert_uint_eq(sweep_order_pts(&sweep.runs, 0, 15, x,
						  &figures, &more),
				  3);
	}
	/* A run of more than an hour is the last one. */
	sweep.runs.n = 0;
	for (unsigned b = 1; b <= 3; b++)
		for (size_t v = 0; v < 2; v++) {
			struct sweep_run *run =
				sweep_order_add(&sweep.runs, b, v);

			run->state = SWEEP_DONE;
			run->value = b == 2 ? 120 : 100;
			run->seconds = 3601;
		}
	ck_assert(!sweep_order_next(&sweep.plan, &sweep.runs, &next));
}
END_TEST

/* Fresh blocks of the baseline and the winner, which alone decide. */
START_TEST(confirm)
{
	struct difference d;
	uint64_t state = 9;

	settings.sweep.confirm = 4;
	vary(labels);
	make();
	ck_assert(simulate(&state, 0.2, &d));
	ck_assert_uint_eq(d.n_a, 4);
	ck_assert_uint_eq(sweep.runs.n, 2 * (5 + 4));
}
END_TEST

/* With several comparisons the interval has the level of p, so that the two
 * never contradict each other; and it is wider than that of one comparison. */
START_TEST(interval_as_verdict)
{
	static char four[] = "label=a,b,c,d,e";
	struct judge_verdict *v;
	struct sweep_next next;
	unsigned from, to, told = 0, open = 0;
	uint64_t state = 21;

	vary(four);
	make();
	for (unsigned i = 0; i < 300; i++) {
		sweep.runs.n = 0;
		sweep.plan.stop = i % 3 == 2 ? POWER_STOP_LOOKS
					     : POWER_STOP_FIXED;
		while (sweep_order_next(&sweep.plan, &sweep.runs, &next)) {
			struct sweep_run *run = sweep_order_add(
				&sweep.runs, next.block, next.variant);

			run->state = SWEEP_DONE;
			run->value = 1000 * exp(0.01 * normal(&state) +
						0.01 * (double)next.variant);
		}
		v = sweep_print_verdicts(&sweep, &from, &to);
		for (size_t k = 1; k < 5; k++) {
			bool excludes = v[k].d.low > 0 || v[k].d.high < 0;

			ck_assert_int_eq(excludes, v[k].p < 0.05);
			ck_assert_double_ge(v[k].level, 0.95);
			told += excludes;
			open += !excludes;
		}
		free(v);
	}
	ck_assert_uint_gt(told, 100);
	ck_assert_uint_gt(open, 100);
}
END_TEST

/* Looks after 5, 10 and 15 blocks only; all of them call 5 % at most of equal
 * variants different, and a difference ends the sweep early. */
START_TEST(until_verdict)
{
	static char until[] = "verdict";
	struct difference d;
	uint64_t state = 23;
	unsigned called = 0, early = 0;

	settings.sweep.until = until;
	vary(labels);
	make();
	for (unsigned i = 0; i < 200; i++) {
		sweep.plan.seed = i + 1;
		called += simulate(&state, 0, &d);
		ck_assert_uint_eq(d.n_a % 5, 0);
		ck_assert_uint_le(d.n_a, 15);
	}
	ck_assert_msg(called >= 3 && called <= 20, "%u of 200", called);
	for (unsigned i = 0; i < 50; i++) {
		simulate(&state, 0.1, &d);
		early += d.n_a == 5;
	}
	ck_assert_uint_ge(early, 40);
	settings.sweep.blocks = 6;
	ck_assert_int_eq(sweep_plan_make(&sweep.plan, &settings), -EINVAL);
}
END_TEST

/* A run that is open is next, at its place; one given up is not. */
START_TEST(goes_on)
{
	struct sweep_next first, next;

	vary(labels);
	make();
	ck_assert(sweep_order_next(&sweep.plan, &sweep.runs, &first));
	sweep_order_add(&sweep.runs, first.block, first.variant)->attempts = 1;
	ck_assert(sweep_order_next(&sweep.plan, &sweep.runs, &next));
	ck_assert_uint_eq(next.variant, first.variant);
	sweep.runs.run[0].state = SWEEP_LOST;
	ck_assert(sweep_order_next(&sweep.plan, &sweep.runs, &next));
	ck_assert_uint_ne(next.variant, first.variant);
	ck_assert_uint_eq(next.block, 1);
}
END_TEST

/* The end of what was started with err. */
static int stage_end(struct sweep_stage *st, int err)
{
	int rc = 1;

	while (err == 0 && (rc = sweep_stage_poll(st)) == 1)
		usleep(10000);
	return err < 0 ? err : rc;
}

static int make_ext2(struct sweep_stage *st)
{
	return stage_end(st, sweep_stage_mkfs(st, "ext2"));
}

/* Another program makes a file system on the scratch device between two cells.
 */
START_TEST(file_system_of_another)
{
	struct sweep_plan p = { .scratch_bytes = 16u << 20 };
	struct allow_list allowed = { 0 };
	struct sweep_stage st;
	struct root root;

	if (geteuid() != 0 || !can_loop() ||
	    run_command("command -v mkfs.ext2 mkfs.ext4"))
		return;
	ck_assert_int_eq(root_open(&root, NULL), 0);
	sweep_stage_init(&st);
	ck_assert_int_eq(sweep_stage_open(&st, &p, &root, &allowed), 0);
	/* mkfs runs in an empty folder. */
	ck_assert_int_eq(unshare(CLONE_NEWNS), 0);
	ck_assert_int_eq(sweep_stage_own_mounts(), 0);
	for (int i = 0; i < 2; i++)
		ck_assert_msg(make_ext2(&st) == 0, "%s", fail_sentence());
	/* Its own mount is no foreign one. */
	ck_assert_int_eq(stage_end(&st, sweep_stage_mount(&st, "ext2")), 0);
	ck_assert_int_eq(stage_end(&st, sweep_stage_umount(&st)), 0);
	ck_assert_msg(make_ext2(&st) == 0, "%s", fail_sentence());
	/* Somebody's files on the very file system that the sweep made. */
	ck_assert_int_eq(run_command("mkdir -p /run/iodyno-foreign && "
				     "mount -t ext2 %s /run/iodyno-foreign && "
				     "cp /etc/passwd /run/iodyno-foreign && "
				     "umount /run/iodyno-foreign",
				     st.device),
			 0);
	run_command("rmdir /run/iodyno-foreign");
	ck_assert_int_eq(make_ext2(&st), -EPERM);
	/* Another one with the same type, label and UUID. */
	ck_assert_int_eq(run_command("mkfs.ext2 -qF -U $(blkid -p -o value -s "
				     "UUID %s) %s",
				     st.device, st.device),
			 0);
	ck_assert_int_eq(make_ext2(&st), -EPERM);
	ck_assert_int_eq(run_command("mkfs.ext4 -qF %s", st.device), 0);
	ck_assert_int_eq(make_ext2(&st), -EPERM);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "another program made"));
	/* It stays as it is. */
	ck_assert_int_eq(
		run_command("blkid -p -o value %s | grep -qx ext4", st.device),
		0);
	ck_assert_int_eq(run_command("wipefs -qa %s", st.device), 0);
	ck_assert_int_eq(make_ext2(&st), -EPERM);
	sweep_stage_close(&st);
	root_close(&root);
}
END_TEST

/* Messages of drivers and file systems, as kernels print them. */
START_TEST(kernel_messages)
{
	static const struct {
		const char *text, *device;
		enum kernel_log_sign sign;
	} all[] = {
		{ "I/O error, dev sda, sector 8 op 0x0:(READ) flags 0x80700",
		  "sda", KERNEL_LOG_DEVICE },
		{ "I/O error, dev sdab, sector 8", "sda", KERNEL_LOG_OTHER },
		{ "Buffer I/O error on dev sda1, logical block 0", "sda",
		  KERNEL_LOG_DEVICE },
		{ "I/O error, dev loop12, sector 8", "loop1", KERNEL_LOG_OTHER },
		{ "nvme nvme0: I/O 5 QID 3 timeout, aborting", "nvme0n1",
		  KERNEL_LOG_DEVICE },
		{ "nvme nvme1: I/O 5 QID 3 timeout, aborting", "nvme0n1",
		  KERNEL_LOG_OTHER },
		{ "I/O error, dev nvme0n1p2, sector 8", "nvme0n1",
		  KERNEL_LOG_DEVICE },
		{ "ata3: hard resetting link", "sda", KERNEL_LOG_OTHER },
		{ "EXT4-fs error (device sdb1): ext4_find_entry:1455", "sdb",
		  KERNEL_LOG_DEVICE },
		{ "INFO: task jbd2/sda1-8:231 blocked for more than 120 "
		  "seconds.",
		  "vda", KERNEL_LOG_DEVICE },
		{ "EXT4-fs (sda1): mounted filesystem", "sda",
		  KERNEL_LOG_NOTHING },
		{ "loop0: detected capacity change from 0 to 131072", "loop0",
		  KERNEL_LOG_NOTHING },
		{ "I/O error, dev sda, sector 8", NULL, KERNEL_LOG_OTHER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		ck_assert_msg(collect_log_judge(all[i].text, all[i].device) ==
				      all[i].sign,
			      "%s", all[i].text);
}
END_TEST

/* The counts of two processors, of which one has no package's count. */
static void put_throttles(const char *tree, int first, int package, int second)
{
	ck_assert_int_eq(
		run_command("cd %s && mkdir -p sys/devices/system/cpu && cd "
			    "sys/devices/system/cpu && "
			    "mkdir -p cpu0/thermal_throttle "
			    "cpu1/thermal_throttle && "
			    "echo %d >cpu0/thermal_throttle/"
			    "core_throttle_count && "
			    "echo %d >cpu0/thermal_throttle/"
			    "package_throttle_count && "
			    "echo %d >cpu1/thermal_throttle/"
			    "core_throttle_count",
			    tree, first, package, second),
		0);
}

/* A frame of the jobs at that temperature. */
static void one_run(struct sweep_audit *a, const struct root *root, double c)
{
	sweep_audit_begin(a, root);
	sweep_audit_frame(a, c);
}

START_TEST(heat)
{
	char *tree = make_tree(NULL), words[CHECK_WORDS];
	struct checks facts = { 0 };
	const struct check_case of = { .facts = &facts, .words = words };
	const struct check *check = checks_table_find("heat");
	struct sweep_audit a;
	struct root root;

	ck_assert_ptr_nonnull(check);
	ck_assert_int_eq(root_open(&root, tree), 0);
	sweep_audit_init(&a);
	a.what = SWEEP_AUDIT_TEMPERATURE;
	/* Without counters and without a sensor there is nothing to report. */
	one_run(&a, &root, NAN);
	ck_assert(!sweep_audit_temperature(&a, &root, words, sizeof(words)));
	ck_assert(!sweep_audit_is_hot(&a, 80));
	sweep_audit_facts(&a, &facts);
	ck_assert_int_eq(check->judge(&of),
			 CHECK_UNKNOWN);

	put_throttles(tree, 5, 7, 1);
	ck_assert_int_eq(collect_throttles(&root), 13);
	one_run(&a, &root, 41);
	ck_assert(sweep_audit_temperature(&a, &root, words, sizeof(words)));
	ck_assert_str_eq(words,
			 "41 C, then 41 C; no processor was slowed by heat");
	sweep_audit_facts(&a, &facts);
	ck_assert_int_eq(check->judge(&of), CHECK_OK);
	ck_assert(!sweep_audit_is_hot(&a, 44));
	ck_assert(sweep_audit_is_hot(&a, 44.5));
	ck_assert(!sweep_audit_is_hot(&a, 30));
	ck_assert(!sweep_audit_is_hot(&a, NAN));

	one_run(&a, &root, 47);
	put_throttles(tree, 6, 8, 1);
	ck_assert(sweep_audit_temperature(&a, &root, words, sizeof(words)));
	ck_assert_str_eq(words, "47 C, then 47 C; the first run began at 41 C; "
				"heat slowed the processors 2 times");
	sweep_audit_facts(&a, &facts);
	ck_assert_int_eq(check->judge(&of), CHECK_NOTE);
	ck_assert_str_eq(words, "heat slowed the processors 2 times");

	/* --audit may leave it out. */
	a.what = 0;
	ck_assert(!sweep_audit_is_hot(&a, 80));
	sweep_audit_close(&a);
	root_close(&root);
	remove_dir(tree);
}
END_TEST

/* A disk's answer: a page of NVMe with these two counts. */
static void send_counts(int peer, unsigned media_errors, unsigned transitions)
{
	struct smart_answer a = { .disk = 0 };

	a.page[1] = 0x43; /* 323 K */
	a.page[2] = 1;
	a.page[160] = (uint8_t)media_errors;
	a.page[216] = (uint8_t)transitions;
	ck_assert(send(peer, &a, sizeof(a), 0) == sizeof(a));
}

/* A run, before and after which the disk has these counts. */
static void counted_run(struct sweep_audit *a, const struct root *root,
			int peer, const unsigned counts[4], char words[160])
{
	sweep_audit_begin(a, root);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert(sweep_audit_smart_begin(a, i, words, 160));
		send_counts(peer, counts[2 * i], counts[2 * i + 1]);
		ck_assert_int_eq(sweep_audit_smart_poll(a, 1, words, 160), 0);
		if (!i)
			ck_assert_str_eq(words, "nvme0n1 50 C");
	}
}

START_TEST(smart)
{
	static const struct {
		unsigned counts[4];
		enum check_state state;
		const char *words;
	} all[] = {
		{ { 5, 7, 5, 7 }, CHECK_OK, "" },
		{ { 5, 7, 5, 9 }, CHECK_NOTE,
		  "nvme0n1: thm_temp1_trans_count rose by 2 to 9" },
		{ { 5, 7, 6, 7 }, CHECK_INVALID,
		  "nvme0n1: media_errors rose by 1 to 6" },
	};
	const struct check *check = checks_table_find("smart");
	struct checks facts = { 0 };
	char words[160], text[CHECK_WORDS] = "";
	const struct check_case of = { .facts = &facts, .words = text };
	struct json *result;
	struct sweep_audit a;
	struct root root;
	int pair[2];

	ck_assert_ptr_nonnull(check);
	ck_assert_int_eq(root_open(&root, NULL), 0);
	ck_assert(!socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
	sweep_audit_init(&a);
	a.what = SWEEP_AUDIT_SMART;
	sweep_audit_facts(&a, &facts);
	ck_assert_int_eq(check->judge(&of), CHECK_UNKNOWN);
	a.smart.n = 1;
	a.smart.socket = pair[0];
	strcpy(a.smart.disk[0].name, "nvme0n1");
	a.smart.disk[0].interface = SMART_NVME;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		counted_run(&a, &root, pair[1], all[i].counts, words);
		ck_assert(strstr(words, *all[i].words
						? all[i].words + 9
						: "no count of errors or heat"));
		sweep_audit_facts(&a, &facts);
		ck_assert_int_eq(check->judge(&of),
				 all[i].state);
		ck_assert_str_eq(text, all[i].words);
	}
	result = json_new_object();
	sweep_audit_put_json(&a, result);
	ck_assert_double_eq(
		json_get_number(json_get(json_at(json_get(result, "smart"), 0),
					 "before"),
				"media_errors"),
		5);
	ck_assert_double_eq(
		json_get_number(json_get(json_at(json_get(result, "smart"), 0),
					 "after"),
				"media_errors"),
		6);
	json_free(result);

	/* A run that fails before it begins has nothing of the last one. */
	sweep_audit_begin(&a, &root);
	sweep_audit_facts(&a, &facts);
	ck_assert_int_eq(check->judge(&of), CHECK_UNKNOWN);

	/* A disk that does not answer is left alone until it does. */
	ck_assert(sweep_audit_smart_begin(&a, 0, words, sizeof(words)));
	ck_assert_int_eq(sweep_audit_smart_poll(&a, 9000000000, words,
						sizeof(words)),
			 1);
	ck_assert_int_eq(sweep_audit_smart_poll(&a, 11000000000, words,
						sizeof(words)),
			 0);
	ck_assert_str_eq(words, "not read: nvme0n1 does not answer");
	ck_assert(!sweep_audit_smart_begin(&a, 1, words, sizeof(words)));
	ck_assert_str_eq(words, "not read: nvme0n1 does not answer");
	send_counts(pair[1], 0, 0);
	ck_assert(sweep_audit_smart_begin(&a, 0, words, sizeof(words)));
	sweep_audit_close(&a);
	close(pair[1]);
	root_close(&root);
}
END_TEST

/* A disk without counters is named once. */
START_TEST(no_smart)
{
	struct sweep_audit a;
	char words[160] = "";

	sweep_audit_init(&a);
	a.what = SWEEP_AUDIT_SMART;
	ck_assert(!sweep_audit_smart_begin(&a, 0, words, sizeof(words)));
	ck_assert_str_eq(words, "");
	a.smart.n = 1;
	strcpy(a.smart.disk[0].name, "vda");
	ck_assert(!sweep_audit_smart_begin(&a, 0, words, sizeof(words)));
	ck_assert_str_eq(words, "not read: vda has no health counters");
	*words = '\0';
	ck_assert(!sweep_audit_smart_begin(&a, 1, words, sizeof(words)));
	ck_assert_str_eq(words, "");
	sweep_audit_close(&a);
}
END_TEST

/* --resume compares with the first run of the log, not of the program. */
START_TEST(first_temperature)
{
	char *dir = make_dir(), path[200];
	struct sweep_past past = { 0 };
	FILE *f;

	snprintf(path, sizeof(path), "%s/log", dir);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs("{\"type\":\"header\",\"argv\":[\"iodyno\",\"sweep\"]}\n"
	      "{\"type\":\"plan\",\"hash\":\"1f\"}\n"
	      "{\"type\":\"result\",\"state\":\"failed\"}\n"
	      "{\"type\":\"result\",\"temperature\":{\"from_c\":1e9}}\n"
	      "{\"type\":\"result\",\"temperature\":{\"from_c\":41.5}}\n"
	      "{\"type\":\"result\",\"temperature\":{\"from_c\":60}}\n",
	      f);
	fclose(f);
	ck_assert_int_eq(sweep_log_open(&past, path), 0);
	ck_assert(past.has_first_c);
	ck_assert_double_eq(past.first_c, 41.5);
	sweep_log_free(&past);
	remove_dir(dir);
}
END_TEST

/* One boot for each kernel of a block, unless it runs already. */
START_TEST(boots)
{
	static char kernels[] = "kernel=6.1,6.2";
	size_t n;

	vary(labels);
	make();
	ck_assert_uint_eq(sweep_order_boots(&sweep.plan), 1);
	vary(kernels);
	make();
	n = sweep_order_boots(&sweep.plan);
	ck_assert_uint_ge(n, 6);
	ck_assert_uint_le(n, 10);
}
END_TEST

/* The time left is within two standard deviations of each run, however many
 * runs are behind. */
START_TEST(time_left)
{
	double low, high;

	vary(labels);
	settings.sweep.blocks = 100;
	make();
	for (unsigned b = 1; b < 100; b++)
		for (size_t v = 0; v < 2; v++) {
			struct sweep_run *run =
				sweep_order_add(&sweep.runs, b, v);

			run->state = SWEEP_DONE;
			run->seconds = b % 2 ? 9 : 11;
		}
	sweep_screen_left(&sweep, &low, &high);
	ck_assert_double_eq_tol(low, 16, 0.1);
	ck_assert_double_eq_tol(high, 24, 0.1);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("sweep");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 300);
	tcase_add_test(t, values);
	tcase_add_test(t, whole_plots);
	tcase_add_test(t, same_against_same);
	tcase_add_test(t, effect_is_found);
	tcase_add_test(t, until_narrow);
	tcase_add_test(t, interval_as_verdict);
	tcase_add_test(t, until_verdict);
	tcase_add_test(t, pts);
	tcase_add_test(t, confirm);
	tcase_add_test(t, goes_on);
	tcase_add_test(t, time_left);
	tcase_add_test(t, kernel_messages);
	tcase_add_test(t, heat);
	tcase_add_test(t, smart);
	tcase_add_test(t, no_smart);
	tcase_add_test(t, first_temperature);
	tcase_add_test(t, boots);
	tcase_add_test(t, file_system_of_another);
	suite_add_tcase(suite, t);
}
