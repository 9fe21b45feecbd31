/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page, a fleet: what its hosts did together, which of them differs, how much
 * they scatter, how good their clocks are.
 */
#include "report/fleet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "doc/svg.h"
#include "report/page.h"

/* Less of the longest window in common is a warning. */
#define GOOD_SHARE 0.8
/* A share of the window by which two clocks may be apart. */
#define CLOCK_SHARE 0.05
/* A clock contradicts its header when it is further off. */
#define CLOCK_S	   0.1
#define MOST_FACTS 3
#define MOST_NAMED 8

static const char *const op_names[FLEET_OPS] = { "read", "write", "trim",
						 "sync" };
static const double percentiles[] = { 50, 90, 99, 99.9, 100 };
static const char *const percentile_names[] = { "p50", "p90", "p99", "p99.9",
						"max" };

static double page_fleet_percentile(const struct histogram *h, size_t i)
{
	return percentiles[i] < 100 ? histogram_percentile(h, percentiles[i])
				    : histogram_max(h);
}

/* --- ranking --- */

/* The scores of all hosts by one metric. */
struct fleet_scores {
	bool any;
	double *value; /* of the window */
	struct members_score *all, **part;
};

struct fleet_ranking {
	const struct fleet *fleet;
	struct fleet_scores *metric;
};

static void ranking_make(struct fleet_ranking *r, const struct fleet *f)
{
	double *value = xcalloc(f->n, sizeof(*value));

	r->fleet = f;
	r->metric = xcalloc(n_fleet_metrics, sizeof(*r->metric));
	for (size_t m = 0; m < n_fleet_metrics; m++) {
		struct fleet_scores *s = &r->metric[m];

		s->value = xcalloc(f->n, sizeof(*s->value));
		fleet_values(f, &fleet_metrics[m], f->n_parts, s->value);
		for (size_t i = 0; i < f->n; i++)
			s->any |= isfinite(s->value[i]);
		s->all = xcalloc(f->n, sizeof(*s->all));
		members_score(s->value, f->n, s->all);
		s->part = xcalloc(f->n_parts, sizeof(*s->part));
		for (size_t k = 0; k < f->n_parts; k++) {
			s->part[k] = xcalloc(f->n, sizeof(*s->part[k]));
			fleet_values(f, &fleet_metrics[m], k, value);
			members_score(value, f->n, s->part[k]);
		}
	}
	free(value);
}

static void ranking_free(struct fleet_ranking *r)
{
	for (size_t m = 0; m < n_fleet_metrics; m++) {
		free(r->metric[m].value);
		free(r->metric[m].all);
		for (size_t k = 0; k < r->fleet->n_parts; k++)
			free(r->metric[m].part[k]);
		free(r->metric[m].part);
	}
	free(r->metric);
}

/* Whether the host is an outlier by a metric; parts: in each run or half. */
static bool ranking_is_out(const struct fleet_ranking *r, size_t m, size_t host,
			   bool parts)
{
	const struct fleet_scores *s = &r->metric[m];
	bool out = members_is_out(&s->all[host]);

	for (size_t k = 0; parts && k < r->fleet->n_parts; k++)
		out = out && members_is_out(&s->part[k][host]) &&
		      (s->part[k][host].z > 0) == (s->all[host].z > 0);
	return out;
}

/* The metric that names the host, the one that is furthest off; n: none. */
static size_t ranking_named_by(const struct fleet_ranking *r, size_t host)
{
	size_t best = n_fleet_metrics, metrics = 0;
	bool parts = false;
	double most = 0, far;

	for (size_t m = 0; m < n_fleet_metrics; m++) {
		if (!ranking_is_out(r, m, host, false))
			continue;
		metrics++;
		parts |= ranking_is_out(r, m, host, true);
		far = fabs(log(r->metric[m].all[host].ratio));
		if (far > most) {
			most = far;
			best = m;
		}
	}
	return metrics >= 2 || parts ? best : n_fleet_metrics;
}

/* The ratio of the host that is next in the direction of an outlier. */
static double ranking_next(const struct fleet_ranking *r, size_t m, size_t host)
{
	const struct members_score *s = r->metric[m].all;
	bool up = s[host].ratio > 1;
	double next = NAN;

	for (size_t i = 0; i < r->fleet->n; i++) {
		if (i == host || isnan(s[i].ratio))
			continue;
		next = up ? fmax(next, s[i].ratio) : fmin(next, s[i].ratio);
	}
	return next;
}

