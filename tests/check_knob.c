/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Knob: the table, values, reading and sampling, on a fake tree. */
#include "knob/knob.h"

#include "model/schema/schema_machine.h"

#include "knob_tree.h"

#include <sys/resource.h>

START_TEST(table_is_whole)
{
	for (size_t i = 0; i < n_knobs; i++) {
		ck_assert_ptr_eq(knob_find(knobs[i].name), &knobs[i]);
		ck_assert(knobs[i].help[0] &&
			  knobs[i].help[strlen(knobs[i].help) - 1] != '.');
		ck_assert(i == 0 || knobs[i - 1].order < knobs[i].order);
		ck_assert_int_le(knobs[i].min, knobs[i].max);
		ck_assert(!knobs[i].host || knob_is_host(knobs[i].host));
	}
	for (size_t i = 0; schema_knob_group(i); i++) {
		bool any = false;

		for (size_t k = 0; k < n_knobs; k++)
			any |= knobs[k].host &&
			       !strcmp(knobs[k].host, schema_knob_group(i));
		ck_assert_msg(any, "%s", schema_knob_group(i));
	}
	ck_assert(!knob_is_host("vda") && !knob_is_host("v"));
	ck_assert(!knob_is_host("kernel2") && !knob_is_host(""));
	ck_assert_str_eq(knobs[n_knobs - 1].name, "read_ahead_kb");
	ck_assert_str_eq(knob_find("iosched.fifo_batch")->name, "iosched");
	ck_assert_ptr_null(knob_find("iosched."));
	ck_assert_ptr_null(knob_find("scheduler.x"));
	ck_assert_ptr_null(knob_find("sched"));
	ck_assert_ptr_null(knob_find(""));
}
END_TEST

START_TEST(values_are_parsed)
{
	const struct knob *row = knob_find("scheduler");
	char v[16], c[64];

	ck_assert(knob_value_parse(row, "none [mq-deadline] kyber\n", v, 16, c,
				   64));
	ck_assert_str_eq(v, "mq-deadline");
	ck_assert_str_eq(c, "none mq-deadline kyber");
	ck_assert(knob_value_parse(row, "none [bfq]", v, 16, c, 64));
	ck_assert_str_eq(v, "bfq");
	ck_assert(knob_value_parse(row, "bfq\n", v, 16, c, 64));
	ck_assert_str_eq(v, "bfq");
	ck_assert_str_eq(c, "");
	ck_assert(knob_value_parse(row, "", v, 16, NULL, 0));
	ck_assert_str_eq(v, "");
	ck_assert(!knob_value_parse(row, "[a-name-that-is-too-long]", v, 16, c,
				    64));
	ck_assert(knob_value_parse(knob_find("nr_requests"), " 64\n", v, 16, c,
				   64));
	ck_assert_str_eq(v, "64");
}
END_TEST

START_TEST(paths_stay_inside)
{
	const struct knob *row = knob_find("iosched.x");
	char path[KNOB_PATH_MAX];

	ck_assert(knob_path(row, "vda", "iosched.fifo_batch", path));
	ck_assert_str_eq(path, "sys/block/vda/queue/iosched/fifo_batch");
	ck_assert(!knob_path(row, "vda", "iosched...", path) ||
		  !strstr(path, "/../"));
	ck_assert(!knob_path(row, "vda", "iosched.a/b", path));
	ck_assert(!knob_path(row, "..", "iosched.a", path));
	ck_assert(!knob_path(row, "", "iosched.a", path));
	ck_assert(!knob_path(row, "vda", "iosched", path));
	ck_assert(!knob_path(knob_find("dirty_ratio"), "vda", "dirty_ratio",
			     path));
	ck_assert(knob_device_path("cciss/c0d0", "diskseq", path));
	ck_assert_str_eq(path, "sys/block/cciss!c0d0/diskseq");
}
END_TEST

START_TEST(one_is_read)
{
	char v[64], c[64];

	ck_assert_int_eq(knob_get(&root, "vda", "scheduler", v, 64, c, 64), 0);
	ck_assert_str_eq(v, "mq-deadline");
	ck_assert_str_eq(c, "none mq-deadline kyber bfq");
	ck_assert_int_eq(
		knob_get(&root, "vda", "iosched.fifo_batch", v, 64, c, 64), 0);
	ck_assert_str_eq(v, "16");
	ck_assert_str_eq(c, "");
	ck_assert_int_eq(knob_get(&root, "vm", "dirty_ratio", v, 64, c, 64), 0);
	ck_assert_str_eq(v, "20");
	ck_assert_int_eq(knob_get(&root, "vdz", "scheduler", v, 64, c, 64),
			 -ENODEV);
	ck_assert_int_eq(knob_get(&root, "dm-0", "scheduler", v, 64, c, 64),
			 -ENOENT);
	ck_assert_int_eq(knob_get(&root, "vda", "schedule", v, 64, c, 64),
			 -EINVAL);
	ck_assert_ptr_nonnull(strstr(fail_sentence(), "scheduler"));
}
END_TEST

