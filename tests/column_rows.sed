# One more row in each table whose recipe a test tries (added.c).
/^const struct engine \*const engines\[\] = {/i\
extern const struct engine engine_added;
s/^\t&engine_mmap, /\t\&engine_added, &/
/^const struct work_kind \*const work_kinds\[\] = {/i\
extern const struct work_kind kind_added;
s/^const struct work_kind \*const work_kinds\[\] = { &kind_io, /&\&kind_added, /
/^const struct check checks_table\[\] = {/i\
enum check_state added_judge(const struct check_case *c);
/^const struct check checks_table\[\] = {/a\
	{ "added", 1, "a check that a test adds", "a run", added_judge,\
	  "look at the test", false },
/^const struct report_format report_formats\[\] = {/i\
void added_print(struct report *r, const struct header *h, int how, FILE *out);
/^const struct report_format report_formats\[\] = {/a\
	{ .name = "added",\
	  .help = "a format that a test adds",\
	  .how = 7,\
	  .print = added_print },
/^const struct knob knobs\[\] = {/a\
	{ "added", "queue/added", KNOB_NUMBER, NULL, NULL,\
	  45, 0, 100, "", "a knob that a test adds" },
/^const struct alarm_check alarm_rules\[\] = {/i\
void added_words(const struct alarm_case *c, char *buf, size_t size);
/^const struct alarm_check alarm_rules\[\] = {/a\
	{ .seen = { .name = "added", .unit = "", .limit = 100,\
		    .rest_s = 2, .severity = ALARM_WARNING,\
		    .help = "an alarm that a test adds" },\
	  .schema = SCHEMA_JOB, .key = "read_iops", .words = added_words },
/^const struct command commands\[\] = {/i\
int cmd_added(struct settings *s);
/^\t\t.run = cmd_top,/{
n
a\
	{ .name = "added",\
	  .groups = LIVE,\
	  .usage = "[OPTION]...",\
	  .help = "a command that a test adds",\
	  .run = cmd_added },
}
/^const struct option_row option_rows\[\] = {/a\
	{ "added", 0, OPTIONS_SAMPLING, TO(TEXT, host_label), "NAME",\
	  "an option that a test adds" },
/^static const struct job_option sync_rows\[\] = {/a\
	{ "added_files", NULL, &job_count, AT(nrfiles), "N",\
	  "a job option that a test adds", .min = 1, .max = 9 },
/^static const struct collector \*const collectors\[\] = {/i\
extern const struct collector collector_added;
s/^\t&collector_diskstats, /&\&collector_added, /
