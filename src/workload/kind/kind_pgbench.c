/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kind pgbench: transactions of a real PostgreSQL, as the Phoronix Test Suite
 * runs it: a private cluster in the directory under test, stock settings
 * without autovacuum, pgbench -i, then pgbench with 4 clients per processor.
 *
 * One run of pgbench is one operation. Its lines of --progress=1 are figures on
 * the clock of the run; its summary gives the result: tps, latencies. The ramp
 * is a separate run of pgbench, which is not counted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "workload/kind/cluster.h"
#include "workload/kind/kind.h"
#include "workload/kind/program.h"
#include "workload/target/guard.h"
#include "workload/thread/clones.h"

#define MIB		(1ull << 20)
#define RUN_NS		(60 * NS_PER_S)
#define SCALE_BYTES	(16 * MIB) /* of tables and index per unit of scale */
#define CLUSTER_BYTES	(100 * MIB)
#define SPARE_CLIENTS	10 /* of the server's connections */

struct pgbench {
	char *programs, *directory;
	unsigned scale, clients, threads;
	struct cluster *cluster;
	struct profile *profile;
	struct program ramp, main; /* one run each */
	struct job_usage_raw server; /* its usage at the last reading */
};

static unsigned kind_pgbench_processors(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (unsigned)n : 1;
}

/* Shares of the memory in MiB, as the profile pgbench-1.8.4 has them. */
static unsigned kind_pgbench_scale_of(const struct job *job)
{
	static const double share[] = { [PGBENCH_BUFFER] = 0.003,
					[PGBENCH_CACHE] = 0.2,
					[PGBENCH_DISK] = 0.6 };
	double mib = (double)sysconf(_SC_PHYS_PAGES) *
		     (double)sysconf(_SC_PAGESIZE) / (double)MIB;
	unsigned scale = (unsigned)(mib * share[job->pgbench.test]);

	if (job->pgbench.scale)
		return job->pgbench.scale;
	return scale ? scale : 1;
}

/*
 * pgbench keeps the time of the run itself: a deadline of the worker would cut
 * off its summary.
 */
static void kind_pgbench_settle(struct job *job)
{
	if (job->runtime_ns)
		job->pgbench.run_ns = job->runtime_ns;
	else if (!job->pgbench.run_ns)
		job->pgbench.run_ns = RUN_NS;
	job->runtime_ns = 0;
	job->time_based = false;
}

static int kind_pgbench_plan(struct workload *w, struct worker *k,
			     uint64_t seed)
{
	const struct job *job = k->job;
	struct pgbench *g = k->work;

	k->limit_ios = 1;
	g->programs = cluster_programs();
	if (!g->programs)
		return job_fail(job, ENOENT,
				"kind=pgbench needs PostgreSQL, which is not "
				"installed (Debian: postgresql)");
	g->directory = job->directory ? xasprintf("%.*s",
						  (int)strcspn(job->directory,
							       ":"),
						  job->directory)
				      : xstrdup(".");
	g->scale = kind_pgbench_scale_of(job);
	g->clients = job->pgbench.clients ? job->pgbench.clients
					  : 4 * kind_pgbench_processors();
	g->threads = job->pgbench.threads ? job->pgbench.threads
					  : kind_pgbench_processors();
	if (g->threads > g->clients)
		g->threads = g->clients;
	kind_readings_open(k);
	return profile_open(&g->profile, job, "pgbench");
}

static void kind_pgbench_release(struct worker *k)
{
	struct pgbench *g = k->work;

	profile_free(g->profile);
	free(g->programs);
	free(g->directory);
}

static int kind_pgbench_check(const struct clones *c,
			      const struct allow_list *allow)
{
	if (allow && allow->readonly)
		return job_fail(c->job, EPERM,
				"kind=pgbench makes a database, and --readonly "
				"was given");
	return kind_check_exec(c->job, allow, "PostgreSQL");
}

static void kind_pgbench_preview(const struct clones *c, struct run_target *out,
				 struct allow_list *need)
{
	const struct pgbench *g = c->worker[0]->work;

	out->danger = RUN_MAKES;
	snprintf(out->words, sizeof(out->words),
		 "makes a PostgreSQL cluster in %.150s, scale %u, and removes "
		 "it at the end",
		 g->directory, g->scale);
	need->exec = true;
}

/* --- usage of the server --- */

/*
 * The CPU time of the server since the last call, in ns: its processes are not
 * children of pgbench.
 */
static uint64_t server_ns(void *arg)
{
	struct pgbench *g = arg;
	const uint64_t before = g->server.user_ns + g->server.system_ns;
	uint64_t ns;

	cluster_usage(g->cluster, &g->server);
	ns = g->server.user_ns + g->server.system_ns;
	/* A process that ends is in neither sum for a moment. */
	if (ns < before)
		g->server.user_ns += before - ns;
	return ns > before ? ns - before : 0;
}

/* --- the rounds --- */