static const struct {
	const char *device, *knob, *value;
	int rc;
} wishes[] = {
	{ "vda", "scheduler", "bfq", 0 },
	{ "vda", "scheduler", "BFQ", -EINVAL },
	{ "vda", "scheduler", "[bfq]", -EINVAL },
	{ "vda", "scheduler", "none bfq", -EINVAL },
	{ "vda", "scheduler", "", -EINVAL },
	{ "vda", "nr_requests", "64", 0 },
	{ "vda", "nr_requests", "2", -EINVAL },
	{ "vda", "nr_requests", "0x40", -EINVAL },
	{ "vda", "nr_requests", " 64", -EINVAL },
	{ "vda", "nr_requests", "64k", -EINVAL },
	{ "vda", "nr_requests", "99999999999999999999", -EINVAL },
	{ "vda", "nomerges", "3", -EINVAL },
	{ "vda", "wbt_lat_usec", "-1", 0 },
	{ "vda", "wbt_lat_usec", "-2", -EINVAL },
	{ "vda", "read_ahead_kb", "4294967295", 0 },
	{ "vda", "read_ahead_kb", "4294967296", -EINVAL },
	{ "vda", "iosched.fifo_batch", "-1", -EINVAL },
	{ "vda", "iosched.fifo_batch", "1\n2", -EINVAL },
	{ "vda", "iosched.fifo_batch", "8", 0 },
	{ "vda", "iosched.slice_idle", "8", -ENOENT },
	{ "vm", "dirty_ratio", "101", -EINVAL },
	{ "vm", "dirty_ratio", "10", 0 },
	{ "vm", "scheduler", "none", -ENOENT },
};

START_TEST(wishes_are_checked)
{
	ck_assert_msg(knob_check(&root, wishes[_i].device, wishes[_i].knob,
				 wishes[_i].value) == wishes[_i].rc,
		      "%s.%s=%s: %s", wishes[_i].device, wishes[_i].knob,
		      wishes[_i].value, fail_sentence());
}
END_TEST

static struct device_raw *add_device(struct sample *s, const char *name,
				     const char *kind, uint64_t reads)
{
	struct device_raw *r = sample_add(s, SCHEMA_DEVICE);

	strcpy(r->key.id, name);
	strcpy(r->kind, kind);
	r->key.generation = 1;
	r->ios[DEVICE_READ] = reads;
	return r;
}

static const char *value_in(const struct sample *s, const char *id)
{
	const struct knob_raw *r = sample_find(s, SCHEMA_KNOB, id);

	return r ? r->value : "(absent)";
}

static void take(struct knob_sampler *k, struct sample *s, uint64_t reads)
{
	sample_reset(s);
	add_device(s, "vda", "disk", reads);
	add_device(s, "vda1", "part", reads);
	add_device(s, "vdb", "disk", 0);
	add_device(s, "dm-0", "dm", 0);
	knob_sampler_read(k, s);
}

START_TEST(sample_has_all)
{
	struct knob_sampler *k = knob_sampler_new(&root);
	struct sample s = { 0 };
	struct device_raw *r;

	take(k, &s, 1);
	ck_assert_str_eq(value_in(&s, "vda.scheduler"), "mq-deadline");
	ck_assert_str_eq(value_in(&s, "vda.iosched.fifo_batch"), "16");
	ck_assert_str_eq(value_in(&s, "vm.dirty_ratio"), "20");
	ck_assert_str_eq(value_in(&s, "dm-0.read_ahead_kb"), "512");
	ck_assert_str_eq(value_in(&s, "dm-0.scheduler"), "(absent)");
	ck_assert_str_eq(value_in(&s, "vda1.read_ahead_kb"), "(absent)");
	r = sample_find(&s, SCHEMA_DEVICE, "vda");
	ck_assert_str_eq(r->scheduler, "mq-deadline");
	ck_assert_int_eq(r->read_ahead_kb, 128);
	r = sample_find(&s, SCHEMA_DEVICE, "vda1");
	ck_assert_str_eq(r->scheduler, "");
	ck_assert_int_eq(r->read_ahead_kb, -1);
	r = sample_find(&s, SCHEMA_DEVICE, "dm-0");
	ck_assert_str_eq(r->scheduler, "");
	ck_assert_int_eq(r->read_ahead_kb, 512);
	sample_free(&s);
	knob_sampler_free(k);
}
END_TEST

