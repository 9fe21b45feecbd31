/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk arm: the arithmetic of a rotating disk.
 *
 * Seek: min + (full - min) * sqrt(d), d the distance as a part of all addresses;
 * its mean over random pairs is min + (full - min) * 8/15, from which full
 * follows (the integral of 2 (1 - d) sqrt(d) over [0, 1] is 8/15). The address
 * stands for the radius: the error is that of a disk with equal tracks.
 *
 * Rotation: tracks of a zone have equal size, and 16 zones of equal capacity go
 * from the outer to the inner rate. A track begins one seek to the next track
 * later than the one before (skew), so a long transfer loses seek_min a track.
 */
#include "disk/disk_arm.h"

#include <math.h>
#include <string.h>

#define ZONES 16
#define S_NS  1e9

static uint64_t zone_bytes(const struct disk_arm *a)
{
	uint64_t n = a->bytes / ZONES;

	return n ? n : 1;
}

/* Bytes of a track at this offset. */
static double track_bytes(const struct disk_arm *a, uint64_t offset)
{
	uint64_t zone = offset / zone_bytes(a);
	double outer = (double)a->model->outer_bytes_per_s;
	double inner = (double)a->model->inner_bytes_per_s;

	if (zone >= ZONES)
		zone = ZONES - 1;
	return (outer - (outer - inner) * (double)zone / (ZONES - 1)) *
	       a->turn_ns / S_NS;
}

/* The track of an offset within its zone, and the place in the track, 0 to 1. */
static double track_of(const struct disk_arm *a, uint64_t offset, double *place)
{
	double n = (double)(offset % zone_bytes(a)) / track_bytes(a, offset);

	*place = n - floor(n);
	return floor(n);
}

/* The angle of an offset in revolutions, with the skew of its track. */
static double angle_of(const struct disk_arm *a, uint64_t offset)
{
	double place, track = track_of(a, offset, &place);
	double angle =
		place + track * (double)a->model->seek_min_ns / a->turn_ns;

	return angle - floor(angle);
}

void disk_arm_init(struct disk_arm *a, const struct disk_model *m,
		   uint64_t bytes)
{
	double min = (double)m->seek_min_ns, avg = (double)m->seek_avg_ns;

	memset(a, 0, sizeof(*a));
	a->model = m;
	a->bytes = bytes;
	a->growing = -1;
	a->turn_ns = 60 * S_NS / (double)m->rpm;
	a->seek_full_ns = min + (avg - min) * 15 / 8;
}

static double seek_ns(const struct disk_arm *a, uint64_t offset)
{
	double min = (double)a->model->seek_min_ns;
	uint64_t way = offset > a->at ? offset - a->at : a->at - offset;
	double place, was, is;

	if (way < zone_bytes(a)) {
		was = track_of(a, a->at, &place);
		is = track_of(a, offset, &place);
		if (was == is && a->at / zone_bytes(a) == offset / zone_bytes(a))
			return 0;
	}
	return min + (a->seek_full_ns - min) *
			     sqrt((double)way / (double)a->bytes);
}

/* Seek and rotation. */
static double position_ns(const struct disk_arm *a, uint64_t t, uint64_t offset)
{
	double seek = seek_ns(a, offset);
	double now = ((double)t + seek) / a->turn_ns;
	double wait = angle_of(a, offset) - (now - floor(now));

	/* The head that stays in place is there; rounding must not cost a turn. */
	if (wait < -1e-6)
		wait += 1;
	if (wait < 0)
		wait = 0;
	return seek + wait * a->turn_ns;
}

/* Time below the head, with the changes of track. */
static double transfer_ns(const struct disk_arm *a, uint64_t offset,
			  uint64_t bytes)
{
	double place, track = track_bytes(a, offset);

	track_of(a, offset, &place);
	return (double)bytes / track * a->turn_ns +
	       floor(place + (double)bytes / track - 1e-9) *
		       (double)a->model->seek_min_ns;
}

