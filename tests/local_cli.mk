# Tests of the whole program: plain shell, and on a pseudo-terminal by ptyrun.
if HAVE_VTERM
ptyrun = ptyrun$(EXEEXT)
check_PROGRAMS += ptyrun
ptyrun_SOURCES = ptyrun.c pty.c pty.h
ptyrun_LDADD = $(LDADD) $(VTERM_LIBS)
endif

# A seccomp filter around a program.
check_PROGRAMS += refuse
refuse_SOURCES = refuse.c
refuse_LDADD =

# The slow ones first, the slowest at the top.
cli_tests = \
	cli/presets-run.sh \
	cli/verify-faults.sh \
	cli/verify-matrix.sh \
	cli/demo.sh \
	cli/pgbench.sh \
	cli/checks.sh \
	cli/escapes.sh \
	cli/fio-new.sh \
	cli/fio-output.sh \
	cli/hang.sh \
	cli/hang-ends.sh \
	cli/frozen.sh \
	cli/sudo.sh \
	cli/golden.sh \
	cli/sweep.sh \
	cli/presets.sh \
	cli/exec.sh \
	cli/fio-examples.sh \
	cli/fleet.sh cli/fleet-hosts.sh cli/foreign.sh \
	cli/hostile.sh \
	cli/fio-logs.sh \
	cli/fio-status.sh \
	cli/fio-submissions.sh \
	cli/fio-flags.sh \
	cli/fio-words.sh \
	cli/sweep-axes.sh \
	cli/sweep-steps.sh \
	cli/guard-devices.sh \
	cli/instances.sh \
	cli/trace.sh \
	cli/idle-rows.sh \
	cli/ab.sh \
	cli/kinds-programs.sh \
	cli/showcmd.sh \
	cli/usage.sh \
	cli/keys.sh \
	cli/limits.sh \
	cli/engines.sh \
	cli/fio-values.sh \
	cli/completion.sh \
	cli/service.sh \
	cli/openmetrics.sh \
	cli/readers.sh \
	cli/packaging.sh \
	cli/imports.sh \
	cli/report.sh \
	cli/left.sh \
	cli/fsmark.sh \
	cli/dbench.sh \
	cli/jobfiles.sh \
	cli/checks-stack.sh \
	cli/sysbench.sh \
	cli/kinds.sh \
	cli/alarms.sh \
	cli/disk.sh \
	cli/disk-truth.sh \
	cli/ping.sh \
	cli/sweep-emit.sh \
	cli/sqlite.sh \
	cli/sigkill.sh \
	cli/stall.sh \
	cli/packages.sh \
	cli/page-contrast.sh \
	cli/column.sh \
	cli/confirm.sh \
	cli/consent.sh \
	cli/guard.sh \
	cli/install.sh \
	cli/keeper-death.sh \
	cli/knob.sh \
	cli/launch.sh \
	cli/log-hang.sh \
	cli/man-examples.sh \
	cli/monitor.sh \
	cli/ptyrun.sh \
	cli/reads.sh \
	cli/record.sh \
	cli/reference.sh \
	cli/remember.sh \
	cli/rotate.sh \
	cli/run.sh \
	cli/side-files.sh \
	cli/startup.sh \
	cli/target.sh \
	cli/powercut.sh \
	cli/verify-flush.sh \
	cli/verify-kill.sh \
	cli/verify-only.sh
dist_check_SCRIPTS += $(cli_tests)
TESTS += $(cli_tests)
EXTRA_DIST += cli/completion.zsh cli/lib.sh cli/fio_reader.py jobs

# The program with one more column of jobs, engine, kind of work, check, format,
# knob, alarm, command, option, job option, collector and driver: one more row in copies of the tables, and what the rows belong to.
check_PROGRAMS += column
column_sources = column_schema_job.c column_engine.c column_kind.c \
	column_checks_table.c column_report.c column_knob.c \
	column_alarm_rules.c column_command.c column_option_rows.c \
	column_job_rows_io.c column_collect.c
column_SOURCES = added.c added_cmd.c added_report.c
nodist_column_SOURCES = $(column_sources)
column_LDADD = $(top_builddir)/src/main.$(OBJEXT) $(LDADD)
add_rows = $(AM_V_GEN)sed -f $(srcdir)/column_rows.sed
column_schema_job.c: $(top_srcdir)/src/model/schema/schema_job.c column_row
	sed '/^static const struct field fields\[\] = {/r $(srcdir)/column_row' \
		$(top_srcdir)/src/model/schema/schema_job.c >$@-new
	mv $@-new $@
column_engine.c: $(top_srcdir)/src/workload/engine/engine.c column_rows.sed
	$(add_rows) $(top_srcdir)/src/workload/engine/engine.c >$@
column_kind.c: $(top_srcdir)/src/workload/kind/kind.c column_rows.sed
	$(add_rows) $(top_srcdir)/src/workload/kind/kind.c >$@
column_checks_table.c: $(top_srcdir)/src/report/checks_table.c column_rows.sed
	$(add_rows) $(top_srcdir)/src/report/checks_table.c >$@
column_report.c: $(top_srcdir)/src/report/report.c column_rows.sed
	$(add_rows) $(top_srcdir)/src/report/report.c >$@
