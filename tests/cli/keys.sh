#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every key that list keys names, pressed in the whole program on a terminal:
# in the monitor and in a replay, at three sizes. None ends it but quit; then
# the mouse, and terminals of several types.
. "${srcdir:-.}/cli/lib.sh"
need_time
need_ptyrun
need_command list

# The words of list keys as ptyrun's: "Up" -> "<Up>", "0 to 9" -> ten digits.
"$IODYNO" list --json keys | sed -n 's/.*"keys": "\(.*\)",$/\1/p' |
  sed 's/\\\\/\\/g; s/\\"/"/g' >"$tmp/keys"
[ -s "$tmp/keys" ] || fail "no keys in list keys"

# press FILE-OF-KEYS: the script; all keys but those that quit.
press() {
  set -f # * is a key
  while read -r words; do
    case $words in
    *" to "*)
      i=${words%% to *}
      while [ "$i" -le "${words##* to }" ]; do
        echo "send \"$i\""
        i=$((i + 1))
      done
      continue
      ;;
    esac
    for word in $words; do
      case $word in
      q | F10) continue ;;
      Up | Down | Left | Right | Enter | Esc | Tab | PgUp | PgDn | Home | End | Space | F[1-9])
        echo "send \"<$word>\"" ;;
      Shift-Tab) echo 'send "\e[Z"' ;;
      Ctrl-L) echo 'send "\x0c"' ;;
      Del | Delete) echo 'send "\e[3~"' ;;
      Ins | Insert) echo 'send "\e[2~"' ;;
      \\) echo 'send "\\\\"' ;;
      '"') echo 'send "\x22"' ;;
      ?) echo "send \"$word\"" ;;
      *) fail "what key is $word? Teach tests/cli/keys.sh" ;;
      esac
      echo "run 0.02"
      # What a key opened is closed before the next one.
      echo 'send "\e"'
      echo "run 0.04"
    done
  done <"$1"
}
press "$tmp/keys" >"$tmp/script" || exit 1
[ "$(grep -c send "$tmp/script")" -gt 60 ] || fail "too few keys"

walk() { # ROWSxCOLUMNS ARGUMENT...
  size=$1
  shift
  # What one walk hides and sorts is not for another.
  XDG_CONFIG_HOME=$tmp/config.$size
  {
    echo 'wait "CPU"'
    cat "$tmp/script"
    echo 'send "qy"'
    echo "expect-exit 0"
    echo "attrs"
  } | "$PTYRUN" -s "$size" "$IODYNO" "$@" || fail "the keys at $size: $*"
}
expect 0 "$IODYNO" record -i 0.1 -n 5 --log="$tmp/log.jsonl"
# Side by side, for they mostly wait.
walks=
walk 24x80 top -i 0.2 &
walks="$walks $!"
walk 10x40 top -i 0.2 &
walks="$walks $!"
walk 40x120 replay "$tmp/log.jsonl" &
walks="$walks $!"
for pid in $walks; do
  wait "$pid" || exit 1
done

# What the keys hid is not to be remembered.
rm -rf "$XDG_CONFIG_HOME"

# The mouse, in both forms: the head, a row, the wheel, Help on the bottom line.
"$PTYRUN" -s 24x80 "$IODYNO" top -i 0.2 <<'END' || fail "the mouse"
wait "%util"
send "\e[<0;20;4M\e[<0;20;4m\e[<0;5;6M\e[<65;5;6M"
run 0.2
send "\e[<0;3;24M"
wait "this help"
send "\e[<0;3;10M"
gone "this help"
send "\e[M #8"
wait "this help"
send "qy"
gone "this help"
send "qy"
expect-exit 0
attrs
END

# Each draws what it can, in the locale that it has.
rm -rf "$XDG_CONFIG_HOME"
for term in linux screen tmux xterm vt100 xterm-256color; do
  for locale in C C.UTF-8; do
    LC_ALL=$locale TERM=$term "$PTYRUN" -s 24x80 "$IODYNO" top -i 0.2 <<'END' || fail "TERM=$term in $locale"
wait "%util"
send "?"
wait "help"
send "qy"
run 0.1
send "qy"
expect-exit 0
attrs
END
  done
done

# A type that an older database does not have; another one, or none, is told.
for term in xterm-kitty xterm-nosuch alacritty-nosuch; do
  TERM=$term "$PTYRUN" -s 24x80 "$IODYNO" top -i 0.2 <<'END' || fail "TERM=$term"
wait "%util"
send q
expect-exit 0
attrs
END
done
for term in nosuch ''; do
  TERM=$term "$PTYRUN" -s 24x160 "$IODYNO" top <<'END' || fail "TERM=$term"
wait "such as xterm-256color"
expect-exit 1
attrs
END
done

# A locale that is not made here: its UTF-8 is shown all the same, as in the lines
# of a tree.
drawn() { # LOCALE
  LC_ALL=$1 "$PTYRUN" -s 24x80 "$IODYNO" top --root="$here/roots/sata" -i 0.2 <<'END' || fail "LC_ALL=$1"
wait "%util"
screen
send q
expect-exit 0
END
}
for locale in xx_YY.UTF-8 UTF-8; do
  drawn $locale >"$tmp/utf8"
  LC_ALL=C grep -q '[^ -~]' "$tmp/utf8" || fail "$locale is drawn in ASCII: $(cat "$tmp/utf8")"
done
drawn xx_YY >"$tmp/ascii"
LC_ALL=C grep '[^ -~]' "$tmp/ascii" && fail "a locale without UTF-8 is not drawn in ASCII"

# A terminal that cannot place its cursor is told what can be done instead.
TERM=dumb "$PTYRUN" "$IODYNO" top <<'END' || fail "TERM=dumb"
wait "iodyno record"
expect-exit 1
attrs
END
exit 0
