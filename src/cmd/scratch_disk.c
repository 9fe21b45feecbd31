/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scratch disk: a scratch device or a simulated disk, for run and sweep. */
#include "cmd/scratch_disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "base/units.h"
#include "cmd/command.h"

#define MODEL  "model="
#define END_MS 2000

int scratch_disk_parse(const char *text, uint64_t *bytes, const char **model)
{
	const char *comma = strchr(text, ',');
	char size[32] = "";
	struct disk_options o;

	*model = NULL;
	text_set(size, text);
	if (comma && (size_t)(comma - text) < sizeof(size))
		size[comma - text] = '\0';
	if (comma && strncmp(comma + 1, MODEL, strlen(MODEL)) != 0)
		return fail(EINVAL,
			    "--scratch=%s: after the size comes model=MODEL, "
			    "such as --scratch=2g,model=hdd-7200",
			    text);
	if (!units_parse_bytes(size, bytes) || *bytes < 1u << 20)
		return fail(EINVAL,
			    "--scratch=%s is neither a size of at least 1m nor "
			    "a device",
			    text);
	if (!comma)
		return 0;
	*model = comma + 1 + strlen(MODEL);
	*bytes = (*bytes + 4095) & ~4095ull;
	o = (struct disk_options){ .model = *model, .bytes = *bytes };
	return disk_check(&o);
}

int scratch_disk_make(struct scratch_disk *s, uint64_t bytes, const char *model,
		      uint64_t seed)
{
	struct disk_options o = { .model = model, .bytes = bytes, .seed = seed };
	int err;

	s->disk = NULL;
	if (!model)
		return scratch_make(&s->scratch, NULL, bytes);
	s->scratch.fd = -1;
	s->disk = xcalloc(1, sizeof(*s->disk));
	err = disk_start(s->disk, &o);
	if (err) {
		free(s->disk);
		s->disk = NULL;
		return err;
	}
	text_set(s->scratch.path, s->disk->loop.path);
	text_set(s->scratch.device, s->disk->loop.device);
	s->scratch.is_device = true;
	s->scratch.fd = s->disk->loop.fd;
	return 0;
}

void scratch_disk_leave(struct scratch_disk *s)
{
	if (s->scratch.fd >= 0)
		close(s->scratch.fd);
	s->scratch.fd = -1;
	if (s->disk)
		s->disk->loop.fd = -1;
}

void scratch_disk_remove(struct scratch_disk *s)
{
	const struct disk_page *p;

	if (!s->disk) {
		if (s->scratch.fd >= 0)
			scratch_remove(&s->scratch);
		s->scratch.fd = -1;
		return;
	}
	if (disk_stop(s->disk, END_MS) == -EBUSY)
		command_say("%s is still in use; it goes when its last user "
			    "closes it",
			    s->scratch.path);
	p = s->disk->page;
	if (simulated_was_late((double)p->head.answers, (double)p->head.late))
		command_say("the machine was too busy to simulate the disk: "
			    "%.1f %% of its answers were late by more than "
			    "5 %%; the results are invalid",
			    disk_truth_late_pct(p));
	disk_free(s->disk);
	free(s->disk);
	s->disk = NULL;
	s->scratch.fd = -1;
	s->scratch.path[0] = s->scratch.device[0] = '\0';
}