column_knob.c: $(top_srcdir)/src/knob/knob.c column_rows.sed
	$(add_rows) $(top_srcdir)/src/knob/knob.c >$@
column_alarm_rules.c: $(top_srcdir)/src/model/alarm_rules.c column_rows.sed
	$(add_rows) $(top_srcdir)/src/model/alarm_rules.c >$@
column_command.c: $(top_srcdir)/src/cmd/command.c column_rows.sed
	$(add_rows) $(top_srcdir)/src/cmd/command.c >$@
column_option_rows.c: $(top_srcdir)/src/cmd/option_rows.c column_rows.sed
	$(add_rows) $(top_srcdir)/src/cmd/option_rows.c >$@
column_job_rows_io.c: $(top_srcdir)/src/model/job/job_rows_io.c column_rows.sed
	$(add_rows) $(top_srcdir)/src/model/job/job_rows_io.c >$@
column_collect.c: $(top_srcdir)/src/collect/collect.c column_rows.sed
	$(add_rows) $(top_srcdir)/src/collect/collect.c >$@
CLEANFILES += $(column_sources)
EXTRA_DIST += column_row column_rows.sed

# A library for LD_PRELOAD: clocks that jump, an older io_uring.
check_DATA = shim.so
EXTRA_DIST += shim.c
shim.so: shim.c $(top_builddir)/src/config.h
	$(AM_V_CC)$(CC) $(WARN_CFLAGS) $(AM_CPPFLAGS) $(URING_CFLAGS) $(CPPFLAGS) $(CFLAGS) -fPIC -shared $(LDFLAGS) -o $@ $(srcdir)/shim.c -ldl
CLEANFILES += shim.so

# What the shell tests need besides the program.
for-shell-tests: $(check_LIBRARIES) $(check_DATA) column$(EXEEXT) refuse$(EXEEXT) $(ptyrun)
.PHONY: for-shell-tests

# Not part of make check: measurements and long fuzzing (CONTRIBUTING.md).
EXTRA_DIST += \
	bench/agreement.sh \
	bench/cpu-busy.sh \
	bench/instructions.sh \
	bench/iops-beside-fio.sh \
	bench/iostat-agreement.sh \
	bench/large-writes.sh \
	bench/power-cuts.sh \
	bench/lib.sh \
	bench/many-devices.sh \
	bench/memory.sh \
	bench/null-engine.sh \
	bench/record-cost.sh \
	bench/replay-first-frame.sh \
	bench/same.sh \
	bench/trace-cost.sh \
	bench/seed-tools.sh \
	bench/startup.sh \
	fuzz.sh

# Every fuzz target, on the files of its corpus.
EXTRA_DIST += corpus
check_PROGRAMS += check_corpus
TESTS += check_corpus
check_corpus_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_REPLAY
check_corpus_SOURCES = check_corpus.c fuzz.h log_memory.h \
	fuzz_assertion.c \
	fuzz_fleet.c \
	fuzz_histogram.c \
	fuzz_import.c \
	fuzz_job.c \
	fuzz_jobfile.c \
	fuzz_journal.c \
	fuzz_ledger.c \
	fuzz_json.c \
	fuzz_keys.c \
	fuzz_loadfile.c \
	fuzz_log.c \
	fuzz_machine.c \
	fuzz_options.c \
	fuzz_reference.c \
	fuzz_resume.c \
	fuzz_smart.c \
	fuzz_trace.c \
	fuzz_units.c \
	$(ui_scene)

FUZZ_SECONDS = 600
fuzz:
	$(srcdir)/fuzz.sh fuzz-build $(FUZZ_SECONDS)

# Each combination, of which the suite tries a part: that takes longer than a test of it may.
WHOLE = cli/verify-matrix.sh cli/verify-faults.sh cli/disk-truth.sh cli/powercut.sh check_ledger
whole: all
	IODYNO_WHOLE=1 TEST_SECONDS=$${TEST_SECONDS:-7200} $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(WHOLE)'

# BENCH=memory is one of them. All are run, whatever one shows.
BENCH = *
bench:
	@failed=; \
	for bench in $(srcdir)/bench/$(BENCH).sh; do \
	  case $$bench in */lib.sh) continue ;; esac; \
	  echo "== $$bench"; \
	  srcdir=$(srcdir) IODYNO=$(abs_top_builddir)/src/iodyno $$bench; \
	  status=$$?; \
	  test $$status = 0 || test $$status = 77 || failed="$$failed $$bench"; \
	done; \
	test -z "$$failed" || { echo "failed:$$failed"; exit 1; }

# TORTURE=faults is one of tests/torture/*.sh; SEED=17 ROUNDS=1 repeats a round.
EXTRA_DIST += \
	torture/faults.sh \
	torture/instances.sh \
	torture/joblines.sh \
	torture/lib.sh \
	torture/logs.sh \
	torture/sigkill.sh \
	torture/sweep.sh \
	torture/torture.sh
ROUNDS = 100
torture: all
	IODYNO=$(abs_top_builddir)/src/iodyno $(srcdir)/torture/torture.sh \
	  -n $(ROUNDS) $${SEED:+-s "$$SEED"} $(TORTURE)

clean-local: clean-local-ui
	rm -rf fuzz-build

.PHONY: fuzz bench torture whole
