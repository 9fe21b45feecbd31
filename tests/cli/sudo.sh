#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Called by sudo, a device is written to while all that parses, shows, counts
# and writes is the calling user's: the opener hands the device out, after the
# guard. The files that the run makes are that user's.
. "${srcdir:-.}/cli/lib.sh"
need_time
need_root
need jq pgrep setpriv
chmod 777 "$tmp"
cd "$tmp" || exit 99
SUDO_UID=65534 SUDO_GID=65534 SUDO_COMMAND=/usr/bin/iodyno
export SUDO_UID SUDO_GID SUDO_COMMAND

umask 077
# A sweep: plan, what it includes, and log are the caller's, too.
printf '[sweep]\nvary=secret-word\n' >"$tmp/plan"
printf '[secret-section\n' >"$tmp/secret.fio"
printf '[sweep]\nvary=rw=read,write\n[a]\ninclude %s\n' "$tmp/secret.fio" >"$tmp/plan2"
chmod 644 "$tmp/plan2"
for plan in plan plan2; do
  "$IODYNO" sweep --dry-run "$tmp/$plan" >"$tmp/out" 2>"$tmp/err" && fail "a sweep read what its caller cannot"
  grep -q 'secret-[ws]' "$tmp/out" "$tmp/err" && fail "a sweep shows what its caller cannot read: $(cat "$tmp/err")"
done
expect 2 "$IODYNO" record -n 1 --alarm-limits="$tmp/plan"
grep -q 'secret-' "$tmp/err" && fail "the limits of alarms show what the caller cannot read: $(cat "$tmp/err")"
expect 0 "$IODYNO" sweep --headless --settle=0 --blocks=1 -i 0.1 --log="$tmp/sweep.log" --vary rw=read,write --name=a \
  --ioengine=null --size=1m --runtime=0.2 --time_based
[ "$(stat -c %u "$tmp/sweep.log")" = 65534 ] || fail "the log of a sweep is not the user's"

# A command of a sweep is the caller's.
expect 0 "$IODYNO" sweep --headless --settle=0 --blocks=1 -i 0.1 --log="$tmp/exec.jsonl" --allow-exec --metric=run_s --vary label=x,y \
  --name=c --ioengine=exec --program=sh --arguments="-c 'id -u >$tmp/id2'"
[ "$(cat "$tmp/id2")" = 65534 ] || fail "the command of a sweep ran as $(cat "$tmp/id2")"

# Files out of the caller's reach: the run says that it is root's, and why.
umask 022
mkdir -m 755 "$tmp/roots"
reason="job a needs $tmp/roots/f, which user 65534, the caller of sudo, cannot make or write: all of this run works as root"
expect 0 "$IODYNO" run --headless --name=a --rw=write --size=1m --filename="$tmp/roots/f"
grep -qF "$reason" "$tmp/err" || fail "no reason why it is root's: $(cat "$tmp/err")"
expect 0 "$IODYNO" sweep --headless --settle=0 --blocks=1 -i 0.1 --log="$tmp/roots.jsonl" --vary bs=4k,8k \
  --name=a --rw=write --size=1m --filename="$tmp/roots/f"
grep -qF "$reason" "$tmp/err" || fail "no reason why the sweep is root's: $(cat "$tmp/err")"
expect 3 "$IODYNO" run --headless --allow-exec --name=a --rw=write --size=1m --filename="$tmp/roots/f" \
  --name=c --ioengine=exec --program=id
expect 0 "$IODYNO" run --headless --name=a --rw=write --size=1m --filename="$tmp/own"
grep -q 'works as root' "$tmp/err" && fail "a run that needs no root says so: $(cat "$tmp/err")"

# told STATUS ARGUMENT...
told() {
  wanted=$1
  shift
  expect "$wanted" setpriv --reuid=65534 --regid=65534 --clear-groups "$IODYNO" "$@"
  grep -qF "as root: sudo $IODYNO $1 $2" "$tmp/err" || fail "no command in: $(cat "$tmp/err")"
}
(
  unset SUDO_UID SUDO_GID SUDO_COMMAND
  null="--name=a --ioengine=null --rw=read --size=1m"
  # shellcheck disable=SC2086
  told 1 run --headless $null --nice=-5
  # shellcheck disable=SC2086
  told 1 run --headless $null --prioclass=1 --prio=0
) || exit 1

# --- a loop device ---

