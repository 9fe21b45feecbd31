/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scratch disk: what --scratch=SIZE[,model=MODEL[,KEY=VALUE]...] makes: a loop
 * device over a file, or a simulated disk.
 */
#pragma once

#include <stdint.h>

#include "base/attributes.h"
#include "disk/disk.h"
#include "workload/target/target.h"

struct scratch_disk {
	struct scratch scratch; /* fd -1: none */
	struct disk *disk;	/* NULL: a file is behind it */
};

/*
 * Split the text: a size of at least 1m, and the model, which is a part of the
 * text, or NULL. 0, or -EINVAL with a sentence.
 */
int scratch_disk_parse(const char *text, uint64_t *bytes,
		       const char **model) must_check;

/*
 * Make it. 0, or -errno with a sentence; only without a model may it be a file
 * instead of a device.
 */
int scratch_disk_make(struct scratch_disk *s, uint64_t bytes, const char *model,
		      uint64_t seed) must_check;

/*
 * Close the descriptor of the device in this process: another process holds it
 * from now on.
 */
void scratch_disk_leave(struct scratch_disk *s);

/* Remove it, and say on stderr if the machine was too busy to simulate it. */
void scratch_disk_remove(struct scratch_disk *s);
