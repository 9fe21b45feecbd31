/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Command table: one row per command.
 */
#include "cmd/command.h"

const struct command commands[] = {
	{ "top", CMD_TOP, "[OPTION]... [DEVICE]...",
	  "the live monitor (the default command)", NULL, cmd_top },
	{ "run", CMD_RUN, "[OPTION]... [JOBFILE|PRESET|TARGET]...",
	  "run workloads under the monitor",
	  "A job is given in fio's words: --name=x --filename=F --size=1g "
	  "--rw=randrw\n--bs=16k --ioengine=libaio --iodepth=16 --direct=1 "
	  "--runtime=60 --time_based,\nor in a job file. Options before the "
	  "first --name count for all jobs. A\nTARGET is a file, directory "
	  "or device: without a job it is read at random for\nhalf a minute, "
	  "and nothing is written to it. Without either a scratch target is\n"
	  "made, loaded, turned at and removed again.",
	  cmd_run },
	{ "ping", CMD_PING, "[OPTION]... TARGET",
	  "the latency of one I/O at a time, beside any load",
	  "TARGET is a file, directory or device. Each second it is read at a "
	  "random place,\ndirectly if that can be; a directory gets a scratch "
	  "file. The first request is\nwarm-up and not counted. Ctrl-C ends it "
	  "with percentiles and a histogram.",
	  cmd_ping },
	{ "record", CMD_RECORD, "[OPTION]... [DEVICE]...",
	  "the monitor, headless, as JSON Lines", NULL, cmd_record },
	{ "replay", CMD_REPLAY, "[OPTION]... LOG [LOG]",
	  "the screen over a log, or two: pause, step, seek", NULL,
	  cmd_replay },
	{ "report", CMD_REPORT, "[OPTION]... LOG...",
	  "what a log shows: per job, per segment, before and after each turn",
	  NULL, cmd_report },
	{ "knob", CMD_KNOB,
	  "[OPTION]... list [DEVICE]... | get DEVICE.KNOB... | set "
	  "DEVICE.KNOB=VALUE... | restore",
	  "queue knobs from the shell",
	  "What set changes stays; it prints the command that undoes it. "
	  "restore puts back\nwhat a run that was cut off left behind.",
	  cmd_knob },
	{ "list", CMD_LIST,
	  "[OPTION]... fields|knobs|engines|options|presets|keys|themes|"
	  "reasons|flags",
	  "what there is: columns, knobs, engines, job options, presets, keys", NULL,
	  cmd_list },
};

const size_t n_commands = ARRAY_SIZE(commands);