rest_needs_loop
make_loop 64M
chmod 600 "/dev/$loop"
rights_of() { sed -n 's/^CapPrm:[[:space:]]*//p' "/proc/$1/status"; }
# The processes of $pid but the small ones, without a right of root's. One that
# ends meanwhile has no status.
all_are_the_users() {
  for p in $pid $(pgrep -P "$pid"); do
    cat "/proc/$p/status" >"$tmp/status" 2>/dev/null
    awk '/^Name:/ { name = $2 } /^Uid:/ { uid = $2 $3 $4 $5 } /^CapPrm:/ { rights = $2 }
      END {
        if (name ~ /^iodyno-(keeper|opener|hand)$/ || rights == "") exit
        if (uid == "65534655346553465534" && rights == "0000000000000000") exit
        print name " works as " uid " with the rights " rights
      }' "$tmp/status" >"$tmp/astray"
    [ ! -s "$tmp/astray" ] || fail "$(cat "$tmp/astray")"
  done
}
# has_only PID RIGHTS: a small process with these rights, which can gain none.
has_only() {
  [ "$(rights_of "$1")" = "$2" ] || fail "$(cat "/proc/$1/comm") has the rights $(rights_of "$1")"
  [ "$(sed -n 's/^NoNewPrivs:[[:space:]]*//p' "/proc/$1/status")" = 1 ] || fail "$(cat "/proc/$1/comm") may gain rights"
}
is_filtered() {
  case $(sed -n 's/^Seccomp:[[:space:]]*//p' "/proc/$1/status") in
  2) ;;
  *) grep -q __asan_init "$IODYNO" 2>/dev/null || fail "$(cat "/proc/$1/comm") has no filter of system calls" ;;
  esac
}
# is_up LOG NAME: the log has I/O, the small process NAME is there, all others are the user's.
is_up() {
  within 60 written "$1" || fail "nothing was written: $(cat "$tmp/err")"
  small=$(pgrep -P "$pid" -x "$2") || fail "there is no $2"
  all_are_the_users
}
job="--name=a --rw=randwrite --bs=4k --direct=1 --time_based --runtime=600 --size=8m"

