/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzz target: job files are untrusted input. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"
#include "workload/jobfile/jobfile.h"

#include "fuzz.h"

static struct job *add_job(void *settings)
{
	return settings_add_job(settings);
}

FUZZ_TARGET(jobfile)
{
	struct json_writer w = { 0 };
	struct settings s;
	struct jobfile file = { .add = add_job,
				.arg = &s,
				.lenient = size & 1 };
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	settings_init(&s, 0, NULL);
	file.global = &s.global;
	if (jobfile_parse(&file, "fuzz", text) == 0)
		for (size_t i = 0; i < s.n_jobs; i++)
			if (job_check(&s.job[i]) == 0)
				job_json_write(&w, &s.job[i]);
	json_writer_free(&w);
	settings_free(&s);
	free(text);
	return 0;
}
