/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disk class: the table. A disk with an arm: half a turn of 4.17 ms and a seek
 * of up to 15 ms. The bounds of the others hold most of what the sources
 * measured or promise, and overlap as the products do.
 */
#include "model/disk_class.h"

#include <math.h>
#include <stdio.h>

#include "base/attributes.h"
#include "base/text.h"
#include "base/units.h"

#define US 1e3
#define MS 1e6
/* Below the fastest class a cache answers. */
#define TAIL 5

const struct disk_class disk_classes[] = {
	{ "nvme", "an NVMe SSD",
	  { { 8 * US, 140 * US }, { 8 * US, 6 * MS } },
	  "7000..100000", "1500..14000",
	  "syncs of 12 to 58 us with power loss protection, 0.9 to 5.4 ms "
	  "without (smalldatum.blogspot.com 2026-01); 1.6 ms (tanelpoder.com "
	  "2025-05)" },
	{ "sata-ssd", "a SATA SSD",
	  { { 60 * US, 300 * US }, { 50 * US, 10 * MS } },
	  "4000..12000", "300..560",
	  "Intel SSD DC S4500, product specification (random read 110 us, write "
	  "52 us, 500 MB/s); tomshw.it (Samsung 850 EVO: 11 000 IOPS, few at a "
	  "time); the slowest syncs: no source" },
	{ "network", "a network volume",
	  { { 200 * US, 5 * MS }, { 400 * US, 15 * MS } },
	  "500..4000", "125..1000",
	  "AWS EBS user guide (io2: below 500 us for 16 KiB; gp3: single-digit "
	  "ms, 3000 IOPS, 125 MiB/s); Google Cloud, Persistent Disk (pd-ssd: "
	  "below 10 ms)" },
	{ "sd-card", "an SD card or a USB stick",
	  { { 400 * US, 4 * MS }, { 4 * MS, 400 * MS } },
	  "250..2500", "10..90",
	  "pidramble.com/wiki/benchmarks/microsd-cards (cards in a Raspberry Pi: 4 KiB reads "
	  "386 to 2640 IOPS, writes 40 to 1150, streams 13 to 44 MB/s); the "
	  "slowest syncs: no source" },
	{ "disk7200", "a disk of 7200/min",
	  { { 4 * MS, 25 * MS }, { 8 * MS, 100 * MS } },
	  "60..120", "100..280",
	  "arithmetic: half a turn 4.17 ms and a seek of 8 to 9 ms; "
	  "beuke.org/disk-latency (75 IOPS)" },
};

const size_t n_disk_classes = ARRAY_SIZE(disk_classes);

static bool disk_class_has(const struct disk_class *c, enum disk_class_io io,
			   double ns)
{
	return ns >= c->io[io].least_ns && ns <= c->io[io].most_ns;
}

char *disk_class_fits(char *buf, size_t size, enum disk_class_io io,
		      double median_ns)
{
	size_t fits = 0, n = 0;

	*buf = '\0';
	for (size_t i = 0; i < n_disk_classes; i++)
		fits += disk_class_has(&disk_classes[i], io, median_ns);
	if (!fits)
		snprintf(buf, size, "%s",
			 median_ns < disk_classes[0].io[io].least_ns
				 ? "faster than any disk: a cache answers"
				 : "slower than any class of disks "
				   "(iodyno list disk-classes)");
	for (size_t i = 0; i < n_disk_classes; i++) {
		if (!disk_class_has(&disk_classes[i], io, median_ns))
			continue;
		text_add(buf, size, "%s%s",
			 !n             ? "as "
			 : n + 1 < fits ? ", "
					: " or ",
			 disk_classes[i].words);
		n++;
	}
	return buf;
}

/*
 * Whether the p99 does not belong to a disk of that median: it is above five
 * times what the slowest class that fits shows.
 */
static bool disk_class_tail_is_bad(enum disk_class_io io, double median_ns,
				   double p99_ns)
{
	double most = 0;

	for (size_t i = 0; i < n_disk_classes; i++)
		if (disk_class_has(&disk_classes[i], io, median_ns))
			most = fmax(most, disk_classes[i].io[io].most_ns);
	return most > 0 && p99_ns > TAIL * most;
}

char *disk_class_sentence(char *buf, size_t size, enum disk_class_io io,
			  double median_ns, double p99_ns)
{
	char fits[200], tail[160] = "";

	if (disk_class_tail_is_bad(io, median_ns, p99_ns))
		snprintf(tail, sizeof(tail),
			 " Its p99 of %s is not: see who else uses the disk "
			 "(iodyno), the alarms, limits of the volume.",
			 units_ns(p99_ns).text);
	snprintf(buf, size, "A %s takes %s (median): %s.%s",
		 io == DISK_CLASS_SYNC ? "sync" : "read of 4 KiB",
		 units_ns(median_ns).text,
		 disk_class_fits(fits, sizeof(fits), io, median_ns), tail);
	return buf;
}
