# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the shell tests: the program, a temporary directory, loop devices
# and reasons to skip. Sourced with . and made for plain sh.
#
#   IODYNO        the program to test (default: the one just built)
#   PTYRUN        tests/ptyrun (default: the one just built)
#   IODYNO_QUICK  when set, tests that take many seconds are skipped
#   IODYNO_WHOLE  when set, tests of many combinations try each (make whole)
#
# A test begins with what needs no more than files. What needs a loop device stands
# behind rest_needs_loop: without one, as in a container, the test ends there, in part.

LC_ALL=C.UTF-8
TERM=xterm-256color
export LC_ALL TERM
unset LINES COLUMNS NO_COLOR
IODYNO=${IODYNO:-../src/iodyno}
PTYRUN=${PTYRUN:-./ptyrun}
here=${srcdir:-.}

fail() { echo "FAILED: $*" >&2; exit 1; }
# To stderr: the output of a function may go to a file.
skip() { echo "skipped: $*" >&2; exit 77; }
# A part of the test cannot run here; contrib/test prints the reason of each.
left_out() { echo "in part: $*"; }

# Whether fio is there and can wait for libaio: podman's filter refuses the call by
# which Debian 13's does.
fio_has_libaio() {
  fio --name=x --filename="$tmp/libaio" --size=64k --rw=write --ioengine=libaio --iodepth=2 >/dev/null 2>&1
}

[ -x "$IODYNO" ] || skip "$IODYNO is not there"