/* The facts that only this host has. */
static void ranking_say_facts(struct doc *d, const struct fleet *f,
			      size_t host)
{
	unsigned said = 0;

	for (size_t i = 0; i < f->host[host].n_facts && said < MOST_FACTS; i++) {
		const char *others;

		if (!fleet_is_odd(f, host, i, &others))
			continue;
		doc_words(d, "%s %s %.80s, the others %.80s",
			  said++ ? "," : "; it has",
			  f->host[host].fact[i].key, f->host[host].fact[i].value,
			  others);
	}
}

static void ranking_say_host(struct doc *d, const struct fleet_ranking *r,
			     size_t host, size_t m)
{
	const struct fleet_metric *metric = &fleet_metrics[m];
	const struct fleet_host *h = &r->fleet->host[host];
	double ratio = r->metric[m].all[host].ratio;
	bool worse = (ratio > 1) == (metric->better < 0);

	/* As pivot_judge.c: failures are seldom random. */
	if (!worse && *h->failed) {
		doc_say(d, DOC_DIM,
			"%s, x%.2f of the median in %s, is not called faster: "
			"it failed.",
			h->label, ratio, metric->title);
		return;
	}
	doc_say(d, worse ? DOC_BAD : DOC_GOOD,
		"%s is %s than the others: %s x%.2f of the median (next: "
		"x%.2f)",
		h->label, worse ? "slower" : "faster", metric->title, ratio,
		ranking_next(r, m, host));
	ranking_say_facts(d, r->fleet, host);
	doc_words(d, ".");
}

/* "the hosts are alike: of 95 %, r/s lies within -4 to +6 % of the median" */
static void ranking_say_alike(struct doc *d, const struct fleet_ranking *r)
{
	double *ratio = xcalloc(r->fleet->n, sizeof(*ratio));
	bool first = true;

	doc_say(d, DOC_GOOD, "The hosts are alike: of 95 %%,");
	for (size_t m = 0; m < n_fleet_metrics; m++) {
		size_t n = 0, cut;

		for (size_t i = 0; i < r->fleet->n; i++)
			if (!isnan(r->metric[m].all[i].ratio))
				ratio[n++] =
					r->metric[m].all[i].ratio;
		if (!n)
			continue;
		members_sort(ratio, n);
		cut = (size_t)(0.025 * (double)n);
		doc_words(d, "%s %s lies within %+.1f to %+.1f %%",
			  first ? "" : ",", fleet_metrics[m].title,
			  100 * (ratio[cut] - 1),
			  100 * (ratio[n - 1 - cut] - 1));
		first = false;
	}
	doc_words(d, " of the median.");
	free(ratio);
}

static void ranking_say(struct doc *d, const struct fleet_ranking *r)
{
	size_t named = 0;

	if (r->fleet->counted < MEMBERS_LEAST) {
		doc_say(d, DOC_DIM,
			"With fewer than %d hosts none is named as different.",
			MEMBERS_LEAST);
		return;
	}
	for (size_t i = 0; i < r->fleet->n; i++) {
		size_t m = ranking_named_by(r, i);

		if (m == n_fleet_metrics)
			continue;
		if (named++ < MOST_NAMED)
			ranking_say_host(d, r, i, m);
	}
	if (named > MOST_NAMED)
		doc_say(d, DOC_DIM, "%zu more hosts differ.",
			named - MOST_NAMED);
	if (!named)
		ranking_say_alike(d, r);
}

/* --- the sentences of the result --- */

static void page_fleet_window(struct doc *d, const struct fleet *f)
{
	const struct fleet_window *last = &f->run[f->n_runs - 1];
	char from[32], to[32];

	text_set(from, clock_utc(f->first_ns +
				 (uint64_t)(int64_t)(f->run->from_s * 1e9))
			       .text);
	text_set(to,
		 clock_utc(f->first_ns + (uint64_t)(int64_t)(last->to_s * 1e9))
			 .text);
	doc_say(d, DOC_PLAIN, "%zu of %zu hosts,", f->counted, f->n);
	if (f->n_runs > 1)
		doc_words(d, " %zu runs of each,", f->n_runs);
	doc_words(d, " %s window%s of %.3g s, from %s to %s.",
		  f->all ? "the whole" : "the common", f->n_runs > 1 ? "s" : "",
		  fleet_seconds(f), from, to);
	for (size_t k = 0; k < f->n_runs && !f->all; k++) {
		const struct fleet_window *w = &f->run[k];
		double s = w->to_s - w->from_s;

		if (s < GOOD_SHARE * w->longest_s)
			doc_say(d, DOC_BAD,
				"The hosts measured together for %.3g s of "
				"%.3g s: %.3g s are left out.",
				s, w->longest_s, w->longest_s - s);
	}
}