static const char *script_of(const struct job *job)
{
	static const char *const names[] = {
		[PGBENCH_TPCB] = "tpcb-like",
		[PGBENCH_UPDATE] = "simple-update",
		[PGBENCH_SELECT] = "select-only",
	};

	return names[job->pgbench.script];
}

static int open_round(struct worker *w, struct program *p, uint64_t ns)
{
	struct pgbench *g = w->work;
	char *arguments = xasprintf(
		"-b %s -j %u -c %u -T %llu -P 1 pgbench", script_of(w->job),
		g->threads, g->clients,
		(unsigned long long)((ns + NS_PER_S - 1) / NS_PER_S));
	int rc = cluster_program(g->cluster, w, p, "pgbench", arguments);

	free(arguments);
	p->reads = true;
	p->beside_ns = server_ns;
	p->beside = g;
	return rc ? rc : program_open(w, p);
}

static int kind_pgbench_fill(struct worker *w)
{
	struct pgbench *g = w->work;
	char *arguments = xasprintf("-i -q -s %u pgbench", g->scale);
	int rc = cluster_tool(g->cluster, w, "createdb", "pgbench");

	if (rc == 0)
		rc = cluster_tool(g->cluster, w, "pgbench", arguments);
	free(arguments);
	return rc;
}

static int kind_pgbench_prepare(struct worker *w)
{
	struct pgbench *g = w->work;
	int rc;

	worker_set_phase(w, PHASE_LAYOUT);
	rc = cluster_open(&g->cluster, w, g->programs, g->directory,
			  w->job->pgbench_user, g->clients + SPARE_CLIENTS,
			  CLUSTER_BYTES + g->scale * SCALE_BYTES);
	if (rc == 0)
		rc = kind_pgbench_fill(w);
	if (rc == 0 && w->job->ramp_ns)
		rc = open_round(w, &g->ramp, w->job->ramp_ns);
	/* This one counts. */
	g->main.profile = g->profile;
	g->main.keeps = true;
	if (rc == 0)
		rc = open_round(w, &g->main, w->job->pgbench.run_ns);
	worker_set_phase(w, PHASE_WAIT);
	return rc;
}

/* false: the job is over. */
static bool run_round(struct worker *w, struct program *p,
		      struct runner_result *result)
{
	p->in_run = true;
	if (program_run(w, p, UINT64_MAX, result) != PROGRAM_ENDED)
		return false;
	if (!result->error && !result->status)
		return true;
	counter_error(w->count, 0);
	worker_fail(w, "job %s: pgbench failed: %s", w->job->name,
		    result->error	 ? strerror(result->error)
		    : *p->last	 ? p->last
				 : "it printed no message");
	return false;
}

static void kind_pgbench_run(struct worker *w)
{
	struct pgbench *g = w->work;
	struct job_usage_raw before;
	struct runner_result r;
	bool good = true;

	kind_files_begin(w);
	cluster_usage(g->cluster, &g->server);
	if (w->job->ramp_ns)
		good = run_round(w, &g->ramp, &r);
	/* The ramp's round may be over a little before the ramp. */
	good = good && kind_wait_ramp(w);
	/* Leave out the tools that made the database, and the ramp. */
	w->children = (struct job_usage_raw){ 0 };
	cluster_usage(g->cluster, &before);
	good = good && run_round(w, &g->main, &r);
	(void)server_ns(g);
	process_usage_add(&w->children, &before, &g->server);
	if (good) {
		latency_add(&w->count->op[JOB_COMMAND].service, r.ns, 1);
		atomic_store(&w->exit_status, 0);
	}
	kind_files_end(w);
}

static void kind_pgbench_unprepare(struct worker *w)
{
	struct pgbench *g = w->work;

	program_close(&g->ramp);
	program_close(&g->main);
	cluster_close(g->cluster);
	g->cluster = NULL;
	program_free(&g->ramp);
	program_free(&g->main);
}

static void kind_pgbench_describe(const struct clones *c, char *buf,
				  size_t size)
{
	const struct pgbench *g = c->worker[0]->work;

	snprintf(buf, size, "pgbench %s, scale %u, %u clients",
		 script_of(c->job), g->scale, g->clients);
}

const struct work_kind kind_pgbench = {
	.name = "pgbench",
	.help = "transactions of a private PostgreSQL in the directory under "
		"test",
	.options = "pgbench-test pgbench-scale pgbench-clients "
		   "pgbench-threads pgbench-script pgbench-user grace_time "
		   "std_redirect",
	.of_io = "directory",
	.state = sizeof(struct pgbench),
	.ops = 1u << JOB_COMMAND,
	.runs_programs = true,
	.settle = kind_pgbench_settle,
	.plan = kind_pgbench_plan,
	.release = kind_pgbench_release,
	.check = kind_pgbench_check,
	.preview = kind_pgbench_preview,
	.prepare = kind_pgbench_prepare,
	.run = kind_pgbench_run,
	.unprepare = kind_pgbench_unprepare,
	.describe = kind_pgbench_describe,
};
