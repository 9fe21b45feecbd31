#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# However a run ends, the settings that it changed are put back and the terminal
# is sane: a real loop device, real signals.
. "${srcdir:-.}/cli/lib.sh"
need_ptyrun
need_command run

# Each end, by a name, the signal or key, and the status.
ends() { # COMMAND-FOR-A-RUN
  "$1" q 'send "qy"' 'expect-exit 0' attrs
  "$1" SIGINT 'kill INT' 'expect-exit 130' attrs
  "$1" SIGTERM 'kill TERM' 'expect-exit 143' attrs
  "$1" SIGHUP 'kill HUP' 'expect-exit 129' attrs
  "$1" SIGKILL 'kill KILL' 'expect-exit 137' 'attrs 60'
  "$1" SIGSEGV 'kill SEGV' 'expect-exit 139' 'attrs 60'
}

# The terminal, and the worker: it ends with the run.
on_a_file() { # NAME SCRIPT...
  name=$1
  shift
  {
    echo 'wait "ETA"'
    printf '%s\n' "$@"
  } | "$PTYRUN" "$IODYNO" run --screen --name=x --filename="$tmp/file" --size=4m --rw=randwrite --bs=4k \
    --rate_iops=500 --runtime=600 --time_based -i 0.2 --overwrite="$tmp/file" || fail "$name on a file"
  within 60 is_free || fail "$name: a worker still has the file: $(pgrep -af "$tmp/file")"
}
is_free() { ! grep -q "FLOCK .*:$(stat -c %i "$tmp/file") " /proc/locks; }
ends on_a_file

rest_needs_loop
make_loop 256M

scheduler=$(setting "$loop" scheduler)
ahead=$(setting "$loop" read_ahead_kb)
other=$(other_scheduler "$loop") || skip "the kernel offers one scheduler only"

mkfifo "$tmp/script"
is() { [ "$(setting "$loop" "$1")" = "$2" ]; }

# ending NAME SCRIPT...: a run with two turns ends so.
ending() {
  name=$1
  shift
  "$PTYRUN" "$IODYNO" run --screen --name=x --filename="/dev/$loop" \
    --rw=randread --bs=4k --direct=1 --rate_iops=500 --runtime=600 --time_based -i 0.2 \
    "--at=0.3s:$loop.scheduler=$other" "--at=0.5s:$loop.read_ahead_kb=4096" <"$tmp/script" &
  ptyrun=$!
  pids="$pids $ptyrun"
  exec 3>"$tmp/script"
  echo 'wait "%util"' >&3
  # The end comes when both are turned.
  within 60 is read_ahead_kb 4096 && is scheduler "$other" || fail "$name: the settings were never turned"
  printf '%s\n' "$@" >&3
  exec 3>&-
  wait $ptyrun || fail "$name"
  within 60 is scheduler "$scheduler" || fail "$name: the scheduler was not put back"
  within 60 is read_ahead_kb "$ahead" || fail "$name: readahead was not put back"
}

ends ending

# What somebody else turned meanwhile stays as he left it.
(within 60 is read_ahead_kb 4096 && echo 512 >"/sys/block/$loop/queue/read_ahead_kb") &
"$IODYNO" run --headless --name=x --filename="/dev/$loop" --rw=randread --bs=4k \
  --direct=1 --rate_iops=500 --runtime=3 --time_based -i 0.2 "--at=0.5s:$loop.read_ahead_kb=4096" \
  --log="$tmp/foreign.jsonl" >"$tmp/out" 2>&1 </dev/null
wait $!
is read_ahead_kb 512 || fail "a foreign change was overwritten"
grep -q '"by":"foreign"' "$tmp/foreign.jsonl" || fail "the foreign change is not in the log"
exit 0
