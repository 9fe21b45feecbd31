/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every fuzz target on the files of its corpus, without a fuzzer: what once
 * crashed one is kept there and stays mended.
 */
#include <dirent.h>
#include <stdio.h>

#include "base/alloc.h"

#include "fuzz.h"
#include "test.h"

static struct fuzz_target *targets;

void fuzz_register(struct fuzz_target *target)
{
	target->next = targets;
	targets = target;
}

static int n_targets(void)
{
	int n = 0;

	for (const struct fuzz_target *t = targets; t; t = t->next)
		n++;
	return n;
}

static void run_file(const struct fuzz_target *t, const char *path)
{
	static uint8_t bytes[1 << 20];
	FILE *f = fopen(path, "r");
	uint8_t *exact;
	size_t n;

	ck_assert_msg(f != NULL, "%s cannot be opened", path);
	n = fread(bytes, 1, sizeof(bytes), f);
	ck_assert_msg(feof(f), "%s is larger than 1 MiB", path);
	fclose(f);
	/* Ends where the bytes end, so that a sanitizer sees what reads on. */
	exact = xmalloc(n ? n : 1);
	memcpy(exact, bytes, n);
	/* A crash says the file. */
	fprintf(stderr, "%s\n", path);
	t->one(exact, n);
	free(exact);
}

START_TEST(target_takes_its_corpus)
{
	const struct fuzz_target *t = targets;
	const struct dirent *e;
	char path[512];
	int files = 0;
	DIR *dir;

	for (int i = 0; i < _i; i++)
		t = t->next;
	snprintf(path, sizeof(path), SRCDIR "/corpus/%s", t->name);
	dir = opendir(path);
	ck_assert_msg(dir != NULL, "%s is missing", path);
	while ((e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), SRCDIR "/corpus/%s/%s", t->name,
			 e->d_name);
		run_file(t, path);
		files++;
	}
	closedir(dir);
	ck_assert_msg(files > 0, "no corpus for fuzz_%s", t->name);
	t->one((const uint8_t *)"", 0);
}
END_TEST

void test_suite(Suite *suite)
{
	TCase *tc = tcase_create("corpus");

	if (n_targets() == 0)
		test_skip("no fuzz target is linked in");
	tcase_add_loop_test(tc, target_takes_its_corpus, 0, n_targets());
	suite_add_tcase(suite, tc);
}
