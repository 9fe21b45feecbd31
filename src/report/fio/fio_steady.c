/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio steady: the steady state that a job waited for.
 */
#include "report/fio/fio.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The duration of the option, or longer if there were more samples. */
static double duration_s(const struct job *job, const char *samples)
{
	double n = samples && *samples;

	for (const char *p = samples; p && *p; p++)
		n += *p == ' ';
	return fmax((double)job->steady_duration_ns,
		    n * (double)job->steady_check_ns) /
	       1e9;
}

/* "500:2048000 ...": the n-th number of each pair. */
static void put_samples(struct json *to, const char *key, const char *samples,
			int nth)
{
	struct json *list = json_new_array();

	for (const char *p = samples; p && *p;) {
		char *end;
		double v[2];

		v[0] = strtod(p, &end);
		if (*end != ':')
			break;
		v[1] = strtod(end + 1, &end);
		json_push_number(list, v[nth]);
		p = end + (*end == ' ');
	}
	json_put(to, key, list);
}

/* "iops:2%" as "iops:2.000000%". */
static void put_name(struct json *to, const char *name)
{
	size_t n = strcspn(name, ":");
	char text[64], *end;
	double limit = strtod(name + n + (name[n] == ':'), &end);

	snprintf(text, sizeof(text), "%.*s:%f%s", (int)n, name, limit, end);
	json_put_text(to, "ss", text);
}

static const char *unit(const struct fio_entry *e)
{
	return strchr(e->row.job.steady, '%') ? "%" : "";
}

void fio_steady_json(struct json *to, const struct fio_entry *e)
{
	const double *of = e->row.job.steady_of;
	const char *samples = e->row.steady_samples;
	bool slope = strstr(e->row.job.steady, "_slope") != NULL;
	struct json *j, *data;
	char text[32];

	if (!*e->row.job.steady)
		return;
	j = json_new_object();
	put_name(j, e->row.job.steady);
	fio_json_whole(j, "duration", duration_s(e->job, samples));
	fio_json_whole(j, "attained", of[STEADY_ATTAINED]);
	snprintf(text, sizeof(text), "%f%s", fio_or_0(of[STEADY_CRITERION]),
		 unit(e));
	json_put_text(j, "criterion", text);
	/* As in fio, a figure that is not judged is 0. */
	fio_json_real(j, "max_deviation", slope ? 0 : of[STEADY_DEVIATION]);
	fio_json_real(j, "slope", slope ? of[STEADY_SLOPE] : 0);
	data = json_new_object();
	fio_json_whole(data, "bw_mean", of[STEADY_MEAN_BYTES_PER_S]);
	fio_json_whole(data, "iops_mean", of[STEADY_MEAN_IOPS]);
	put_samples(data, "iops", samples, 0);
	put_samples(data, "bw", samples, 1);
	json_put(j, "data", data);
	json_put(to, "steadystate", j);
}

void fio_steady_normal(const struct fio_entry *e, FILE *out)
{
	const double *of = e->row.job.steady_of;
	const char *name = e->row.job.steady;
	char ib[32], b[32], iops[32];

	if (!*name || !isfinite(of[STEADY_ATTAINED]))
		return;
	fprintf(out,
		"  steadystate  : attained=%s, bw=%s/s (%s/s), iops=%s, "
		"%.*s%s=%.3f%s\n",
		of[STEADY_ATTAINED] > 0 ? "yes" : "no",
		fio_normal_short_ib(ib, sizeof(ib),
				    of[STEADY_MEAN_BYTES_PER_S]),
		fio_normal_short_b(b, sizeof(b), of[STEADY_MEAN_BYTES_PER_S]),
		fio_normal_short(iops, sizeof(iops), of[STEADY_MEAN_IOPS], 4,
				 1000),
		(int)strcspn(name, "_:"), name,
		strstr(name, "_slope") ? " slope" : " mean dev",
		fio_or_0(of[STEADY_CRITERION]), unit(e));
}
