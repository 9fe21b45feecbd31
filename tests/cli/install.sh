#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make install with DESTDIR: every file is at its place, and the program runs
# from there, with the presets that were installed with it.
. "${srcdir:-.}/cli/lib.sh"
need_command list
[ -f ../Makefile ] || skip "this is no build tree"
command -v make >/dev/null || skip "make is missing"

# The jobs and variables of the make that runs the tests are not for this one.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C .. install DESTDIR="$tmp/stage" >"$tmp/log" 2>&1 ||
  fail "make install: $(tail -n 5 "$tmp/log")"
program=$(find "$tmp/stage" -path '*/bin/iodyno' -type f)
[ -x "$program" ] || fail "no program below DESTDIR: $(find "$tmp/stage" -type f)"
prefix=${program%/bin/iodyno}

for page in "$here"/../man/*.[1-8]; do
  name=${page##*/}
  cmp -s "$page" "$prefix/share/man/man${name##*.}/$name" || fail "the page $name is not installed"
done
for preset in "$here"/../contrib/presets/*; do
  cmp -s "$preset" "$prefix/share/iodyno/presets/${preset##*/}" || fail "${preset##*/} is not installed"
done
bash -n "$prefix/share/bash-completion/completions/iodyno" || fail "the completion"
for completion in zsh/site-functions/_iodyno fish/vendor_completions.d/iodyno.fish; do
  grep -q ioengine "$prefix/share/$completion" || fail "no $completion"
done
grep -q '"const": *"header"' "$prefix/share/iodyno/log.schema.json" || fail "no schema of the log"
unit=$prefix/lib/systemd/system/iodyno-record.service
grep -qF "exec ${prefix#"$tmp/stage"}/bin/iodyno record " "$unit" || fail "the unit: $(cat "$unit")"
grep '@[a-z_]*@' "$unit" && fail "a place of the unit is not filled in"

# Nothing but these is installed.
find "$prefix" -type f ! -path "$program" ! -path '*/share/man/*' ! -path '*/share/iodyno/presets/*' \
  ! -path '*/iodyno/log.schema.json' ! -path '*/bash-completion/completions/iodyno' ! -path '*/site-functions/_iodyno' \
  ! -path '*/vendor_completions.d/iodyno.fish' ! -path "$unit" \
  ! -path '*/lib/tmpfiles.d/iodyno.conf' >"$tmp/more"
[ -s "$tmp/more" ] && fail "more is installed: $(cat "$tmp/more")"

# Move the installation: it does not read where configure put it.
mv "$prefix" "$tmp/moved"
expect 0 "$tmp/moved/bin/iodyno" list --json presets
n=$(ls "$tmp/moved/share/iodyno/presets"/*.fio "$tmp/moved/share/iodyno/presets"/*.plan | wc -l)
[ "$(jq '.presets | length' "$tmp/out")" = "$n" ] || fail "$n presets, but the program has: $(cat "$tmp/out")"
rm "$tmp/moved/share/iodyno/presets/etcd.fio"
expect 0 "$tmp/moved/bin/iodyno" list presets
grep -q '^ *etcd ' "$tmp/out" && fail "the program reads other presets than those beside it"
expect 0 "$tmp/moved/bin/iodyno" run --parse-only --scale=small --directory="$tmp" kafka
exit 0
