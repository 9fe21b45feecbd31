#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What was chosen on the screen is there the next time; nothing is written when
# nothing changed; whatever stands in the file does no harm.
. "${srcdir:-.}/cli/lib.sh"
need_ptyrun
need_command top
file=$XDG_CONFIG_HOME/iodyno/screen

screen() { # KEYS [TEXT]
  {
    echo 'wait "CPU"'
    [ -z "${2:-}" ] || echo "wait \"$2\""
    [ -z "$1" ] || echo "send \"$1\""
    echo "run 0.2"
    echo 'send "qy"'
    echo "expect-exit 0"
    echo "attrs"
  } | "$PTYRUN" -s 24x80 "$IODYNO" top -i 0.2
}

screen "z" || fail "a screen without a memory"
[ ! -e "$file" ] || fail "written though nothing was chosen"
# The pressure stays in the head of a zoomed pane.
"$PTYRUN" -s 24x80 "$IODYNO" top -i 0.2 <<'END' || fail "no pressure in a zoom"
wait "1 device"
wait "PSI "
send "5z"
gone "1 device"
wait "PSI "
send "qy"
expect-exit 0
END
screen "vC" || fail "a choice"
grep -qx "monitor.layout = monitor" "$file" || fail "the layout was not written"
grep -qx "colors = light" "$file" || fail "the colours were not written"
[ "$(stat -c %a "$file")" = 600 ] || fail "others may read it"
[ "$(ls "$XDG_CONFIG_HOME/iodyno")" = screen ] || fail "something was left beside it"

# Unchanged: not touched. Changed back: written again.
touch -d @1000000000 "$file"
screen "" || fail "the second time"
[ "$(stat -c %Y "$file")" = 1000000000 ] || fail "written though nothing changed"
screen "v" "" || fail "the third time"
grep -qx "monitor.layout = run" "$file" || fail "the layout did not go on from where it was"

# Garbage is a note.
printf 'layout = nonsense\nno sign\n\000\001\377\n' >"$file"
screen "" "settings file" || fail "garbage in the file"
head -c 200000 /dev/urandom >"$file"
screen "" "Cannot read" || fail "a file that is too long"
rm -f "$file"
mkdir "$file"
screen "" "Cannot read" || fail "a folder of that name"
rmdir "$file"
mkfifo "$file"
screen "" "Cannot read" || fail "a pipe of that name"
rm -f "$file"

# A place that cannot be written is told, and is no failure.
rm -rf "$XDG_CONFIG_HOME"
: >"$XDG_CONFIG_HOME"
"$PTYRUN" -s 24x80 "$IODYNO" top -i 0.2 <<'END' || fail "no place to write"
wait "CPU"
send "v"
run 0.2
send "qy"
wait "cannot save"
expect-exit 0
END
rm -f "$XDG_CONFIG_HOME"

# Under sudo it is the file of the user who called.
[ "$(id -u)" = 0 ] || exit 0
id nobody >/dev/null 2>&1 || exit 0
chmod 711 "$tmp"
mkdir "$XDG_CONFIG_HOME"
chown nobody "$XDG_CONFIG_HOME"
SUDO_UID=$(id -u nobody) SUDO_GID=$(id -g nobody)
export SUDO_UID SUDO_GID
screen "v" || fail "as by sudo"
[ "$(stat -c %U "$file")" = nobody ] || fail "the file belongs to $(stat -c %U "$file")"
exit 0
