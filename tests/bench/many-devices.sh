#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# CPU of "iodyno record -a" over 1000 devices against "iostat -dx ALL": loop
# devices without a file, which cost nothing and are removed afterwards.
# usage: many-devices.sh [SECONDS]
. "${srcdir:-.}/cli/lib.sh"
need_root
need iostat python3
seconds=${1:-10}

# loops add|remove: devices 2000 to 2999, by LOOP_CTL_ADD and LOOP_CTL_REMOVE.
loops() {
  python3 - "$1" <<'END'
import fcntl, os, sys
control = os.open("/dev/loop-control", os.O_RDWR)
done = 0
for i in range(2000, 3000):
    try:
        fcntl.ioctl(control, 0x4c80 if sys.argv[1] == "add" else 0x4c81, i)
        done += 1
    except OSError:
        pass
sys.exit(done == 0)
END
}
# cpu COMMAND...: its CPU time in ms, of user and system.
cpu() {
  python3 - "$@" <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(round(1000 * (used.ru_utime + used.ru_stime)))
END
}
trap 'rc=$?; loops remove; (exit $rc); cleanup' EXIT
loops add || skip "no loop devices to be had"
echo "$(wc -l </proc/diskstats) devices, $seconds samples at one a second, the start included"
for round in 1 2 3; do
  ours=$(cpu "$IODYNO" record -a -i 1 -n "$seconds" --no-tasks)
  theirs=$(cpu iostat -dx ALL 1 $((seconds + 1)))
  echo "round $round: iodyno record -a $ours ms, iostat -dx ALL $theirs ms: $(awk "BEGIN { printf \"%.2f\", $ours / $theirs }")"
done