# runs_as_user OPTION...
runs_as_user() {
  # What a shell starts by & ignores SIGINT, which env puts right.
  # shellcheck disable=SC2086
  env --default-signal=INT "$IODYNO" run --headless -i 0.1 --log="$tmp/log.$#" $job --filename="/dev/$loop" \
    --destroy-data="/dev/$loop" --write_iops_log="$tmp/x.$#" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
  pid=$!
  pids="$pids $pid"
  is_up "$tmp/log.$#" iodyno-opener
  opener=$small
  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER, CAP_SYS_PTRACE, and
  # CAP_SYS_ADMIN, without which the device mapper tells no tables.
  has_only "$opener" 000000000028000e
  is_filtered "$opener"
  # Others are kept off the device while it is written to.
  flock -n "/dev/$loop" true && fail "the device is not locked"
  kill -INT "$pid"
  wait "$pid"
  within 60 sh -c "! kill -0 $opener 2>/dev/null" || fail "the opener is left"
  flock -w 5 "/dev/$loop" true || fail "the device stays locked"
  [ "$(stat -c %u "$tmp/log.$#")" = 65534 ] || fail "the log is not the user's"
  stat -c %u "$tmp/x.$#"_iops* | grep -qvx 65534 && fail "the I/O log is not the user's"
  return 0
}
written() { jq -es 'any(.[]; .type == "frame" and any(.job[]?; (.write_iops // 0) > 0))' "$1" >/dev/null 2>&1; }

runs_as_user
runs_as_user --process=1 --numjobs=2

# The guard is the same: not named, carrying data, in use.
before=$(cksum <"/dev/$loop")
# shellcheck disable=SC2086
expect 3 "$IODYNO" run --headless $job --filename="/dev/$loop"
mkswap "/dev/$loop" >/dev/null 2>&1
before=$(cksum <"/dev/$loop")
# shellcheck disable=SC2086
expect 3 "$IODYNO" run --headless $job --filename="/dev/$loop" --destroy-data="/dev/$loop" --yes
grep -q 'swap signature.*--override=signature' "$tmp/err" || fail "the reason is not named: $(cat "$tmp/err")"
# shellcheck disable=SC2086
expect 3 "$IODYNO" run --headless $job --filename="/dev/$loop" --destroy-data="/dev/$loop" --override=signature --readonly
[ "$(cksum <"/dev/$loop")" = "$before" ] || fail "the device was changed"
# shellcheck disable=SC2086
expect 0 "$IODYNO" run --headless $job --runtime=0.2 --filename="/dev/$loop" --destroy-data="/dev/$loop" --override=signature
[ "$(cksum <"/dev/$loop")" != "$before" ] || fail "the device was not written to"

dd if=/dev/zero "of=/dev/$loop" bs=4k count=2 conv=fsync status=none
# A command of a job runs as the user, also beside a job on a device.
# shellcheck disable=SC2086
expect 0 "$IODYNO" run --headless --allow-exec $job --runtime=0.2 --filename="/dev/$loop" --destroy-data="/dev/$loop" \
  --name=c --ioengine=exec --program=sh --arguments="-c 'id -u >$tmp/id'" --time_based=0
[ "$(cat "$tmp/id")" = 65534 ] || fail "the command ran as $(cat "$tmp/id")"

# A pattern's file that the user cannot read.
umask 077
echo secret >"$tmp/secret"
# shellcheck disable=SC2086
expect 1 "$IODYNO" run --headless $job --filename="/dev/$loop" --destroy-data="/dev/$loop" --buffer_pattern="'$tmp/secret'"

# Its screen, parser and workers are the caller's; a hand with root's rights makes
# and mounts file systems, and is gone with the sweep, however that ends.
wipefs -qa "/dev/$loop"
export TMPDIR="$tmp"
sweep_job="--name=a --rw=randwrite --bs=4k --size=8m --time_based --runtime=600"
# sweeps_as_user LOG OPTION...: until the jobs run; leaves $pid and $hand
sweeps_as_user() {
  log=$1
  shift
  # shellcheck disable=SC2086
  env --default-signal=INT "$IODYNO" sweep --headless --settle=0 --blocks=1 -i 0.1 --log="$log" $sweep_job "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
  pid=$!
  pids="$pids $pid"
  is_up "$log" iodyno-hand
  hand=$small
  # CAP_SYS_ADMIN, CAP_KILL, CAP_FOWNER, CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE, CAP_CHOWN
  has_only "$hand" 000000000020002f
  is_filtered "$hand"
}
gone() { ! kill -0 "$hand" 2>/dev/null && [ -z "$(losetup -n -l -O BACK-FILE | grep "$tmp/iodyno-scratch")" ]; }
if command -v mkfs.ext2 >/dev/null && { grep -qw ext2 /proc/filesystems || modprobe ext2 2>/dev/null || grep -qw ext4 /proc/filesystems; }; then
  sweeps_as_user "$tmp/fs.jsonl" --scratch=32m --vary "fs=ext2,ext2[noatime]" --process=1
  grep -q ' /run/iodyno-sweep rw,nosuid,nodev' "/proc/$pid/mountinfo" || fail "the mount: $(cat "/proc/$pid/mountinfo")"
  grep -q ' /run/iodyno-sweep ' /proc/self/mountinfo && fail "the mount is not the sweep's alone"
  kill -9 "$pid"
  wait "$pid" 2>/dev/null
  within 60 gone || fail "after SIGKILL the hand, or its device, is left: $(losetup -a)"
  # The plan's own device, and files of the caller on it.
  expect 0 "$IODYNO" sweep --headless --settle=0 --blocks=1 -i 0.1 --log="$tmp/fs2.jsonl" --scratch="/dev/$loop" \
    --destroy-data="/dev/$loop" --yes --vary fs=ext2 --vary rw=write,read --cold=remount --name=a --size=1m
  [ "$(grep -c '^{"type":"cell_done".*"state":"done"' "$tmp/fs2.jsonl")" = 2 ] || fail "$(cat "$tmp/err")"
  grep -q /run/iodyno-sweep /proc/self/mountinfo && fail "a mount is left"
  # Of the copies of superblocks, too.
  dd if=/dev/zero "of=/dev/$loop" bs=1M count=64 conv=fsync status=none
fi
# A raw device: the opener hands it out, the hand drops what is cached of it.
sweeps_as_user "$tmp/raw.jsonl" --scratch=16m --cold=drop --vary scheduler=none,mq-deadline
pgrep -P "$pid" -x iodyno-opener >/dev/null || fail "a sweep has no opener"
kill -INT "$pid"
wait "$pid"
gone || fail "the hand, or its device, is left: $(losetup -a)"
# Without its hand a sweep fails in words and ends; --resume repeats the run.
sweeps_as_user "$tmp/handless.jsonl" --scratch=16m --precondition=fill --vary bs=4k,8k,16k,32k --runtime=1
kill -9 "$hand"
wait "$pid"
status=$?
[ $status = 1 ] || fail "without its hand a sweep ends with $status"
grep -q "the process with root's rights has ended: stopped after . of 4 runs; to go on: .*--resume" "$tmp/err" ||
  fail "without its hand: $(cat "$tmp/err")"
expect 0 "$IODYNO" sweep --headless --resume="$tmp/handless.jsonl"
[ "$(grep -c '^{"type":"cell_done".*"state":"done"' "$tmp/handless.jsonl")" = 4 ] || fail "the resumed sweep: $(cat "$tmp/err")"
# ping of a device.
expect 0 "$IODYNO" ping -c 2 -i 0.1 "/dev/$loop"

# Without sudo a refusal for lack of rights ends with the command to give.
unset SUDO_UID SUDO_GID SUDO_COMMAND
# shellcheck disable=SC2086
told 1 run --headless $job --filename="/dev/$loop"
told 1 run --headless "/dev/$loop"
told 1 ping -q "/dev/$loop"
told 3 sweep --scratch=64m --vary rw=read,write --blocks=1 --name=a --runtime=0.1 --log="$tmp/sweep.jsonl"
exit 0
