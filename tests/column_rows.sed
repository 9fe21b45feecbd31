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
