#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# User time per 1 MiB sequential write, beside fio's when it leaves its buffers
# alone (its default changes two lines of each 512 bytes). On the null engine,
# where the kernel does nothing in between.
. "${srcdir:-.}/bench/lib.sh"
need fio jq
set -- --ioengine=null --rw=write --bs=1m --size=1g --time_based --runtime="$seconds"
# Of iodyno its defaults: each block is stamped, so that none is like another.
for _ in $(seq "$rounds"); do
  calm
  run_fio --scramble_buffers=0 "$@"
  figure 'cpu($j.usr_cpu)' >>"$tmp/fio"
  run_fio "$@"
  figure 'cpu($j.usr_cpu)' >>"$tmp/default"
  run_iodyno --scramble_buffers=0 "$@"
  figure 'cpu($j.usr_cpu)' >>"$tmp/plain"
  run_iodyno "$@"
  figure 'cpu($j.usr_cpu)' >>"$tmp/ours"
done
fio --version
tell_load
echo "user ns per write: fio $(median "$tmp/fio"), fio with its defaults $(median "$tmp/default")," \
  "iodyno $(median "$tmp/plain"), with its defaults $(median "$tmp/ours")"
verdict "1 MiB writes, scramble_buffers=0 in both: user time over fio's" \
  "$(quotient "$(median "$tmp/plain")" "$(median "$tmp/fio")")" at_most 2
verdict "1 MiB writes, iodyno stamps: user time over fio's without scramble_buffers" \
  "$(quotient "$(median "$tmp/ours")" "$(median "$tmp/fio")")" at_most 2
end_bench
