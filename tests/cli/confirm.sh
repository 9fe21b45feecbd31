#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# On a terminal a device is overwritten only when its name is typed: model,
# size and content are shown first. Missing rights are told with the command.
. "${srcdir:-.}/cli/lib.sh"
need_command run

# Not root: the sentence ends with the very command.
not_root() { # TARGET CURE
  need_user=$(id -u nobody 2>/dev/null) || return 0
  command -v setpriv >/dev/null || return 0
  # The program must be within reach of another user.
  cp "$IODYNO" "$tmp/iodyno"
  chmod 755 "$tmp" "$tmp/iodyno"
  expect 1 setpriv --reuid="$need_user" --clear-groups "$tmp/iodyno" run --headless \
    --name="two words" --filename="$1" --rw=randread --runtime=1
  one_sentence
  grep -q "cannot open $1: Permission denied$2" "$tmp/err" || fail "the command is not in: $(cat "$tmp/err")"
}
if [ "$(id -u)" = 0 ]; then
  (umask 077 && head -c 65536 /dev/zero >"$tmp/roots")
  not_root "$tmp/roots" ""
fi
rest_needs_loop
make_loop 16M
not_root "/dev/$loop" "; as root: sudo $tmp/iodyno run --headless '--name=two words' --filename=/dev/$loop"

need_ptyrun
sum() { cksum <"$tmp/disk"; }
load="run --headless --name=x --filename=/dev/$loop --destroy-data=/dev/$loop --rw=write --bs=64k --size=1m"
before=$(sum)

# Another word, or the end of the input: nothing is written.
for word in 'yes\r' '\x04' '\r'; do
  "$PTYRUN" -s 40x160 "$IODYNO" $load <<END || fail "typed $word"
wait "/dev/$loop: model "
wait "content: no signature of data was found"
wait "Type $loop to go on:"
send "$word"
wait "nothing was written"
expect-exit 3
END
  [ "$(sum)" = "$before" ] || fail "written after $word"
done

# Nobody can answer: the terminal is that of another session, or shows no question.
for shell in 'exec setsid -w "$@"' 'exec "$@" 2>"$0"' 'set -m; "$@" & wait $!'; do
  "$PTYRUN" -s 40x160 sh -c "$shell; exit" "$tmp/err" "$IODYNO" $load <<'END' || fail "$shell: it waits"
expect-exit 3
END
  [ "$(sum)" = "$before" ] || fail "written by $shell"
done
grep -q 'nobody can be asked here whether .* give --yes' "$tmp/err" || fail "not told: $(cat "$tmp/err")"

# A refusal of the guard comes without a question.
if command -v mkfs.ext4 >/dev/null; then
  mkfs.ext4 -qF -L ONE "/dev/$loop"
  sync
  before=$(sum)
  "$PTYRUN" -s 40x160 "$IODYNO" $load <<'END' || fail "the guard's refusal"
wait "--override=signature"
expect-exit 3
END
  [ "$(sum)" = "$before" ] || fail "written in spite of the guard"
  load="$load --override=signature"
  # What is lost is shown.
  "$PTYRUN" -s 40x160 "$IODYNO" $load <<'END' || fail "what is lost"
wait "labelled 'ONE'"
send "no\r"
expect-exit 3
END
fi

# The name, or --yes.
"$PTYRUN" -s 40x160 "$IODYNO" $load <<END || fail "the name"
wait "Type $loop to go on:"
send "$loop\r"
expect-exit 0
END
sync
[ "$(sum)" != "$before" ] || fail "nothing was written after the name"
"$PTYRUN" -s 40x160 "$IODYNO" $load --yes <<'END' || fail "--yes"
expect-exit 0
END
# ping asks, too; without a terminal nothing is asked.
"$PTYRUN" -s 40x160 "$IODYNO" ping -W -c 1 --override=signature --destroy-data="$loop" "/dev/$loop" <<END || fail "ping"
wait "Type $loop to go on:"
send "no\r"
expect-exit 3
END
expect 0 "$IODYNO" $load
exit 0