# Tests run programs of their own below $tmp, and measure the disk that it is on.
is_place() {
  case $(stat -f -c %T "$1" 2>/dev/null) in '' | tmpfs | ramfs) return 1 ;; esac
  tmp=$(mktemp -d "$1/iodyno-test.XXXXXX" 2>/dev/null) || return 1
  echo '#!/bin/sh' >"$tmp/try" && chmod +x "$tmp/try" && "$tmp/try" 2>/dev/null && rm "$tmp/try" && return 0
  rm -r "$tmp"
  return 1
}
is_place "${TMPDIR:-/var/tmp}" || {
  given=${TMPDIR:-/var/tmp}
  { is_place /var/tmp || is_place "$PWD"; } || skip "neither $given nor /var/tmp is on a disk and runs programs; set TMPDIR"
  TMPDIR=${tmp%/*}
  export TMPDIR
}
# What a screen remembers is not for the next test, nor for whoever runs it.
XDG_CONFIG_HOME=$tmp/config
export XDG_CONFIG_HOME
loops=
pids=

# Undo all that a test made, however it ends.
cleanup() {
  status=$?
  trap - EXIT INT TERM HUP
  for pid in $pids; do kill "$pid" 2>/dev/null; done
  [ -z "$pids" ] || wait 2>/dev/null
  for loop in $loops; do losetup -d "/dev/$loop" 2>/dev/null; done
  rm -rf "$tmp"
  exit "$status"
}
trap cleanup EXIT
trap 'exit 130' INT TERM HUP

need_root() { [ "$(id -u)" = 0 ] || skip "needs root"; }
need_ptyrun() { [ -x "$PTYRUN" ] || skip "ptyrun was not built, libvterm is missing"; }
need_time() { [ -z "${IODYNO_QUICK:-}" ] || skip "takes long, IODYNO_QUICK is set"; }
need() {
  for tool in "$@"; do
    command -v "$tool" >/dev/null || skip "$tool is missing"
  done
}

# The program knows this command (its room may not be built in).
need_command() {
  [ -n "$("$IODYNO" "$1" --help 2>/dev/null)" ] || skip "iodyno $1 is not there"
}

no_ring="needs io_uring, which this system refuses (docker run --privileged, or a VM)"
# run_with ENGINE: whether the system lets this process use it.
run_with() {
  "$IODYNO" run --headless --name=x --ioengine="$1" --rw=write --size=4k --filename="$tmp/with" >"$tmp/out" 2>"$tmp/err"
  got=$?
  rm -f "$tmp/with"
  return $got
}
can_ring() { run_with io_uring; }
no_splice="needs vmsplice(2), which this system refuses (docker run --privileged, or a VM)"
can_splice() { run_with splice; }
no_loop="needs root and loop devices (docker run --privileged, or a VM)"
# Whether this machine lets us attach a loop device.
can_loop() {
  [ "$(id -u)" = 0 ] && command -v losetup >/dev/null || return 1
  truncate -s 1M "$tmp/probe"
  probe=$(losetup -f --show "$tmp/probe" 2>/dev/null) || { rm "$tmp/probe"; return 1; }
  losetup -d "$probe"
  rm "$tmp/probe"
}
# What stands above is tested; what follows needs a loop device.
rest_needs_loop() { can_loop || { left_out "$no_loop"; exit 0; }; }

no_simulation="needs root, /dev/fuse and loop devices (docker run --privileged, or a VM)"
# Whether the program can make a simulated disk.
can_simulate() { [ -c /dev/fuse ] && [ -c /dev/loop-control ] && can_loop; }
need_simulation() { can_simulate || skip "$no_simulation"; }

# make_loop SIZE: sets $loop to a fresh loop device ("loop3") over a file.
make_loop() {
  [ "$(id -u)" = 0 ] && command -v losetup >/dev/null || skip "$no_loop"
  truncate -s "$1" "$tmp/disk"
  loop=$(losetup -f --show --direct-io=on "$tmp/disk" 2>/dev/null ||
    losetup -f --show "$tmp/disk" 2>/dev/null) || skip "$no_loop"
  loop=${loop#/dev/}
  loops="$loops $loop"
  [ -d "/sys/block/$loop/queue" ] || skip "no /sys/block/$loop"
  default_settings
}

# A loop device keeps these settings of its last user: back to the defaults.
default_settings() {
  for pair in scheduler:none nomerges:0 rq_affinity:1 nr_requests:128; do
    { echo "${pair#*:}" >"/sys/block/$loop/queue/${pair%:*}"; } 2>/dev/null
  done
}

# The value of a queue setting: a choice without its brackets.
setting() { # DEVICE FILE
  sed 's/.*\[\(.*\)\].*/\1/' "/sys/block/$1/queue/$2"
}

# Another scheduler than the present one that the kernel offers.
other_scheduler() { # DEVICE
  for name in bfq mq-deadline kyber none; do
    if [ "$name" != "$(setting "$1" scheduler)" ] &&
      grep -qw -- "$name" "/sys/block/$1/queue/scheduler"; then
      echo "$name"
      return 0
    fi
  done
  return 1
}

# within SECONDS COMMAND...: true as soon as the command is.
within() {
  tries=$(($1 * 10))
  shift
  while ! "$@"; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || return 1
    sleep 0.1
  done
}

# Run it and compare the exit status; its output goes to $tmp/out, $tmp/err.
expect() { # STATUS COMMAND...
  want=$1
  shift
  "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
  got=$?
  [ $got = "$want" ] || {
    cat "$tmp/out" "$tmp/err" >&2
    fail "$* exited with $got instead of $want"
  }
}

# stderr of the last expect is one sentence.
one_sentence() {
  [ "$(wc -l <"$tmp/err")" = 1 ] || {
    cat "$tmp/err" >&2
    fail "stderr should be one sentence"
  }
}

# run_logged NAME OPTION...: $log is the log of a headless run of that name.
run_logged() {
  name=$1
  shift
  log=$tmp/$name.jsonl
  "$IODYNO" run --headless -i 0.2 --log="$log" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null ||
    fail "$name: exit status $?: $(cat "$tmp/out" "$tmp/err")"
}

# The sentences of a page of text, a line each.
unfold() { # FILE
  awk '/^    / { sub(/^ +/, " "); printf "%s", $0; next } { printf "%s%s", (NR > 1) ? "\n" : "", $0 } END { print "" }' "$1"
}