START_TEST(sample_sees_changes)
{
	struct knob_sampler *k = knob_sampler_new(&root);
	struct sample s = { 0 };
	char path[128];
	int i;

	for (i = 1; i < 4; i++)
		take(k, &s, (uint64_t)i);
	/* A working device: at once, and its tunables with the scheduler. */
	tree_put(Q("scheduler"), "none mq-deadline kyber [bfq]\n");
	snprintf(path, sizeof(path), "%s/" Q("iosched/fifo_batch"), tree);
	unlink(path);
	tree_put(Q("iosched/low_latency"), "1\n");
	take(k, &s, 10);
	ck_assert_str_eq(value_in(&s, "vda.scheduler"), "bfq");
	ck_assert_str_eq(value_in(&s, "vda.iosched.fifo_batch"), "(absent)");
	ck_assert_str_eq(value_in(&s, "vda.iosched.low_latency"), "1");
	/* An idle one: within a round; a watched one: at once. */
	tree_put("sys/block/vdb/queue/read_ahead_kb", "64\n");
	for (i = 0; i < 16; i++)
		take(k, &s, 10);
	ck_assert_str_eq(value_in(&s, "vdb.read_ahead_kb"), "64");
	knob_sampler_watch(k, "vdb");
	tree_put("sys/block/vdb/queue/read_ahead_kb", "32\n");
	take(k, &s, 10);
	ck_assert_str_eq(value_in(&s, "vdb.read_ahead_kb"), "32");
	/* A device that goes takes its rows with it. */
	sample_reset(&s);
	add_device(&s, "vdb", "disk", 0);
	knob_sampler_read(k, &s);
	ck_assert_str_eq(value_in(&s, "vda.scheduler"), "(absent)");
	ck_assert_str_eq(value_in(&s, "vdb.scheduler"), "none");
	sample_free(&s);
	knob_sampler_free(k);
}
END_TEST

static const struct knob_raw *row_in(const struct sample *s, const char *id)
{
	const struct knob_raw *r = sample_find(s, SCHEMA_KNOB, id);

	ck_assert_msg(r != NULL, "no %s", id);
	return r;
}

/* What it was at the start, for knobs that came back as well. */
START_TEST(sample_knows_the_start)
{
	struct knob_sampler *k = knob_sampler_new(&root);
	struct sample s = { 0 };
	struct device_raw *r;

	knob_sampler_watch(k, "vda");
	take(k, &s, 1);
	ck_assert_ptr_null(row_in(&s, "vda.scheduler")->original);
	tree_put(Q("iosched/fifo_batch"), "1\n");
	tree_put(Q("read_ahead_kb"), "4096\n");
	take(k, &s, 2);
	ck_assert_str_eq(row_in(&s, "vda.iosched.fifo_batch")->original, "16");
	r = sample_find(&s, SCHEMA_DEVICE, "vda");
	ck_assert_str_eq(r->scheduler_was, "");
	ck_assert_int_eq(r->read_ahead_was_kb, 128);
	/* Of another scheduler it is another tunable. */
	tree_put(Q("scheduler"), "none mq-deadline kyber [bfq]\n");
	take(k, &s, 3);
	r = sample_find(&s, SCHEMA_DEVICE, "vda");
	ck_assert_str_eq(r->scheduler_was, "mq-deadline");
	ck_assert_str_eq(row_in(&s, "vda.scheduler")->original, "mq-deadline");
	ck_assert_ptr_null(row_in(&s, "vda.iosched.fifo_batch")->original);
	tree_put(Q("scheduler"), "none [mq-deadline] kyber bfq\n");
	tree_put(Q("read_ahead_kb"), "128\n");
	take(k, &s, 4);
	ck_assert_ptr_null(row_in(&s, "vda.scheduler")->original);
	ck_assert_str_eq(row_in(&s, "vda.iosched.fifo_batch")->original, "16");
	r = sample_find(&s, SCHEMA_DEVICE, "vda");
	ck_assert_int_eq(r->read_ahead_was_kb, -1);
	sample_free(&s);
	knob_sampler_free(k);
}
END_TEST

