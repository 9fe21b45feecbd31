/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histogram: every latency falls into a bucket that holds it. */
#include "fuzz.h"

#include <math.h>

#include "model/histogram.h"

FUZZ_TARGET(histogram)
{
	static struct histogram h;
	uint64_t ns;

	memset(&h, 0, sizeof(h));
	for (; size >= sizeof(ns); data += sizeof(ns), size -= sizeof(ns)) {
		unsigned i;

		memcpy(&ns, data, sizeof(ns));
		i = histogram_index(ns);
		must_hold(i < HISTOGRAM_BUCKETS && histogram_low(i) <= ns);
		must_hold(ns < histogram_high(i) || i == HISTOGRAM_BUCKETS - 1);
		h.bucket[i]++;
	}
	if (histogram_count(&h) == 0) {
		must_hold(isnan(histogram_percentile(&h, 50)));
		return 0;
	}
	must_hold(histogram_min(&h) <= histogram_mean(&h) * 1.0001);
	must_hold(histogram_mean(&h) <= histogram_max(&h) * 1.0001);
	must_hold(histogram_percentile(&h, 1) <= histogram_percentile(&h, 99));
	return 0;
}