static void page_fleet_failed(struct doc *d, const struct fleet *f)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_host *h = &f->host[i];

		if (!*h->failed && h->counts)
			continue;
		doc_say(d, DOC_BAD, "%s %s: %s", h->label,
			!h->counts ? "does not count"
				   : "counts up to its last line",
			*h->failed ? h->failed : "it has measured nothing");
		if (*h->last && strcmp(h->last, h->failed) != 0)
			doc_words(d, "; its last event: %s.", h->last);
		else if (!text_ends(h->failed, "?"))
			doc_words(d, ".");
	}
}

static void page_fleet_spread(struct doc *d, const struct fleet *f)
{
	double *value = xcalloc(f->n * f->n_parts, sizeof(*value));
	double *part = xcalloc(f->n, sizeof(*part));
	bool said = false;

	for (size_t m = 0; m < n_fleet_metrics && !said; m++) {
		struct members_spread s;

		for (size_t k = 0; k < f->n_parts; k++) {
			fleet_values(f, &fleet_metrics[m], k, part);
			for (size_t i = 0; i < f->n; i++)
				value[i * f->n_parts + k] = part[i];
		}
		s = members_spread(value, f->n, f->n_parts);
		if (isnan(s.sd))
			continue;
		said = true;
		doc_say(d, DOC_PLAIN,
			"By %s, a single host would mislead by up to %.3g %%",
			fleet_metrics[m].title, members_mislead_pct(&s));
		doc_words(d,
			  ": between hosts the standard deviation is %.3g %%",
			  100 * (exp(s.sd) - 1));
		if (isfinite(s.p))
			doc_words(d, " (F %.3g, p %.2g)", s.f, s.p);
		doc_words(d, f->n_runs > 1
				     ? "; the repeats are the runs of each host."
				     : "; the halves of the window stand for "
				       "repeats.");
	}
	free(value);
	free(part);
}

/* Add a label to a list of names. */
static void page_fleet_name(char *names, size_t size, const char *label)
{
	if (strlen(names) + strlen(label) + 6 < size)
		text_join(names, size, ", ", "%s", label);
	else if (!strstr(names, TEXT_CUT))
		text_add(names, size, " %s", TEXT_CUT);
}

static void page_fleet_clocks(struct doc *d, const struct fleet *f)
{
	char free_running[300] = "";
	double most[2] = { 0, 0 };
	bool known = false;

	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_host *h = &f->host[i];
		double s = (double)h->clock.max_error_ns / 1e9;

		if (fabs(h->time.set_s) > CLOCK_S)
			doc_say(d, DOC_BAD,
				"The clock of %s was set by %+.3g s during the "
				"run; its time counts from the start.",
				h->label, h->time.set_s);
		if (!h->clock.known)
			continue;
		known = true;
		if (!h->clock.synchronized)
			page_fleet_name(free_running, sizeof(free_running),
					h->label);
		if (s > most[0]) {
			most[1] = most[0];
			most[0] = s;
		} else if (s > most[1]) {
			most[1] = s;
		}
		if (h->lag_s < -(CLOCK_S + s))
			doc_say(d, DOC_BAD,
				"The clock of %s is at least %.3g s ahead of "
				"the clock here.",
				h->label, -h->lag_s);
	}
	if (!known)
		return;
	if (*free_running)
		doc_say(d, DOC_BAD, "Not synchronized: the clock%s of %s.",
			strchr(free_running, ',') ? "s" : "", free_running);
	else
		doc_say(d, DOC_DIM, "The largest error of a clock is %.3g ms.",
			1e3 * most[0]);
	if (most[0] + most[1] > CLOCK_SHARE * fleet_seconds(f) / (double)f->n_runs)
		doc_say(d, DOC_BAD,
			"The kernels allow errors of the clocks up to %.3g s: "
			"the windows of two hosts can be apart by more than "
			"%.0f %%.",
			most[0], 100 * CLOCK_SHARE);
}

static void page_fleet_versions(struct doc *d, const struct fleet *f)
{
	for (size_t i = 1; i < f->n; i++)
		if (*f->host[i].program && *f->host[0].program &&
		    strcmp(f->host[i].program, f->host[0].program) != 0) {
			doc_say(d, DOC_DIM,
				"The hosts ran different versions: %s and %s.",
				f->host[0].program, f->host[i].program);
			return;
		}
}