/* The reason holds a word; "" is no reason. */
static void reason_is(const struct sample *s, const char *id, const char *word)
{
	const char *why = row_in(s, id)->no_effect;

	if (!*word)
		ck_assert_msg(why == NULL, "%s: %s", id, why);
	else
		ck_assert_msg(why && strstr(why, word), "%s: %s", id, why);
}

START_TEST(sample_says_what_is_idle)
{
	struct knob_sampler *k = knob_sampler_new(&root);
	struct sample s = { 0 };

	tree_put(Q("iosched/front_merges"), "1\n");
	tree_put(Q("nomerges"), "2\n");
	tree_put("proc/sys/vm/dirty_background_ratio", "30\n");
	tree_put("proc/sys/vm/dirty_writeback_centisecs", "0\n");
	tree_put("proc/sys/vm/dirty_expire_centisecs", "3000\n");
	tree_put("sys/block/vdb/queue/scheduler", "[none]\n");
	sample_reset(&s);
	add_device(&s, "vda", "disk", 1);
	strcpy(add_device(&s, "vda1", "part", 1)->parent, "vda");
	add_device(&s, "vdb", "disk", 1);
	add_device(&s, "dm-0", "dm", 1)->members = "vda1";
	add_device(&s, "loop0", "loop", 1)->members = "vdb";
	knob_sampler_read(k, &s);
	reason_is(&s, "vda.read_ahead_kb", "dm-0");
	reason_is(&s, "vdb.read_ahead_kb", "");
	reason_is(&s, "dm-0.read_ahead_kb", "");
	reason_is(&s, "vda.scheduler", "");
	reason_is(&s, "vdb.scheduler", "no other");
	reason_is(&s, "vda.iosched.front_merges", "nomerges");
	reason_is(&s, "vda.iosched.fifo_batch", "");
	reason_is(&s, "vm.dirty_background_ratio", "dirty_ratio (20)");
	reason_is(&s, "vm.dirty_expire_centisecs", "dirty_writeback");
	/* A file system with its own readahead, on a partition. */
	sample_reset(&s);
	add_device(&s, "vdb", "disk", 2);
	strcpy(add_device(&s, "vdb1", "part", 2)->parent, "vdb");
	strcpy(((struct device_raw *)sample_find(&s, SCHEMA_DEVICE, "vdb1"))
		       ->member_of,
	       "btrfs:x");
	knob_sampler_read(k, &s);
	reason_is(&s, "vdb.read_ahead_kb", "btrfs:x");
	sample_free(&s);
	knob_sampler_free(k);
}
END_TEST

static int open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Many busy devices must not use up the files this process may open. */
START_TEST(sample_keeps_few_files)
{
	struct rlimit limit = { 64, 64 };
	struct knob_sampler *k;
	struct sample s = { 0 };
	char path[128], name[32];
	int before = open_files();

	for (int i = 0; i < 100; i++) {
		snprintf(path, sizeof(path),
			 "sys/block/sd%d/queue/read_ahead_kb", i);
		tree_put(path, "128\n");
	}
	setrlimit(RLIMIT_NOFILE, &limit);
	k = knob_sampler_new(&root);
	for (int round = 1; round < 4; round++) {
		sample_reset(&s);
		for (int i = 0; i < 100; i++) {
			snprintf(name, sizeof(name), "sd%d", i);
			add_device(&s, name, "disk", (uint64_t)round);
		}
		knob_sampler_read(k, &s);
		ck_assert_str_eq(value_in(&s, "sd99.read_ahead_kb"), "128");
		ck_assert_int_le(open_files(), before + 16);
	}
	knob_sampler_free(k);
	ck_assert_int_eq(open_files(), before);
	sample_free(&s);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *t = tcase_create("tree");

	tcase_add_checked_fixture(t, tree_make, tree_remove);
	tcase_add_test(t, table_is_whole);
	tcase_add_test(t, values_are_parsed);
	tcase_add_test(t, paths_stay_inside);
	tcase_add_test(t, one_is_read);
	tcase_add_loop_test(t, wishes_are_checked, 0, (int)ARRAY_SIZE(wishes));
	tcase_add_test(t, sample_has_all);
	tcase_add_test(t, sample_sees_changes);
	tcase_add_test(t, sample_knows_the_start);
	tcase_add_test(t, sample_says_what_is_idle);
	tcase_add_test(t, sample_keeps_few_files);
	suite_add_tcase(suite, t);
}
