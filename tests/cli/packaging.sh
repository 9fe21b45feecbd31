#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The packages agree with the tree: one version, the libraries of contrib/packages,
# every installed file named. contrib/package-check builds them.
. "${srcdir:-.}/cli/lib.sh"
top=$here/..
spec=../packaging/iodyno.spec
[ -r "$spec" ] || skip "this is no build tree"

# The version stands in configure.ac.
version=$(sed -n 's/^AC_INIT(\[iodyno\], \[\(.*\)\])$/\1/p' "$top/configure.ac")
[ "$version" ] || fail "configure.ac has no version"
expect 0 "$IODYNO" --version
[ "$(awk 'NR == 1 { print $2 }' "$tmp/out")" = "$version" ] || fail "the program is $(cat "$tmp/out"), not $version"
[ "$(sed -n '1s/^iodyno (\(.*\)) .*/\1/p' "$top/debian/changelog")" = "$version" ] || fail "debian/changelog is not of $version"
[ "$(awk '$1 == "Version:" { print $2 }' "$spec")" = "$version" ] || fail "the spec is not of $version"
grep -q "^iodyno $version\$" "$top/NEWS" || fail "NEWS does not begin with $version"

# What builds the packages is what contrib/packages says, but for the compiler and what
# every build of such a package has.
column() { awk -v column="$1" '/^(build|trace) / && $column != "-" { print $column }' "$top/contrib/packages" | sort -u; }
column 2 | grep -vxE 'autoconf|automake|gcc|make|libc6-dev|linux-libc-dev' >"$tmp/wanted"
awk '/^Build-Depends:/ { on = 1; next } /^[^ ]/ { on = 0 } on && !/nocheck|debhelper/ { sub(/,/, ""); print $1 }' \
  "$top/debian/control" | sort -u >"$tmp/named"
diff "$tmp/wanted" "$tmp/named" >&2 || fail "Build-Depends of debian/control and contrib/packages differ"
column 3 | grep -vxE 'autoconf|automake|glibc-devel|kernel-headers' >"$tmp/wanted"
awk '$1 == "BuildRequires:" && !/systemd-rpm-macros|check-devel|libvterm-devel/ { print $2 }' "$spec" | sort -u >"$tmp/named"
diff "$tmp/wanted" "$tmp/named" >&2 || fail "BuildRequires of the spec and contrib/packages differ"

# The spec names every file that is installed, and the tarball has all of debian/.
for page in "$top"/man/*.[1-8]; do
  found=0
  for pattern in $(sed -n 's,^%{_mandir}/man[1-8]/,,p' "$spec"); do
    case ${page##*/} in $pattern) found=1 ;; esac
  done
  [ $found = 1 ] || fail "the spec lacks ${page##*/}"
done
(cd "$top" && find debian -type f ! -name '*.log' ! -name '*.substvars' ! -name files ! -path 'debian/iodyno/*' ! -path 'debian/.debhelper/*') |
  while read -r file; do grep -q "$file" "$top/Makefile.am" || echo "$file"; done >"$tmp/lacking"
[ ! -s "$tmp/lacking" ] || fail "EXTRA_DIST lacks $(cat "$tmp/lacking")"
for script in smoke man loop; do
  sh -n "$top/debian/tests/$script" || fail "debian/tests/$script"
  grep -q "^Tests: $script\$" "$top/debian/tests/control" || fail "debian/tests/control lacks $script"
done
bash -n "$top/contrib/package-check" || fail "contrib/package-check"

# As an ordinary run of the program that was built, where the tests can run as they stand.
if command -v jq >/dev/null && command -v losetup >/dev/null; then
  mkdir "$tmp/bin" "$tmp/work"
  case $IODYNO in /*) ;; *) IODYNO=$PWD/$IODYNO ;; esac
  ln -s "$IODYNO" "$tmp/bin/iodyno"
  tests=$(cd "$top/debian/tests" && pwd)
  PATH=$tmp/bin:$PATH AUTOPKGTEST_TMP=$tmp/work expect 0 "$tests/smoke"
  [ ! -s "$tmp/err" ] || fail "smoke writes to stderr: $(cat "$tmp/err")"
  rest_needs_loop
  mkdir "$tmp/more"
  PATH=$tmp/bin:$PATH AUTOPKGTEST_TMP=$tmp/more expect 0 "$tests/loop"
  [ ! -s "$tmp/err" ] || fail "loop writes to stderr: $(cat "$tmp/err")"
else
  left_out "jq or losetup is missing"
fi
if command -v rpmspec >/dev/null; then rpmspec -P "$spec" >"$tmp/out" 2>&1 || fail "rpmspec: $(cat "$tmp/out")"; else left_out "rpmspec is missing"; fi
exit 0