/* --- tables --- */

static void page_fleet_number(struct doc *d, double value,
			      struct text_short (*format)(double))
{
	doc_number(d, value, DOC_PLAIN, "%s",
		   isfinite(value) ? format(value).text : "-");
}

static void page_fleet_merged(struct doc *d, const struct fleet *f,
			      const struct fleet_part *all)
{
	doc_heading(d, "All hosts, %zu of %zu", f->counted, f->n);
	doc_table(d, "merged", "", 0);
	doc_column(d, "op", "OP", DOC_LEFT);
	doc_column(d, "ios", "I/Os", 0);
	doc_column(d, "iops", "/s", 0);
	doc_column(d, "bytes_per_s", "DATA/s", 0);
	for (size_t i = 0; i < ARRAY_SIZE(percentiles); i++)
		doc_column(d, percentile_names[i], percentile_names[i], 0);
	for (int op = 0; op < FLEET_OPS; op++) {
		const struct fleet_count *c = &all->op[op];

		if (!(c->ios > 0))
			continue;
		doc_row(d);
		doc_text(d, DOC_PLAIN, "%s", op_names[op]);
		page_fleet_number(d, round(c->ios), units_count);
		page_fleet_number(d, c->ios / all->seconds, units_count);
		page_fleet_number(
			d, op == FLEET_SYNC ? NAN : c->bytes / all->seconds,
			units_bytes);
		for (size_t i = 0; i < ARRAY_SIZE(percentiles); i++)
			page_fleet_number(
				d,
				c->hist ? page_fleet_percentile(c->hist, i)
					: NAN,
				units_ns);
	}
}

static struct text_short page_fleet_util(double pct)
{
	return text_shortly("%.1f", pct);
}

static void page_fleet_hosts(struct doc *d, const struct fleet *f,
			     const struct fleet_ranking *r)
{
	doc_heading(d, "Hosts");
	doc_table(d, "host", "", 0);
	doc_column(d, "host", "HOST", DOC_LEFT);
	doc_column(d, "seconds", "SECONDS", 0);
	for (size_t m = 0; m < n_fleet_metrics; m++)
		if (r->metric[m].any)
			doc_column(d, fleet_metrics[m].key,
				   fleet_metrics[m].title, 0);
	doc_column(d, "bytes_per_s", "DATA/s", DOC_SECOND);
	doc_column(d, "util_pct", "%util", DOC_SECOND);
	doc_column(d, "counts", "counts", DOC_LEFT | DOC_DATA);
	for (size_t i = 0; i < f->n; i++) {
		struct fleet_part sum = fleet_sum(f, &f->host[i]);
		double bytes = sum.op[FLEET_READ].bytes +
			       sum.op[FLEET_WRITE].bytes;

		doc_row(d);
		doc_text(d, DOC_PLAIN, "%s", f->host[i].label);
		doc_number(d, sum.seconds, DOC_PLAIN, "%.1f", sum.seconds);
		for (size_t m = 0; m < n_fleet_metrics; m++)
			if (r->metric[m].any)
				page_fleet_number(d, r->metric[m].value[i],
						  fleet_metrics[m].better > 0
							  ? units_count
							  : units_ns);
		page_fleet_number(d,
				  sum.seconds > 0 ? bytes / sum.seconds : NAN,
				  units_bytes);
		page_fleet_number(d, 100 * sum.util_s / sum.seconds,
				  page_fleet_util);
		doc_text(d, DOC_PLAIN, "%s", f->host[i].counts ? "yes" : "no");
		fleet_part_free(&sum);
	}
}

/* --- the picture --- */

#define INDENT 54
#define TOP    34
#define HEIGHT 150

struct fleet_curve {
	double low, high; /* log10 of ns */
};

static double curve_x(size_t i)
{
	return INDENT + 14 +
	       (double)i / (double)(ARRAY_SIZE(percentiles) - 1) *
		       (RIGHT - INDENT - 34);
}

static double curve_y(const struct fleet_curve *c, double ns)
{
	return TOP + HEIGHT * (c->high - log10(ns)) / (c->high - c->low);
}

static void curve_widen(struct fleet_curve *c, const struct histogram *h)
{
	if (!h || !histogram_count(h))
		return;
	c->low = fmin(c->low, log10(fmax(1, page_fleet_percentile(h, 0))));
	c->high = fmax(c->high, log10(fmax(1, histogram_max(h))) + 0.05);
}

