#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Jobs from the screen: started, changed, stopped, started again, each an event
# of the log; what holds data is not written unless that is typed.
. "${srcdir:-.}/cli/lib.sh"
need_ptyrun
need_command top
command -v jq >/dev/null || skip "jq is not installed"
cd "$tmp" || exit 1

# to TARGET RW: fill the form; 600 s on 8 MiB, not direct, by psync.
to() {
  cat <<END
wait "%util"
send "r"
wait "Start a job"
send "<Down>$1<Down>\x15$2"
send "<Down><Down>\x151<Down>\x15psync<Down>\x150"
send "<Down><Down>8m<Down>\x15600s"
send "<Enter>"
wait "Check before"
END
}

# A new file: one key starts it.
to "$tmp/new" randrw >script
cat >>script <<'END'
wait "makes the file"
send "y"
wait "run: randrw"
wait "ETA"
send "2"
run 0.5
send "e<Down><Down><Down>"
wait "rwmixread of randrw (now 50)"
send "80<Enter>"
wait "rwmixread 50 -> 80"
send "e<Up><Up><Up>"
wait "rate_iops of randrw (now 0)"
send "300<Enter>"
wait "rate_iops 0 -> 300"
send "K"
wait "Stop job randrw?"
send "y"
wait "all jobs done"
run 0.6
send "R"
wait "again with the same options?"
send "y"
wait "run: randrw#2"
run 0.5
send "qy"
expect-exit 0
attrs
END
"$PTYRUN" -s 40x120 "$IODYNO" -i 0.2 --log="$tmp/log" <script || fail "a job from the screen"
[ -s "$tmp/new" ] || fail "the job made no file"

kinds=$(jq -r 'select(.type == "frame") | .event[]? |
  select(.kind | startswith("job_")) | .kind + " " + .job + " " + (.knob // "")' "$tmp/log")
[ "$kinds" = "job_start randrw 
job_set randrw rwmixread
job_set randrw rate_iops
job_stop randrw 
job_start randrw#2 " ] || fail "events: $kinds"
[ "$(jq -s '[.[] | select(.type == "job") | .job[]] | length' "$tmp/log")" = 2 ] ||
  fail "the log does not describe the jobs"
expect 0 "$IODYNO" report "$tmp/log"
grep -q 'job randrw#2: randrw of 4.00KiB' "$tmp/out" || fail "the report lacks the second job"
tr -s '\n ' ' ' <"$tmp/out" | grep -q 'job randrw stopped' || fail "the report lacks the stop"

# A file that is not ours, a job file and a preset; what is wrong is said.
head -c 8388608 /dev/urandom >"$tmp/precious"
cp "$tmp/precious" "$tmp/copy"
printf '[mine]\nrw=write\nioengine=psync\nsize=1m\n' >"$tmp/some.job"
{
  to "$tmp/precious" randwrite
  cat <<'END'
wait "!! overwrites"
send "<Enter>y<Enter>"
wait "Not started"
send "<Esc>"
wait "Start a job"
send "<Home>etc"
send "<Enter>"
wait "is neither a preset"
send "<Esc>\x15<Right>"
wait "8 KiB random reads"
send "\x15some.j<Tab>"
wait "some.job"
send "<Enter>"
wait "mine: randwrite"
wait "!! overwrites"
send "<Esc><Esc>qy"
expect-exit 0
END
} | "$PTYRUN" -s 40x120 "$IODYNO" -i 0.2 || fail "a file that is not ours"
cmp "$tmp/precious" "$tmp/copy" || fail "a precious file was written"

# A job file as it is; what it asks for in vain is told.
printf '[noted]\nrw=read\nioengine=psync\nsize=1m\ngtod_reduce=1\ntime_based\nruntime=600\n' >own.job
"$PTYRUN" -s 40x120 "$IODYNO" -i 0.2 --log="$tmp/noted" <<'END' || fail "a job file"
wait "%util"
send "rown.j<Tab>"
wait "own.job"
send "<Enter>"
wait "makes the file noted.0.0"
send "y"
wait "run: noted"
run 0.5
send "qy"
expect-exit 0
END
jq -r 'select(.event) | .event[] | select(.kind == "note") | .text' "$tmp/noted" | grep -q gtod_reduce ||
  fail "what has no effect was not told"

# Beside the run of the command line, which then waits for q.
to "$tmp/new" randread >script
cat >>script <<'END'
wait "nothing is written"
send "<Enter>"
wait "first"
wait "run: first (randread 4k), randread (randread 4k)"
send "2<Home>K"
wait "Stop job first?"
send "y"
wait "run: randread"
send "<Down>K"
wait "Stop job randread?"
send "y"
wait "all jobs done"
send "qy"
expect-exit 0
END
"$PTYRUN" -s 40x120 "$IODYNO" run --screen -i 0.2 --name=first --rw=randread \
  --bs=4k --size=8m --filename="$tmp/new" --time_based --runtime=600 <script ||
  fail "two runs beside each other"

# A device is written when its name is typed, and not before.
rest_needs_loop
make_loop 16M
sum=$(cksum <"$tmp/disk")
{
  to "/dev/$loop" randwrite
  cat <<END
wait "overwrites the first"
send "/dev/loo<Enter>"
wait "Not started"
END
} >script
{
  cat script
  printf 'send "<Esc><Esc>qy"\nexpect-exit 0\n'
} | "$PTYRUN" -s 40x120 "$IODYNO" -i 0.2 || fail "a device"
sync
[ "$sum" = "$(cksum <"$tmp/disk")" ] || fail "a device was written without leave"
{
  cat script
  cat <<END
send "\x15/dev/$loop<Enter>"
wait "run: randwrite"
run 0.5
send "qy"
expect-exit 0
END
} | "$PTYRUN" -s 40x120 "$IODYNO" -i 0.2 || fail "a device that is named"
sync
[ "$sum" != "$(cksum <"$tmp/disk")" ] || fail "with leave nothing was written"

# Again on that device: as it is, at once; with a file system that another
# program wrote to it meanwhile, not without its name typed anew.
PATH=$PATH:/sbin:/usr/sbin
command -v mkfs.ext4 >/dev/null || exit 0
truncate -s 16M "$tmp/image"
mkfs.ext4 -qF -L NEW "$tmp/image"
{
  cat script
  cat <<END
send "\x15/dev/$loop<Enter>"
wait "run: randwrite"
send "2"
run 0.5
send "K"
wait "Stop job randwrite?"
send "y"
wait "all jobs done"
send "R"
wait "again with the same options?"
send "y"
wait "run: randwrite#2"
run 0.5
send "K"
wait "Stop job randwrite#2?"
send "y"
wait "all jobs done"
screen $tmp/stopped
END
} >again
mkfifo "$tmp/keys"
"$PTYRUN" -s 40x120 "$IODYNO" -i 0.2 <"$tmp/keys" &
ptyrun=$!
pids="$pids $ptyrun"
exec 3>"$tmp/keys"
cat again >&3
within 120 [ -s "$tmp/stopped" ] || fail "the job was not stopped"
dd if="$tmp/image" of="/dev/$loop" bs=1M conv=fsync status=none || fail "no file system was made"
cksum <"$tmp/disk" >"$tmp/made"
cat >&3 <<'END'
send "R"
wait "again with the same options?"
send "y"
wait "the content of the target has changed"
send "qy"
expect-exit 0
END
exec 3>&-
wait $ptyrun || fail "again on a device"
sync
[ "$(cat "$tmp/made")" = "$(cksum <"$tmp/disk")" ] || fail "again wrote over a new file system"
exit 0
