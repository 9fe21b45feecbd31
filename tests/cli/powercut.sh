#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Losses of power on simulated disks, with a witness: the ledger of an honest disk
# accuses nobody, and each liar is found. CUTS sets the cuts of each case (make whole:
# 20); with it the bounds of the rates are checked, too. CASES names some of the cases.
# In a mount namespace of its own: a process of another one that was made meanwhile would
# hold the failed file system, and the next mount would be the same instance.
if [ "$(id -u)" = 0 ] && [ -z "${IODYNO_OWN_MOUNTS:-}" ] && unshare --mount true 2>/dev/null; then
  IODYNO_OWN_MOUNTS=1 exec unshare --mount sh "$0"
fi
. "${srcdir:-.}/cli/lib.sh"
need_command powercut
need jq

# Mistakes.
for words in "" check "check a b c" "report a b" "look"; do
  # shellcheck disable=SC2086
  expect 2 "$IODYNO" powercut $words
  one_sentence
done
expect 1 "$IODYNO" powercut check "$tmp/none"
one_sentence
expect 1 "$IODYNO" powercut report "$tmp"
one_sentence
expect 2 "$IODYNO" witness
expect 2 "$IODYNO" witness --warm=3 "$tmp/l"
expect 2 "$IODYNO" witness --cut=true --cut-after=2s..1s "$tmp/l"
one_sentence
echo x >"$tmp/there"
expect 1 "$IODYNO" witness "$tmp/there"
grep -q 'holds one run' "$tmp/err" || fail "an existing ledger: $(cat "$tmp/err")"

