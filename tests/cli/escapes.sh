#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Control characters (C0, C1) and marks that reorder text, in whatever comes from
# outside, on every output: none gets through.
. "${srcdir:-.}/cli/lib.sh"
need_time
case $IODYNO in /*) program=$IODYNO ;; *) program=$PWD/$IODYNO ;; esac
case $here in /*) roots=$here/roots ;; *) roots=$PWD/$here/roots ;; esac

# No control character of a job file, C1 and bidi marks among them, gets anywhere.
mkdir "$tmp/raw"
cd "$tmp/raw" || exit 99
case $IODYNO in /*) program=$IODYNO ;; *) program=$OLDPWD/$IODYNO ;; esac
for bad in '\033[31m' '\007' '\302\233' '\342\200\256'; do
  for line in "[x$bad]\nsize=1m" "[x]\nsize=1m\nfilename=f$bad" \
    "[x]\nsize=1m\ndescription=d$bad" "[x]\nsize=1m\nfilename=\${EVIL}"; do
    printf "$line\n" >j.fio
    for how in --parse-only --showcmd --headless "--headless --output-format=normal,terse,json --terse-version=5"; do
      # shellcheck disable=SC2086
      EVIL=$(printf "$bad") "$program" run $how j.fio >out 2>&1
      got=$?
      [ $got = 2 ] || fail "a job file with $bad was not refused: $got $(cat -v out)"
      grep -q "control characters" out || fail "$(cat -v out)"
      LC_ALL=C grep -qF "$(printf "$bad")" out && fail "$bad came through"
    done
  done
done
printf '[x]\n\tsize=1m\t; a comment \033[31m\ndescription=\303\244 and more\n' >j.fio
expect 0 "$program" run --parse-only j.fio
cd "$OLDPWD" || exit 99


# ESC, BEL, CSI in one character and as one byte, and bidi marks.
evil=$(printf 'E\033[31m\007\302\233\233\342\200\256\342\201\246\342\200\216x')
# On a terminal there are escapes of ours, but not those.
ours='\x1b\[31m\x07|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c|[^\x80-\xff]\x9b'
raw='[\x00-\x08\x0b-\x1f\x7f]|'$ours
echo x | LC_ALL=C grep -aqP x || skip "this grep has no -P"
printf '%s' "$evil" | LC_ALL=C grep -aqP "$ours" || fail "the pattern finds nothing"

mkdir "$tmp/runs" "$tmp/runs/$evil"
cd "$tmp/runs" || exit 99
# clean PATTERN FILE...
clean() {
  pattern=$1
  shift
  LC_ALL=C grep -anP "$pattern" "$@" /dev/null | cat -v | cut -c1-300 | grep . && fail "$what: it came through"
}
# tried COMMAND...: whatever the status, both outputs are clean.
tried() {
  what="$*"
  timeout 60 "$program" "$@" >out 2>err </dev/null
  case $? in 124 | 139 | 134) fail "$what: no end, or a crash" ;; esac
  clean "$raw" out err
}
job="--headless --ioengine=null --rw=read --size=64k --runtime=1"
n=0
for option in "--name=$evil" "--name=a --description=$evil" "--name=a --label=k=$evil" "--name=a --label=$evil=v" \
  "--name=a --filename=$evil" "--name=a --directory=$evil" "--name=a --unified_rw_reporting=$evil" \
  "--name=a --comment=$evil" "--name=a --profile=$evil" "--name=a --bs=$evil" "--name=a --$evil" "--$evil" \
  "--name=a --exec=$evil" "--name=a --at=1s:$evil=1" "--name=a --at=1s:vm.dirty_ratio=$evil" \
  "--name=a --destroy-data=$evil" "--name=a --override=$evil:mounted" "--name=a --assert=$evil" \
  "--name=a --write_bw_log=$evil" "--name=a --output=$evil/x" "--name=a --output-format=$evil" "--name=a -i $evil"; do
  n=$((n + 1))
  IFS='
'
  # shellcheck disable=SC2046,SC2086
  set -- $(printf '%s' "$option" | sed 's/ --/\n--/g; s/ -i /\n-i\n/')
  unset IFS
  tried run $job "--log=log$n" "$@"
  tried run --parse-only $job "$@"
  tried run --showcmd $job "$@"
done
[ -s log1 ] || fail "no log with a name like that: $(cat -v err)"
for log in log*; do
  what="the log $log"
  clean "$raw" "$log"
done
tried run "$evil.fio"
printf '[a]\nsize=64k\nioengine=null\n' >"$evil.fio"
tried run --headless "$evil.fio"
tried run --parse-only "$evil.fio"
printf '{"type":"header","schema":1' >"$evil.log"
for format in $("$program" report --format=none log1 2>&1 | sed 's/.*it can be //; s/ or / /; s/,//g'); do
  formats="$formats $format"
  for log in log*; do tried report "--format=$format" "$log"; done
  tried report "--format=$format" "$evil.log"
done
case $formats in *text*csv*) ;; *) fail "the formats are not listed: $formats" ;; esac
for format in terse minimal json json+ normal; do
  tried run $job "--output-format=$format" --terse-version=5 "--name=$evil" "--description=$evil"
done
tried "$evil"
tried report "$evil"
tried replay "$evil"
tried ping "$evil/none"
tried ping --count=2 "$evil"
tried sweep --vary "$evil=1,2" --name=a
tried sweep "$evil"
for word in list get set restore "$evil"; do tried knob $word "$evil.$evil=$evil"; done
tried list "$evil"
tried record -n 1 -i 0.05 "$evil"
tried record -n 1 -i 0.05 "--label=$evil=$evil"
tried record -n 1 "--root=$evil/none"

# A captured tree: model, serial, mount point, name of a file system, of a process.
cp -r "$roots/nvme" tree
chmod -R u+w tree
for file in model serial firmware_rev; do echo "$evil" >tree/sys/block/nvme0n1/device/$file; done
mkdir -p tree/proc/self tree/proc/77
printf '36 1 259:0 / /m%s rw - e%s /dev/nvme0n1 rw\n' '\\033[31m\\007' "$evil" >tree/proc/self/mountinfo
printf '77 (%s) S 1 1 1 0 -1 0 0 0 0 0 9 9 0 0 20 0 1 0 5 0 0\n' "$evil" >tree/proc/77/stat
printf '%s' "$evil" >tree/proc/77/cmdline
tried record --root=tree -n 2 -i 0.05 --log=tree.log
grep -q 'nvme0n1' tree.log || fail "the tree has no device"
what="the log of the tree"
clean "$raw" tree.log
tried report tree.log
tried knob list all --root=tree

# On the screen.
command -v script >/dev/null || exit 0
# How much the terminal got, once that no longer grows; empty before.
painted() {
  now=$(wc -c <typed)
  [ "$now" -gt 2000 ] && [ "$now" = "$size" ] && return 0
  size=$now
  return 1
}
shown() { # COMMAND: it ends itself, or when its screen is complete
  what="the screen of $*"
  size=
  : >typed
  # shellcheck disable=SC2016
  export program evil
  timeout 60 script -qec "stty rows 45 cols 160; $*" typed </dev/null >/dev/null 2>&1 &
  pid=$!
  pids="$pids $pid"
  case $* in *replay*) within 60 painted && kill "$pid" ;; esac
  wait "$pid"
  [ "$(wc -c <typed)" -gt 2000 ] || fail "$what: nothing was shown: $(cat -v typed)"
  sed -i '1d' typed # the command, by script(1)
  clean "$ours" typed
}
shown '"$program" --root=tree -n 3 -i 0.2'
shown '"$program" run --screen --ioengine=null --rw=read --size=1m --time_based --runtime=1 -i 0.2 --name="$evil" --description="$evil"'
shown '"$program" replay log1'
exit 0
