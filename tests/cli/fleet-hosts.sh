#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# contrib/fleet: three hosts, network namespaces with an own sshd and host name, driven
# by ClusterShell, pdsh, Ansible and fio's client; the other files by their parsers.
. "${srcdir:-.}/cli/lib.sh"
fleet=$here/../contrib/fleet

for file in "$fleet"/*; do
  [ "$(wc -l <"$file")" -le 25 ] || fail "$file has more than 25 lines"
done
for file in clush pdsh slurm.sbatch fio; do
  sh -n "$fleet/$file" || fail "$file"
done
if python3 -c 'import yaml' 2>/dev/null; then
  python3 -c 'import sys, yaml
job = yaml.safe_load(open(sys.argv[1]))
assert job["spec"]["completionMode"] == "Indexed"
assert not any(" " in word for c in job["spec"]["template"]["spec"]["containers"] for word in c["command"])
assert yaml.safe_load(open(sys.argv[2]))[0]["tasks"]' "$fleet/job.yaml" "$fleet/playbook.yml" || fail "YAML"
fi
# What --start-at and the options of the job say is taken by this program.
"$IODYNO" run --parse-only $(sed -n '/args:/,/]/p' "$fleet/job.yaml" | tr -d '[],' | sed 's/args://') >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"

# --- three hosts ---

sshd=$(command -v sshd || echo /usr/sbin/sshd)
[ "$(id -u)" = 0 ] || { left_out "needs root for network namespaces"; exit 0; }
for tool in clush pdsh ip ssh-keygen jq; do
  command -v $tool >/dev/null || { left_out "$tool is missing"; exit 0; }
done
[ -x "$sshd" ] || { left_out "sshd is missing"; exit 0; }
ip netns add "iodyno$$" 2>/dev/null || { left_out "the kernel refuses network namespaces"; exit 0; }
ip netns del "iodyno$$"

part=$(($$ % 250 + 1))
bridge=iody$$
undo() {
  for host in 1 2 3; do ip netns del "iody$$-$host" 2>/dev/null; done
  ip link del "$bridge" 2>/dev/null
}
trap 'undo; cleanup' EXIT
mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f "$tmp/key" && ssh-keygen -q -t ed25519 -N '' -f "$tmp/host" || fail "keys"
ip link add "$bridge" type bridge && ip addr add "10.77.$part.254/24" dev "$bridge" && ip link set "$bridge" up ||
  { left_out "the kernel refuses a bridge"; exit 0; }
for host in 1 2 3; do
  ip netns add "iody$$-$host" && ip link add "v$$-$host" type veth peer name eth0 netns "iody$$-$host" &&
    ip link set "v$$-$host" master "$bridge" up &&
    ip -n "iody$$-$host" addr add "10.77.$part.$host/24" dev eth0 && ip -n "iody$$-$host" link set eth0 up || fail "host $host"
  cat >"$tmp/sshd$host" <<END
ListenAddress 10.77.$part.$host
HostKey $tmp/host
AuthorizedKeysFile $tmp/key.pub
StrictModes no
UsePAM no
PidFile none
Subsystem sftp internal-sftp
END
  ip netns exec "iody$$-$host" unshare --uts sh -c "hostname node$host; exec $sshd -D -e -f $tmp/sshd$host" 2>"$tmp/sshd$host.log" &
  pids="$pids $!"
done
options="-i $tmp/key -F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR"
for host in 1 2 3; do
  within 10 grep -q 'Server listening' "$tmp/sshd$host.log" || fail "sshd $host: $(cat "$tmp/sshd$host.log")"
done
program=$(realpath "$IODYNO") top=$(realpath "$fleet")
hosts="10.77.$part.[1-3]"
# The hosts share one file system: each has a file of its own.
job() { # TOOL
  echo "--name=x --filename=$tmp/$1.\$(hostname) --size=1m --rw=randread --ioengine=psync --runtime=1 --time_based -i 0.2 --start-window=60s"
}
# A busy machine may begin late: all windows count.
check() {
  "$IODYNO" report --window=all --format=json "$@" >"$tmp/page" 2>"$tmp/err" || fail "$1: $(cat "$tmp/err"; head -c 500 "$1")"
  jq -e '.hosts == 3 and .counted == 3 and .window_s > 0.5 and .merged[0].ios > 100' "$tmp/page" >/dev/null || fail "$1: $(cat "$tmp/page")"
}

# A clush that reaches these hosts; pdsh and Ansible take the options from the environment.
mkdir "$tmp/bin" "$tmp/logs"
printf '#!/bin/sh\nexec %s -o "%s" "$@"\n' "$(command -v clush)" "$options" >"$tmp/bin/clush"
chmod +x "$tmp/bin/clush"
PATH=$tmp/bin:$PATH PDSH_SSH_ARGS_APPEND=$options ANSIBLE_SSH_ARGS="$options -o ControlMaster=auto -o ControlPersist=2 -o ControlPath=$tmp/%h" IODYNO=$program AHEAD=1
ANSIBLE_PIPELINING=1 ANSIBLE_LOCAL_TEMP=$tmp/ansible ANSIBLE_HOME=$tmp/ansible
export ANSIBLE_PIPELINING PATH PDSH_SSH_ARGS_APPEND ANSIBLE_SSH_ARGS IODYNO AHEAD ANSIBLE_LOCAL_TEMP ANSIBLE_HOME
# Side by side, for they mostly wait.
if command -v fio >/dev/null && command -v nodeset >/dev/null; then
  printf '[global]\nrw=randread\nsize=1m\nruntime=1\ntime_based\n[x]\nfilename=%s\n' "$tmp/fio.data" >"$tmp/x.fio"
  for host in 1 2 3; do
    # The servers open the client's output file, too.
    mkdir "$tmp/servers$host"
    (cd "$tmp/servers$host" && exec ip netns exec "iody$$-$host" fio --server) >"$tmp/server$host" 2>&1 &
    pids="$pids $!"
  done
  (cd "$tmp" && WINDOW=all exec "$top/fio" "$hosts" 3 x.fio) >"$tmp/fio.txt" 2>"$tmp/fio.err" &
  fio=$!
else
  fio=
  left_out "fio or nodeset is missing"
fi
"$fleet/clush" "$hosts" "$(job clush)" >"$tmp/clush.txt" 2>"$tmp/clush.err" &
clush=$!
"$fleet/pdsh" "$hosts" "$(job pdsh)" >"$tmp/pdsh.txt" 2>"$tmp/pdsh.err" &
pdsh=$!
if command -v ansible-playbook >/dev/null; then
  ansible-playbook -i "10.77.$part.1,10.77.$part.2,10.77.$part.3," -e "iodyno=$program ahead=1 window=all ansible_python_interpreter=$(command -v python3) logs=$tmp/logs" \
    -e "{\"options\": \"$(job ansible)\"}" "$fleet/playbook.yml" >"$tmp/out" 2>&1 || fail "Ansible: $(cat "$tmp/out")"
  check --fleet "$tmp"/logs/*.jsonl
  grep -q '3 of 3 hosts' "$tmp/logs/report.txt" || fail "the report of the playbook"
else
  left_out "ansible-playbook is missing"
fi
wait "$clush" || fail "clush: $(cat "$tmp/clush.err")"
check "$tmp/clush.txt"
if [ "$fio" ]; then
  wait "$fio" || fail "fio: $(cat "$tmp/fio.err" "$tmp/fio.txt")"
  grep -q '3 of 3 hosts' "$tmp/fio.txt" && grep -q '^All clients' "$tmp/fleet-fio.txt" || fail "fio: $(cat "$tmp/fio.txt" "$tmp/fleet-fio.txt")"
fi
wait "$pdsh" || fail "pdsh: $(cat "$tmp/pdsh.err")"
check "$tmp/pdsh.txt"
