#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# A random command line of job options: it is refused with one sentence, or what
# --showcmd makes of it is accepted again and means the same.
. "$(dirname "$0")/lib.sh" "$1"
mapfile -t options < <("$IODYNO" list options | awk 'NR > 1 { print $1 }' | grep -E '^[a-z][a-z0-9_]*$')
[ ${#options[@]} -gt 20 ] || lost "list options prints ${#options[@]} options"

values=(0 1 2 4k 64k 1m 1g 100% 50 -1 0.5 1e9 18446744073709551616 read write
  randrw '' ' ' 'a b' '"' "'" '$HOME' '4k/50:8k/50' '1,2' ':' ',' '%' 'zipf:1.2'
  'random' 'normal:5' 'true' 'none' $'\033[2J' $'a\nb' '../..' '/dev/null' 'crc32c' '1h' '10us')
words=(--name=storm)
draw 8
for ((n = drawn; n >= 0; n--)); do
  one_of "${options[@]}"
  option=$drawn
  # What is loaded from elsewhere is another storm.
  case $option in filename | directory | read_iolog | exec* | include) continue ;; esac
  one_of "${values[@]}"
  words+=("--$option=$drawn")
done
words+=(--ioengine=null --size=1m)

printf 'words:'
printf ' %q' "${words[@]}"
echo
"$IODYNO" run --parse-only "${words[@]}" >"$tmp/out" 2>"$tmp/err" </dev/null
status=$?
documented $status
no_report
if grep -aq $'\033' "$tmp/out" "$tmp/err"; then lost "an escape of the command line is printed"; fi
[ $status != 2 ] || [ "$(grep -c . "$tmp/err")" -ge 1 ] || lost "refused without a sentence"
[ $status = 0 ] || exit 0

"$IODYNO" run --showcmd "${words[@]}" >"$tmp/first" 2>"$tmp/err" </dev/null || exit 0
line=$(grep -m 1 'iodyno run' "$tmp/first") || exit 0
(eval "set -- ${line#*iodyno run}" && "$IODYNO" run --showcmd "$@") >"$tmp/second" 2>"$tmp/err" </dev/null ||
  lost "what --showcmd prints is refused: $line: $(cat "$tmp/err")"
cmp -s "$tmp/first" "$tmp/second" || lost "--showcmd of --showcmd differs: $(diff "$tmp/first" "$tmp/second" | head -n 6)"
exit 0
