#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The unit that records: it is valid, confined, and its command works without root with
# the two capabilities that it names.
. "${srcdir:-.}/cli/lib.sh"
unit=../contrib/iodyno-record.service
[ -r "$unit" ] || skip "this is no build tree"
case $IODYNO in /*) ;; *) IODYNO=$PWD/$IODYNO ;; esac

grep -qx 'Restart=always' "$unit" && grep -qx 'RuntimeMaxSec=1d' "$unit" || fail "no daily log"
grep -q '^ExecStopPost=-+.*/iodyno knob restore$' "$unit" || fail "no restore at the end"
grep -qE '^e /var/log/private/iodyno - - - 30d$' ../contrib/iodyno.conf || fail "no retention: $(cat ../contrib/iodyno.conf)"

# The command of the unit as systemd passes it: %% is %, the environment is that of the unit.
command=$(sed -n "s/^ExecStart=\/bin\/sh -c '\(.*\)'\$/\1/p" "$unit" | sed 's/%%/%/g; s,exec [^ ]*/iodyno,exec "$IODYNO",')
[ "$command" ] || fail "ExecStart is not a line of sh"
mkdir -m 0777 "$tmp/logs"
chmod 0755 "$tmp"
export IODYNO LOGS_DIRECTORY="$tmp/logs" IODYNO_RECORD="-i 0.1 -n 5 --task-interval=0.1"
as= asked=CAP_SYS_PTRACE,CAP_DAC_READ_SEARCH
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null &&
  setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all,+sys_ptrace,+dac_read_search \
    --inh-caps=-all,+sys_ptrace,+dac_read_search --ambient-caps=-all,+sys_ptrace,+dac_read_search --no-new-privs \
    test -x "$IODYNO" 2>/dev/null; then
  as="setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all,+sys_ptrace,+dac_read_search \
    --inh-caps=-all,+sys_ptrace,+dac_read_search --ambient-caps=-all,+sys_ptrace,+dac_read_search --no-new-privs"
  # A process of root that reads and writes, to be seen by nobody.
  dd if=/dev/zero of="$tmp/busy" bs=64k count=1000000 oflag=dsync 2>/dev/null &
  pids=$!
else
  left_out "needs root, setpriv and capabilities to try the unit's user ($asked)"
fi
# shellcheck disable=SC2086
expect 0 $as sh -c "$command"
[ -z "$pids" ] || kill $pids
log=$(ls "$tmp/logs"/*)
case $log in *.jsonl.zst) "$IODYNO" report --format=json "$log" >"$tmp/json" || fail "the log $log cannot be read" ;; *.jsonl) ;; *) fail "the log is $log" ;; esac
if [ "$as" ]; then
  case $log in *.zst) command -v zstdcat >/dev/null || { left_out "zstdcat is missing"; log=; } ;; esac
  case $log in *.zst) zstdcat "$log" >"$tmp/log" ;; ?*) cp "$log" "$tmp/log" ;; esac
  [ -z "$log" ] || grep -qE "\"id\":\"$pids\"[^}]*\"write_bytes_per_s\":[1-9]" "$tmp/log" ||
    fail "the I/O of a process of root is not in the log: $(grep -oE "\"id\":\"$pids\"[^}]*" "$tmp/log" | head -1)"
fi

command -v systemd-analyze >/dev/null || { left_out "systemd-analyze is missing"; exit 0; }
systemd-analyze --help | grep -q -e --offline || { left_out "this systemd-analyze has no --offline"; exit 0; }
score=$(systemd-analyze security --offline=yes "$unit" 2>/dev/null | sed -n 's/.*exposure level for [^:]*: \([0-9.]*\).*/\1/p')
[ "$score" ] || fail "systemd-analyze says: $(systemd-analyze security --offline=yes "$unit" 2>&1 | tail -n 3)"
awk -v score="$score" 'BEGIN { exit !(score <= 3.0) }' || fail "the exposure is $score, more than 3.0"
# It refuses a unit whose program is not installed; all else it says is a fault.
said=$(systemd-analyze verify "$unit" 2>&1 | grep iodyno | grep -vE "is not executable|Command 'man " || :)
[ -z "$said" ] || fail "systemd-analyze verify: $said"
exit 0
