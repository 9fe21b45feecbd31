#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The harness itself: what ptyrun says of a well-known program is true.
. "${srcdir:-.}/cli/lib.sh"
need_ptyrun

"$PTYRUN" -s 10x40 sh -c 'stty -echo; printf "size "; stty size; read x; echo "got $x"; stty echo; exit 7' <<'END' || fail "a plain program"
wait "size 10 40" 5
first-paint 5000
send "hello\r"
wait "got hello"
expect-exit 7
attrs
END

# A changed attribute is noticed, and so is a wrong status.
"$PTYRUN" sh -c 'stty -echo' 2>/dev/null <<'END' && fail "attrs must notice -echo"
expect-exit 0
attrs
END
"$PTYRUN" sh -c 'exit 3' 2>/dev/null <<'END' && fail "expect-exit must notice 3"
expect-exit 0
END

# A signal, a resize, output that nobody reads.
"$PTYRUN" sh -c 'trap "stty size" WINCH; echo ready; while :; do read x; done' <<'END' || fail "resize and kill"
wait ready
resize 30 100
wait "30 100"
kill TERM
expect-exit 143
END
"$PTYRUN" sh -c 'yes | head -c 300000; echo; echo finished' <<'END' || fail "stop-reading"
stop-reading 0.3
wait finished
expect-exit 0
END
"$PTYRUN" true 2>/dev/null <<'END'
dance
END
[ $? = 2 ] || fail "an unknown command is a mistake"
