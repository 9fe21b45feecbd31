#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The live monitor on a terminal: first paint, help, resize, quit; and on a
# captured tree.
. "${srcdir:-.}/cli/lib.sh"
need_ptyrun
need_command top

"$PTYRUN" -s 24x80 "$IODYNO" -i 0.2 <<'END' || fail "the live monitor at 80x24"
first-paint 30000
wait "%util"
send "?"
wait "quit"
send <Esc>
run 0.3
resize 40 120
wait "%util"
resize 10 40
run 0.3
resize 24 80
wait "%util"
send "q"
expect-exit 0
attrs
END

# A named device stands alone; what is built on it comes on request.
"$PTYRUN" -s 24x80 "$IODYNO" top --root="${srcdir:-.}/roots/stack" -i 0.2 sda <<'END' || fail "a named device"
wait "+sda"
send <Enter>
wait "-sda"
wait "sda1"
send "q"
expect-exit 0
attrs
END

# Each job that is started here ends in PASS or FAIL, if it asserts something.
ptyrun=$(realpath "$PTYRUN") iodyno=$(realpath "$IODYNO")
for limit in 'PASS >=1' 'FAIL <1'; do
  word=${limit% *}
  printf '[w]\nrw=read\nsize=64k\nfilename=judged\nassert=read_iops%s\n' "${limit#* }" >"$tmp/$word.fio"
  printf 'send "r"\nwait "preset or job file"\nsend "\\x15%s.fio<Enter>"\nwait "w: read"\nsend "<Enter>"\n' $word
  printf 'wait "%s: job.w"\n' $word
done >"$tmp/script"
(cd "$tmp" && { echo 'wait "%util"'; cat script; printf 'send "q"\nexpect-exit 0\n'; } |
  "$ptyrun" -s 24x80 "$iodyno" -i 0.2) || fail "no PASS or FAIL on the screen"

# The end by a signal leaves a sane terminal as well.
for signal in INT:130 TERM:143 HUP:129; do
  "$PTYRUN" "$IODYNO" -i 0.2 <<END || fail "${signal%:*} on the monitor"
wait "%util"
kill ${signal%:*}
expect-exit ${signal#*:} 5
attrs
END
done

# Ctrl-C is a key of the terminal.
"$PTYRUN" "$IODYNO" -i 0.2 <<'END' || fail "Ctrl-C"
wait "%util"
send <C-c>
run 1
send "q"
run 0.2
attrs
END

# Captured trees: another machine, and one with nothing in it.
mkdir -p "$tmp/empty/proc" "$tmp/empty/sys"
for tree in "$tmp/empty" "$here"/roots/*/; do
  [ -d "$tree/proc" ] || continue
  "$PTYRUN" "$IODYNO" --root="$tree" -i 0.1 <<END || fail "--root=$tree"
first-paint 30000
run 0.5
send "q"
expect-exit 0
attrs
END
done

# The open files of a process that writes one, and of a process that is gone.
sh -c 'while :; do printf "%4096s" x; sleep 0.01; done' >"$tmp/written" &
writer=$!
"$PTYRUN" -s 24x80 "$IODYNO" -i 0.2 <<END || fail "the open files of a process"
wait "%util"
send "5/^$writer\$"
send <Enter>
wait "$writer "
send <Home>
send "o"
wait "open files of process $writer (sh)"
wait "/written"
wait "K/s written"
send <Esc>
run 0.3
send "q"
expect-exit 0
attrs
END
kill "$writer"

# Without a terminal, or with one that nobody knows, it says so.
for words in "" top vda; do
  expect 2 "$IODYNO" $words </dev/null
  one_sentence
done
TERM=nothing-known "$PTYRUN" "$IODYNO" top <<'END' || fail "an unknown TERM"
expect-exit 1
attrs
END
exit 0
