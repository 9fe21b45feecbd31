/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Offer of the scenes, and their golden screens. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

#include "ui_scene.h"

#define GOLDEN_BYTES (1 << 18)

static const char *preset(size_t i, const char **help)
{
	static const char *const names[] = { "etcd", "yabs" };

	*help = "a recipe that somebody published";
	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

static const char *engine(size_t i, const char **help)
{
	static const char *const names[] = { "psync", "libaio" };

	*help = "a way to do I/O";
	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

static bool complete(const char *typed, char *out, size_t size)
{
	/* A run of a preset leaves a file. */
	if (!strcmp(typed, "etcd") || !strcmp(typed, "etc"))
		return text_copy(out, size, "etcd.0.0");
	return !strcmp(typed, "/ho") && text_copy(out, size, "/home/");
}

static const char *setting(void *arg, const char *job, size_t i,
			   const char **help, char *buf, size_t size)
{
	static const char *const names[] = { "rate_iops", "iodepth" };

	if (i >= ARRAY_SIZE(names) || !strcmp(job, "over"))
		return NULL;
	*help = "a count";
	snprintf(buf, size, "%zu", i * 16);
	return names[i];
}

const struct ui_offer scene_offer = {
	.preset = preset,
	.engine = engine,
	.complete = complete,
	.setting = setting,
};

void scene_preview(struct run_preview *o)
{
	memset(o, 0, sizeof(*o));
	o->n_targets = 2;
	o->target[0].danger = RUN_DESTROY;
	text_copy(o->target[0].words, sizeof(o->target[0].words),
		  "overwrites the whole of /dev/sdb (1.00TiB): sdb carries an "
		  "ext4 signature: sdb is mounted on /srv/backup");
	text_copy(o->target[1].words, sizeof(o->target[1].words),
		  "reads /home/x (1.00GiB): nothing is written");
	o->n_jobs = 1;
	text_copy(o->job[0], sizeof(o->job[0]),
		  "scan: randwrite by libaio, blocks of 4.00KiB, iodepth 16, 1 "
		  "clone, size of the target");
	text_copy(o->demand, sizeof(o->demand), "/dev/sdb mounted signature");
}

static char *slurp(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = xcalloc(1, GOLDEN_BYTES);

	if (file) {
		text[fread(text, 1, GOLDEN_BYTES - 1, file)] = '\0';
		fclose(file);
	}
	return text;
}

void scene_golden(const char *name, const char *screen)
{
	char path[256];
	char *golden;

	snprintf(path, sizeof(path), "%s/golden/%s.txt", SRCDIR, name);
	if (getenv("UPDATE_GOLDEN")) {
		FILE *file = fopen(path, "w");

		ck_assert_ptr_nonnull(file);
		fputs(screen, file);
		fclose(file);
	}
	golden = slurp(path);
	/* Two screens are too long for a message of libcheck. */
	if (strcmp(golden, screen))
		fprintf(stderr, "%s:\nexpected:\n%s\ngot:\n%s\n", name, golden,
			screen);
	ck_assert_msg(!strcmp(golden, screen), "%s differs", name);
	free(golden);
}