/* Bytes per ns at which a segment grows, changes of track included. */
static double disk_arm_growth(const struct disk_arm *a, uint64_t offset)
{
	return track_bytes(a, offset) /
	       (a->turn_ns + (double)a->model->seek_min_ns);
}

/* Let the segment grow up to the time t. */
static void disk_arm_grow(struct disk_arm *a, uint64_t t)
{
	struct disk_segment *s;
	uint64_t more, most;

	if (a->growing < 0 || t <= a->grown_ns)
		return;
	s = &a->segment[a->growing];
	more = (uint64_t)((double)(t - a->grown_ns) *
			  disk_arm_growth(a, s->to));
	most = a->at + a->model->ahead_bytes;
	s->to = s->to + more < most ? s->to + more : most;
	if (s->to > a->bytes)
		s->to = a->bytes;
	a->grown_ns = t;
}

bool disk_arm_has(struct disk_arm *a, uint64_t t, uint64_t offset,
		  uint64_t bytes)
{
	disk_arm_grow(a, t);
	for (unsigned i = 0; i < a->model->segments; i++) {
		struct disk_segment *s = &a->segment[i];

		if (offset < s->from || offset + bytes > s->to)
			continue;
		s->used_ns = t;
		/* The disk stays ahead of the stream. */
		if ((int)i == a->growing && offset + bytes > a->at)
			a->at = offset + bytes;
		return true;
	}
	return false;
}

static unsigned oldest_segment(const struct disk_arm *a)
{
	unsigned best = 0;

	for (unsigned i = 1; i < a->model->segments; i++)
		if (a->segment[i].used_ns < a->segment[best].used_ns)
			best = i;
	return best;
}

/* The disk goes on reading behind the range until it has something to do. */
static void begin_segment(struct disk_arm *a, uint64_t end_ns, uint64_t offset,
			  uint64_t bytes)
{
	unsigned i;

	a->growing = -1;
	if (!a->model->segments || !a->model->ahead_bytes)
		return;
	i = oldest_segment(a);
	a->segment[i] = (struct disk_segment){ offset, offset + bytes, end_ns };
	a->growing = (int)i;
	a->grown_ns = end_ns;
}

/*
 * A read that begins in what is being read ahead needs no positioning. Its time,
 * or a negative number.
 */
static double going_on_ns(struct disk_arm *a, uint64_t t, uint64_t offset,
			  uint64_t bytes)
{
	struct disk_segment *s;

	if (a->growing < 0)
		return -1;
	s = &a->segment[a->growing];
	if (offset < s->from || offset > s->to)
		return -1;
	/* It came while the command was read. */
	if (offset + bytes <= s->to)
		return 0;
	if (s->to >= a->at + a->model->ahead_bytes)
		return -1;
	return (double)(offset + bytes - s->to) / disk_arm_growth(a, s->to);
}

double disk_arm_position_ns(struct disk_arm *a, uint64_t t, uint64_t offset,
			    uint64_t bytes, bool read)
{
	disk_arm_grow(a, t);
	if (read && going_on_ns(a, t, offset, bytes) >= 0)
		return 0;
	return position_ns(a, t, offset);
}

uint64_t disk_arm_access(struct disk_arm *a, uint64_t t, uint64_t offset,
			 uint64_t bytes, bool read)
{
	double ns;

	disk_arm_grow(a, t);
	ns = read ? going_on_ns(a, t, offset, bytes) : -1;
	if (ns >= 0) {
		struct disk_segment *s = &a->segment[a->growing];

		if (ns > 0)
			s->to = offset + bytes;
		s->used_ns = a->grown_ns = t + (uint64_t)ns;
		a->at = offset + bytes;
		return (uint64_t)ns;
	}
	ns = position_ns(a, t, offset) + transfer_ns(a, offset, bytes);
	a->at = offset + bytes < a->bytes ? offset + bytes : offset;
	a->growing = -1;
	if (read)
		begin_segment(a, t + (uint64_t)ns, offset, bytes);
	return (uint64_t)ns;
}
