#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each preset of jobs does its I/O at the scale small, with runs of a fifth of a second: as
# root on a loop device of its own where that can be, and as an ordinary user in a folder.
. "${srcdir:-.}/cli/lib.sh"
need_command list
need_time
need jq

# The presets of a tree of its own, with less time for each. Reads and writes that
# last until a start is over are slow ones, and the start leaves the page cache of
# the whole machine alone: other tests run, too.
mkdir -p "$tmp/tree/src" "$tmp/tree/contrib/presets"
cp "$IODYNO" "$tmp/tree/src/iodyno"
there=$tmp/tree/src/iodyno
for file in "$here"/../contrib/presets/*.fio; do
  sed 's/^#small runtime=.*/#small runtime=200ms/; s/^#small ramp_time=.*/#small ramp_time=0/
    s/^#small startup-pause=.*/#small startup-pause=100ms/; s/^#small size=[0-9]*[0-9][0-9]m$/#small size=16m/
    s/^#small pgbench-scale=.*/#small pgbench-scale=1/; s/^#small file-total-size=40m/#small file-total-size=8m/
    s/^#small number_ios=256$/#small number_ios=16/; s/^kind=startup$/&\nstartup-cold=evict/
    s/^runtime=1h$/&\nrate_iops=200/' "$file" >"$tmp/tree/contrib/presets/$(basename "$file")"
done
"$there" list --json presets | jq -r '.presets[] | select(.type == "jobs") | .preset' >"$tmp/presets"
[ "$(wc -l <"$tmp/presets")" -gt 20 ] || fail "few presets: $(cat "$tmp/presets")"

# What a machine does not have is no failure of a preset.
lacks() { # PRESET
  case $1 in
  *pgbench) ! command -v pgbench >/dev/null && ! ls /usr/lib/postgresql/*/bin/pgbench >/dev/null 2>&1 ;;
  *) false ;;
  esac
}

# each NAME FOLDER COMMAND...: each preset in the folder; a sentence for each
# that fails is in $tmp/NAME. 4 is a condition that was not met.
each() {
  name=$1 folder=$2
  shift 2
  while read -r preset; do
    lacks "$preset" && continue
    timeout 120 "$@" "$there" run --headless --scale=small --directory="$folder" \
      --log="$folder/log" --output-format=json "$preset" >"$tmp/$name.json" 2>"$tmp/$name.err" </dev/null
    status=$?
    [ $status = 1 ] && grep -q 'built without libsqlite3' "$tmp/$name.err" && continue
    [ $status = 0 ] || [ $status = 4 ] || echo "$preset: exit $status, $(tail -n 2 "$tmp/$name.err")"
    # Each job did something that is counted.
    grep '"type":"summary"' "$folder/log" | jq -e --slurpfile out "$tmp/$name.json" '
      ($out[0].jobs | length > 0 and all(.[]; .error == 0)) and (.job | length > 0 and
      all(.[]; [to_entries[] | select(.key | test("_ios$|^tps$")) | .value | numbers] | add > 0))' >/dev/null ||
      echo "$preset: errors, or a job did nothing"
    rm -rf "${folder:?}"/*
  done <"$tmp/presets" >"$tmp/$name"
}

chmod 755 "$tmp" "$tmp/tree" "$tmp/tree/src" "$tmp/tree/contrib" "$tmp/tree/contrib/presets"
mkdir "$tmp/user" "$tmp/fs"
if [ "$(id -u)" != 0 ]; then
  each as-user "$tmp/user"
else
  user=$(id -u nobody 2>/dev/null) && command -v setpriv >/dev/null || user=
  if [ -n "$user" ]; then
    chown nobody "$tmp/user"
    (each as-user "$tmp/user" setpriv --reuid="$user" --clear-groups env HOME="$tmp/user") &
  fi
  if ! can_loop; then
    left_out "$no_loop"
  elif make_loop 1G && mkfs.ext4 -q -F "/dev/$loop" && mount "/dev/$loop" "$tmp/fs"; then
    unmount() {
      status=$?
      trap - EXIT
      umount -l "$tmp/fs"
      (exit $status)
      cleanup
    }
    trap unmount EXIT
  fi
  each as-root "$tmp/fs"
  wait
fi
for name in as-user as-root; do
  [ ! -s "$tmp/$name" ] || fail "$name: $(cat "$tmp/$name")"
done
[ -e "$tmp/as-user" ] || [ -e "$tmp/as-root" ] || skip "neither a user nor a loop device"
exit 0