static void curve_line(const struct fleet_curve *c, const struct histogram *h,
		       const char *class, FILE *out)
{
	if (!h || !histogram_count(h))
		return;
	fprintf(out, "<path class=\"%s\" d=\"", class);
	for (size_t i = 0; i < ARRAY_SIZE(percentiles); i++)
		fprintf(out, "%c%.1f %.1f", i ? 'L' : 'M', curve_x(i),
			curve_y(c, fmax(1, page_fleet_percentile(h, i))));
	fputs("\"/>\n", out);
}

static void curve_axis(const struct fleet_curve *c, FILE *out)
{
	svg_line(out, INDENT, TOP + HEIGHT, RIGHT, TOP + HEIGHT, "axis");
	for (size_t i = 0; i < ARRAY_SIZE(percentiles); i++)
		svg_text(out, curve_x(i), TOP + HEIGHT + 16, "tick", "%s",
			 percentile_names[i]);
	for (int e = (int)ceil(c->low); e <= (int)floor(c->high); e++) {
		double ns = pow(10, e);

		svg_line(out, INDENT, curve_y(c, ns), RIGHT, curve_y(c, ns),
			 "grid");
		svg_text(out, INDENT - 4, curve_y(c, ns) + 4, "tick end", "%s",
			 units_ns(ns).text);
	}
}

/* The merged curve of an operation, and a thin line for each host. */
static void page_fleet_curve(struct doc *d, const struct fleet *f,
			     const struct fleet_part *all, int op)
{
	struct fleet_curve c = { .low = INFINITY, .high = -INFINITY };
	char title[96];
	FILE *out = all->op[op].hist ? doc_draw(d) : NULL;

	if (!out)
		return;
	curve_widen(&c, all->op[op].hist);
	for (size_t i = 0; i < f->n; i++) {
		struct fleet_part sum = fleet_sum(f, &f->host[i]);

		curve_widen(&c, sum.op[op].hist);
		fleet_part_free(&sum);
	}
	snprintf(title, sizeof(title), "Latency percentiles, %s",
		 op_names[op]);
	svg_begin(out, TOP + HEIGHT + 30, title,
		  "The bold line is of all hosts, a thin one of each.");
	svg_pair(out, 14, title, "small end", "bold: all hosts");
	curve_axis(&c, out);
	for (size_t i = 0; i < f->n; i++) {
		struct fleet_part sum = fleet_sum(f, &f->host[i]);

		curve_line(&c, sum.op[op].hist, "line", out);
		fleet_part_free(&sum);
	}
	curve_line(&c, all->op[op].hist, "curve s1", out);
	fputs("</svg>\n", out);
	doc_drawn(d);
}

/* --- the page and its formats --- */

static void page_fleet(struct doc *d, const struct fleet *f)
{
	struct fleet_part all = fleet_merge(f);
	struct fleet_ranking ranking;

	ranking_make(&ranking, f);
	doc_heading(d, "Result");
	page_fleet_window(d, f);
	ranking_say(d, &ranking);
	page_fleet_failed(d, f);
	page_fleet_spread(d, f);
	page_fleet_clocks(d, f);
	page_fleet_versions(d, f);
	page_fleet_merged(d, f, &all);
	for (int op = 0; op < FLEET_OPS; op++)
		page_fleet_curve(d, f, &all, op);
	page_fleet_hosts(d, f, &ranking);
	ranking_free(&ranking);
	fleet_part_free(&all);
}

void page_fleet_print(const struct fleet *f, int extent, FILE *out)
{
	struct doc *d = page_new(extent);

	page_fleet(d, f);
	page_print(d, extent, "iodyno: a fleet", out);
}

void page_fleet_json(const struct fleet *f, int how, FILE *out)
{
	struct doc *d = page_new(PAGE_TEXT);
	struct json_writer w = { 0 };

	page_fleet(d, f);
	json_writer_open(&w, '{');
	json_writer_put_text(&w, "type", "fleet");
	json_writer_put_number(&w, "hosts", (double)f->n);
	json_writer_put_number(&w, "counted", (double)f->counted);
	json_writer_put_number(&w, "runs", (double)f->n_runs);
	json_writer_put_number(&w, "window_s", fleet_seconds(f));
	doc_print_json(d, &w);
	json_writer_close(&w, '}');
	json_writer_raw(&w, "\n", 1);
	fwrite(w.buf, 1, w.len, out);
	json_writer_free(&w);
	doc_free(d);
}