# A run on a file that ends by itself: all is there, and no power was cut.
job="--name=w --size=1m --rw=randwrite --bs=4k --verify=crc32c --do_verify=0"
cd "$tmp" || exit 99
case $IODYNO in /*) ;; *) IODYNO=$OLDPWD/$IODYNO ;; esac
# shellcheck disable=SC2086
"$IODYNO" run --headless --quiet $job --filename="$tmp/f" --fsync=8 --witness=- 2>"$tmp/run.err" |
  "$IODYNO" witness "$tmp/plain" 2>"$tmp/err" || fail "witness: $(cat "$tmp/err" "$tmp/run.err")"
grep -q 'no power was cut' "$tmp/err" || fail "the end is not told: $(cat "$tmp/err")"
grep -q 'write .* 256 ' "$tmp/run.err" || fail "the results are not on stderr"
jq -es '.[0].type == "plan" and .[-1].type == "end" and ([.[].seq] | . == [range(1; length + 1)])
  and ([.[] | select(.type == "flushed")] | length == 32)
  and ([.[] | select(.type == "done") | .w | split(" ") | length] | add) == 256' "$tmp/plain" >/dev/null ||
  fail "the ledger: $(head -c 2000 "$tmp/plain")"
# At most 24 bytes for each write and its acknowledgement.
[ "$(jq -rs '[.[] | select(.w) | .w | length + 1] | add <= 256 * 24' "$tmp/plain")" = true ] || fail "long words"
expect 0 "$IODYNO" powercut check "$tmp/plain"
grep -q '^all 256 guaranteed blocks are there (1 cut)\.$' "$tmp/out" || fail "$(cat "$tmp/out")"
grep -q 'proves nothing' "$tmp/out" || fail "no word on the missing cut"
expect 1 "$IODYNO" powercut report "$tmp"

# A signal ends a command of --cut that hangs, and the witness.
"$IODYNO" witness hung --cut='echo $$ >cutter; sleep 600' --cut-after=0s <plain 2>err &
witness=$!
pids=$witness
within 30 test -s cutter || fail "no cut: $(cat err)"
kill -TERM $witness
is_over() { ! kill -0 $witness 2>/dev/null; }
within 30 is_over || fail "SIGTERM does nothing while the command of --cut hangs"
wait $witness
[ $? = 1 ] || fail "a command that was ended: $(cat err)"
kill -0 "$(cat cutter)" 2>/dev/null && fail "the command of --cut is left"
pids=

# What is lost, torn, changed, misplaced, cut off or gone is named as that.
damage() { # CLASS COMMAND...: in the file; the class has one block
  class=$1
  shift
  cp f g
  "$@" || fail "cannot damage the file"
  expect 1 "$IODYNO" powercut check --json "$tmp/plain" "$tmp/g"
  jq -e --arg c "$class" '.class[$c] == 1 and .bad == 1' "$tmp/out" >/dev/null || fail "$class: $(cat "$tmp/out")"
}
put() { dd of=g conv=notrunc status=none "$@"; }
damage lost put if=/dev/zero bs=4k seek=7 count=1
damage torn put if=/dev/zero bs=512 seek=59 count=2
damage misplaced put if=f bs=4k skip=9 seek=11 count=1
damage foreign put if=/dev/urandom bs=4k seek=255 count=1
damage short truncate -s 1020k g
flip() { printf '\377\377\377' | dd of=g bs=1 seek=5000 conv=notrunc status=none; }
damage torn flip
rm g
expect 1 "$IODYNO" powercut check --json "$tmp/plain" "$tmp/g"
jq -e '.class.missing == 256' "$tmp/out" >/dev/null || fail "missing: $(cat "$tmp/out")"

# Ledgers that are damaged: each a sentence.
broken() { # WORDS FILTER...
  words=$1
  shift
  "$@" <plain >bad
  expect 1 "$IODYNO" powercut check bad f
  one_sentence
  grep -q "$words" "$tmp/err" || fail "$words: $(cat "$tmp/err")"
}
broken 'has a gap' sed 5d
broken 'damaged at line 6' sed '6s/after/aftes/;6s/"w"/"v"/;6s/id/ie/'
broken 'holds two runs' sh -c 'cat; cat plain'
broken 'is no ledger' sed '1s/^/x/'
broken 'is empty' true
head -c -20 plain >bad
expect 0 "$IODYNO" powercut check bad f
grep -q 'torn and left out' "$tmp/out" || fail "a torn line: $(cat "$tmp/out")"
expect 1 "$IODYNO" powercut check "$tmp"
one_sentence
# Records with a gap are refused as they come.
# shellcheck disable=SC2002
cat plain | sed 9d | "$IODYNO" witness gap 2>"$tmp/err" && fail "a gap is taken"
grep -q 'record 9 is missing' "$tmp/err" || fail "a gap: $(cat "$tmp/err")"
expect 0 "$IODYNO" powercut check gap f

# A witness that goes away ends the run, in both modes, over each kind of socket.
row=$(printf ':%04X 00000000:0000 0A' $((20000 + $$ % 10000)))
for mode in stream echo; do
  for place in unix:$tmp/s 127.0.0.1:$((20000 + $$ % 10000)); do
    "$IODYNO" witness --listen="$place" "$tmp/$mode" 2>"$tmp/w.err" &
    witness=$!
    pids="$pids $witness"
    listens() { [ -S "$tmp/s" ] || grep -q "$row" /proc/net/tcp; }
    within 20 listens || fail "the witness does not listen: $(cat "$tmp/w.err")"
    # shellcheck disable=SC2086
    "$IODYNO" run --headless --quiet $job --filename="$tmp/f" --fsync=4 --time_based --runtime=60 --rate_iops=500 \
      --witness="$place" --witness-mode=$mode >"$tmp/out" 2>"$tmp/run.err" &
    run=$!
    pids="$pids $run"
    within 20 grep -q '"flushed"' "$tmp/$mode" || fail "no records of $mode: $(cat "$tmp/run.err" "$tmp/w.err")"
    kill -KILL $witness
    wait $witness 2>/dev/null
    gone() { ! kill -0 $run 2>/dev/null; }
    within 10 gone || fail "$mode, $place: the run goes on without its witness"
    wait $run && fail "$mode, $place: exit status 0"
    grep -q 'the witness' "$tmp/run.err" || fail "$mode: no sentence: $(cat "$tmp/run.err")"
    "$IODYNO" powercut check "$tmp/$mode" >"$tmp/out" || fail "$mode: $(cat "$tmp/out")"
    rm -f "$tmp/$mode" "$tmp/s"
  done
done
# One to which no run came leaves nothing, and what a killed one left is taken.
"$IODYNO" witness --listen=unix:"$tmp/s" "$tmp/early" 2>"$tmp/w.err" &
witness=$!
pids="$pids $witness"
within 20 test -S "$tmp/s"
kill -KILL $witness
wait $witness 2>/dev/null
"$IODYNO" witness --listen=unix:"$tmp/s" "$tmp/early" 2>"$tmp/w.err" &
witness=$!
pids="$pids $witness"
within 20 grep -q "$tmp/s\$" /proc/net/unix || fail "a socket that is left: $(cat "$tmp/w.err")"
kill -TERM $witness
wait $witness && fail "a witness without a run: exit status 0"
[ ! -e "$tmp/s" ] && [ ! -e "$tmp/early" ] || fail "a witness without a run leaves: $(ls "$tmp")"
expect 2 "$IODYNO" run --headless --quiet --name=x --filename=f --rw=write --size=4k --witness=-
grep -q 'give verify=crc32c' "$tmp/err" || fail "no verify: $(cat "$tmp/err")"
expect 1 "$IODYNO" run --headless --name=x --filename=f --rw=write --size=4k --witness=unix:"$tmp/nobody"
one_sentence

# --- simulated disks ---

[ "$(id -u)" = 0 ] && [ -c /dev/fuse ] && [ -c /dev/loop-control ] || { left_out "simulated disks need root, /dev/fuse and loop devices"; exit 0; }
need losetup
[ -z "${IODYNO_WHOLE:-}" ] || CUTS=${CUTS:-20}
cuts=${CUTS:-1}
PATH=$PATH:/sbin:/usr/sbin

trap 'rc=$?; umount "$tmp/m" 2>/dev/null; (exit $rc); cleanup' EXIT
start() { # FAULTS
  rm -f "$tmp/disk.out"
  "$IODYNO" disk ssd-sata,cache=16m,volatile=1,linger=60s --size=400m --seed="$seed" ${1:+"--faults=$1"} \
    >"$tmp/disk.out" 2>"$tmp/disk.err" &
  maker=$!
  pids="$pids $maker"
  within 30 sh -c "grep -q '^/dev/loop' '$tmp/disk.out' 2>/dev/null || ! kill -0 $maker 2>/dev/null"
  disk=$(sed -n 's,^/dev/,,p' "$tmp/disk.out")
  [ -n "$disk" ] || { left_out "no simulated disk: $(cat "$tmp/disk.err")"; exit 0; }
}
readable() { dd if="/dev/$disk" of=/dev/null bs=4k count=1 iflag=direct status=none 2>/dev/null; }
back() { kill -USR2 "$maker"; within 30 readable; }

mounts() { mount "/dev/$disk" "$tmp/m" 2>"$tmp/mount.err"; }

format() {
  case $fs in ext4) mkfs.ext4 -q "/dev/$disk" ;; *) "mkfs.$fs" -q -f "/dev/$disk" ;; esac >/dev/null 2>"$tmp/mkfs.err"
}

# one FS FAULTS OPTION...: one cut; sets $status of the check.
one() {
  fs=$1 faults=$2
  shift 2
  start "$faults"
  if [ "$fs" = raw ]; then
    place="--filename=/dev/$disk --destroy-data=/dev/$disk"
  else
    # Another program may hold the new disk for a moment, as udev does.
    within 10 format || fail "mkfs.$fs: $(cat "$tmp/mkfs.err")"
    mkdir -p "$tmp/m"
    mount "/dev/$disk" "$tmp/m" || fail "cannot mount $fs"
    place="--filename=$tmp/m/file"
  fi
  rm -f ledger
  # shellcheck disable=SC2086
  "$IODYNO" run --headless --quiet --name=p $place --rw=randwrite --verify=crc32c --do_verify=0 "--randseed=$seed" \
    --witness=- "$@" 2>"$tmp/run.err" |
    "$IODYNO" witness ledger --cut="kill -USR1 $maker" --cut-after="$after" --warm=8 2>"$tmp/w.err"
  [ $? = 0 ] && grep -q 'run failed' "$tmp/w.err" || fail "$fs $faults: no cut: $(cat "$tmp/w.err" "$tmp/run.err")"
  # A file system of a liar may not mount any more: all of its data is lost then.
  mounted=yes
  if [ "$fs" != raw ]; then
    umount "$tmp/m" || fail "umount"
    back || fail "the power does not come back"
    # What still holds the old mount (a process that ends, another namespace) makes the
    # kernel refuse a new one for a moment.
    within 5 mounts || mounted=
  else
    back || fail "the power does not come back"
  fi
  [ -n "$mounted" ] || { [ -n "$faults" ] || fail "$fs of an honest disk does not mount: $(cat "$tmp/mount.err")"; }
  "$IODYNO" powercut check ledger >"$tmp/check.out" 2>&1
  status=$?
  [ "$fs" = raw ] || [ -z "$mounted" ] || umount "$tmp/m" || fail "umount"
  kill "$maker"
  wait "$maker" 2>/dev/null
}
seed=0 after=0.05s..0.5s
# try NAME LEAST MOST FS FAULTS OPTION...: of the cuts, between so many are lossy.
try() {
  name=$1 least=$2 most=$3
  shift 3
  case " ${CASES:-$name} " in *" $name "*) ;; *) return 0 ;; esac
  if [ "$1" != raw ] && { ! command -v "mkfs.$1" >/dev/null || ! grep -qw "$1" /proc/filesystems; }; then
    left_out "no $1"
    return 0
  fi
  rm -f powercut.jsonl
  lossy=0 n=0 unmountable=0
  while [ $n -lt "$cuts" ]; do
    seed=$((seed + 1)) n=$((n + 1))
    one "$@"
    [ -n "$mounted" ] || unmountable=$((unmountable + 1))
    case $status in
    0) ;;
    3) # Without its file system all is lost, and the check compares nothing else.
      [ -z "$mounted" ] || [ "$most" != 0 ] || fail "$name: $(cat "$tmp/check.out")"
      lossy=$((lossy + 1)) ;;
    1) lossy=$((lossy + 1))
      [ "$most" != 0 ] || { cp ledger "${KEEP:-/dev/null}" 2>/dev/null; fail "$name accuses an honest disk: $(cat "$tmp/check.out")"; } ;;
    *) fail "$name: $(cat "$tmp/check.out")" ;;
    esac
  done
  echo "$name: $lossy of $n lossy, $unmountable not mountable; last: $(head -n 1 "$tmp/check.out")"
  [ -s powercut.jsonl ] || { [ $lossy = $unmountable ] && return 0; }
  "$IODYNO" powercut report . >"$tmp/out" || fail "report"
  sed -n '1s/^/  /p' "$tmp/out"
  [ $lossy -ge "$least" ] && [ $lossy -le "$most" ] || fail "$name: $lossy of $n cuts are lossy: $(cat "$tmp/check.out")"
}
direct="--direct=1 --bs=4k --rate_iops=2000"
# shellcheck disable=SC2086
{
  try honest-raw 0 0 raw "" $direct --size=32m --fsync=16
  try honest-each 0 0 raw "" $direct --size=32m --fsync=1
  try honest-again 0 0 raw "" $direct --size=1m --norandommap=1 --io_size=64m --fsync=8
  try honest-deep 0 0 raw "" $direct --size=32m --fdatasync=8 --ioengine=libaio --iodepth=8 --numjobs=2 --group_reporting
  try honest-osync 0 0 raw "" $direct --size=32m --sync=1 --fsync=64
  try honest-large 0 0 raw "" --direct=1 --bs=64k --rate_iops=300 --size=64m --fsync=4 --norandommap=1 --io_size=1g
  try lie-raw "$cuts" "$cuts" raw lie $direct --size=32m --fsync=16
  try torn-raw "$cuts" "$cuts" raw torn,every=20 --direct=1 --bs=64k --rate_iops=300 --size=64m --fsync=4
  try honest-ext4 0 0 ext4 "" --bs=4k --rate_iops=2000 --size=64m --fsync=16
  # The file system is made while the disk is honest.
  after=2s..2.5s
  try lie-ext4 "$cuts" "$cuts" ext4 lie,at=1.5 --bs=4k --rate_iops=2000 --size=64m --fsync=16
}
[ -n "${CUTS:-}" ] || exit 0
lazy_least=$((cuts * 4 / 20)) lazy_most=$((cuts * 16 / 20))
after=0.05s..0.5s
# shellcheck disable=SC2086
{
  try lazy-raw $lazy_least $lazy_most raw lie,every=2 $direct --size=32m --fsync=16
  try torn-small "$cuts" "$cuts" raw torn,every=20 $direct --size=32m --fsync=4
  for fs in xfs btrfs; do
    after=0.05s..0.5s
    try honest-$fs 0 0 $fs "" --bs=4k --rate_iops=2000 --size=64m --fsync=16
    after=2.5s..3s
    try lie-$fs "$cuts" "$cuts" $fs lie,at=2 --bs=4k --rate_iops=2000 --size=64m --fsync=16
  done
  # Every second flush, every twentieth write: a file system may hide it, or all of it is lost.
  after=2.5s..3s
  for fs in ext4 xfs btrfs; do
    try lazy-$fs 1 "$cuts" $fs lie,every=2,at=2 --bs=4k --rate_iops=2000 --size=64m --fsync=16
    try torn-$fs 1 "$cuts" $fs torn,every=20,at=2 --bs=4k --rate_iops=2000 --size=64m --fsync=16
  done
  after=0.05s..0.5s
  for fs in ext4 xfs btrfs; do
    try append-$fs 0 0 $fs "" --rw=write --bs=4k --rate_iops=2000 --size=16m --fdatasync=4
  done
}
exit 0
