#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Called by sudo, the screen starts a job that overwrites a device only after the
# opener has asked on the terminal: by the kernel's name of the device and four
# letters. The screen comes back after the answer; the log has no gap.
. "${srcdir:-.}/cli/lib.sh"
need_root
need_ptyrun
need_command top
command -v jq >/dev/null || skip "jq is not installed"
rest_needs_loop
make_loop 16M
chmod 777 "$tmp"
cd "$tmp" || exit 1
SUDO_UID=65534 SUDO_GID=65534 SUDO_COMMAND=/usr/bin/iodyno
export SUDO_UID SUDO_GID SUDO_COMMAND
sum() { cksum <"$tmp/disk"; }
before=$(sum)
mkfifo "$tmp/keys"

# begins LOG: the job up to the question; $letters are those of the question.
begins() {
  rm -f asked shown
  "$PTYRUN" -s 40x120 "$IODYNO" -i 0.1 --log="$1" <"$tmp/keys" &
  ptyrun=$!
  pids="$pids $ptyrun"
  exec 3>"$tmp/keys"
  cat >&3 <<END
wait "%util"
send "r"
wait "Start a job"
send "<Down>/dev/$loop<Down>\x15randwrite"
send "<Down><Down>\x151<Down>\x15psync<Down>\x150"
send "<Down><Down>8m<Down>\x15600s"
send "<Enter>"
wait "overwrites the first"
wait "asks on this terminal"
send "<Enter>"
wait "iodyno-opener: the job wants to overwrite $loop"
wait "refuses) >"
screen asked
END
  within 120 grep -q "refuses) >" asked 2>/dev/null || fail "the opener asked nothing"
  letters=$(sed -n "s/.*type: $loop //p" asked)
  [ ${#letters} = 4 ] || fail "no letters in: $(cat asked)"
}
ends() {
  cat >&3
  printf 'send "qy"\nexpect-exit 0\nattrs\n' >&3
  exec 3>&-
  wait $ptyrun || fail "$1"
  sync
}

# Another answer, the name alone, Ctrl-C: nothing is written, the screen is back.
for answer in "$loop <Enter>" "<C-c>" "/dev/$loop<Enter>"; do
  begins "$tmp/refused"
  ends "the answer $answer" <<END
send "$answer"
wait "not started: it is not permitted to overwrite /dev/$loop"
wait "%util"
END
  rm -f "$tmp/refused"
  [ "$(sum)" = "$before" ] || fail "written after $answer"
done

# The right one. Samples go on while the question is open.
begins "$tmp/log"
n=$(grep -c '"type":"frame"' "$tmp/log")
more() { [ "$(grep -c '"type":"frame"' "$tmp/log")" -gt $((n + 3)) ]; }
within 60 more || fail "no frame came while the question was open"
ends "the right answer" <<END
send "$loop $letters<Enter>"
wait "run: randwrite"
run 0.5
END
[ "$(sum)" != "$before" ] || fail "with leave nothing was written"
jq -es 'map(select(.type == "frame")) | .[-1].job[0].write_bytes_per_s != null' "$tmp/log" >/dev/null || fail "no job in the log"

# The end of the program in the middle of a question.
before=$(sum)
begins "$tmp/killed"
cat >&3 <<'END'
kill TERM
expect-exit 143
attrs
END
exec 3>&-
wait $ptyrun || fail "SIGTERM while the question is open"
[ "$(sum)" = "$before" ] || fail "written after the end"
exit 0
