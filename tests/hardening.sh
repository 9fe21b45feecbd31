#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The program has the hardening that configure found: the flags of the build are
# in $HARDENING, and readelf shows what became of them.
program=${IODYNO:-../src/iodyno}
flags=" ${HARDENING-} "
bad=0

command -v readelf >/dev/null || { echo "skipped: readelf is missing"; exit 77; }
[ -n "${HARDENING-}" ] || { echo "skipped: configured with --disable-hardening"; exit 77; }
elf=$(readelf -W -h -l -d -n --dyn-syms "$program") || exit 99

# wants FLAG PATTERN WHAT: a build with the flag shows the pattern.
wants() {
  case $flags in
  *" $1"*) echo "$elf" | grep -Eq -- "$2" || { echo "hardening: built with $1, but the program has no $3"; bad=1; } ;;
  *) echo "hardening: this build has no $1" ;;
  esac
}
wants -pie 'Type: +DYN' 'position independent code'
wants -pie 'FLAGS_1.*PIE' 'flag PIE'
wants -Wl,-z,relro,-z,now 'GNU_RELRO' 'segment that is made read-only (RELRO)'
wants -Wl,-z,relro,-z,now 'FLAGS_1.*NOW' 'flag BIND_NOW'
wants -fstack-protector-strong '__stack_chk_fail' 'stack protector'
wants -D_FORTIFY_SOURCE '__[a-z]+_chk' 'checked library function (FORTIFY_SOURCE)'
# The linker marks the program only when the C library's own start files are
# marked, which those of Debian 12 are not. Our objects must be.
object=$(dirname "$program")/main.o
if [ -f "$object" ] && readelf -h "$object" | grep -q 'X86-64'; then
  elf=$elf$(readelf -W -n "$object")
  wants -fcf-protection 'x86 feature:.*IBT' 'indirect branch tracking'
  wants -fcf-protection 'x86 feature:.*SHSTK' 'shadow stack'
fi
if echo "$elf" | grep -E 'GNU_STACK' | grep -q 'RWE'; then
  echo "hardening: the stack is executable"
  bad=1
fi
[ $bad = 0 ] && echo "hardening: ok"
exit $bad
