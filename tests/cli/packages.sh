#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# contrib/packages and what reads it: every system has a column, each manager gets
# its own names, and a name that a system does not know costs one line. The
# managers are scripts of this test.
. "${srcdir:-.}/cli/lib.sh"
contrib=$here/../contrib

# Each row has as many words as the head, and no row is there twice.
awk '/^#part/ { columns = NF } /^#/ || !NF { next }
  NF != columns || seen[$1 " " $2]++ { print; bad = 1 }
  END { exit bad || columns != 6 }' "$contrib/packages" || fail "rows of contrib/packages"
# What configure names is there.
sed -n 's/.*HINT(\[\([a-z0-9-]*\)\]).*/\1/p; s/^NEED(.*, \[\([a-z0-9-]*\)\])$/\1/p' "$here/../configure.ac" >"$tmp/named"
[ "$(wc -l <"$tmp/named")" -ge 15 ] || fail "configure names few packages: $(cat "$tmp/named")"
while read -r package; do
  grep -qE "^(build|test) +$package " "$contrib/packages" || fail "contrib/packages has no $package"
done <"$tmp/named"

# No package is there at first; nosuch is unknown, and refuses all that it is named with.
mkdir "$tmp/bin" "$tmp/contrib" "$tmp/there"
cp "$contrib/install-packages" "$tmp/contrib"
sed 's/^build  *make .*/&\nbuild nosuch nosuch nosuch nosuch nosuch/' "$contrib/packages" >"$tmp/contrib/packages"
for manager in apt-get dnf pacman apk zypper rpm dpkg-query sudo; do
  cat >"$tmp/bin/$manager" <<'END'
#!/bin/sh
there=${0%/bin/*}/there
case "${0##*/} $*" in
sudo*) exec "$@" ;;
rpm* | dpkg-query* | "pacman -T"* | "apk info"*)
  for last; do :; done
  [ -e "$there/$last" ] && { [ "${0##*/}" != dpkg-query ] || echo installed; exit 0; }
  [ "${0##*/}" != pacman ] || echo "$last"
  exit 1
  ;;
*update* | *-Sy*) exit 0 ;;
esac
case " $* " in *" nosuch "*) echo "no nosuch" >&2; exit 1 ;; esac
for word; do case $word in -* | */*) ;; *) : >"$there/$word" ;; esac; done
END
  chmod +x "$tmp/bin/$manager"
done
PATH=$tmp/bin:$PATH

# on ID LIBRARY COMMAND
on() {
  printf 'NAME=x\nID=other\nID_LIKE="%s"\n' "$1" >"$tmp/release"
  rm -f "$tmp/there"/*
  OS_RELEASE=$tmp/release expect 0 "$tmp/contrib/install-packages" build
  [ -e "$tmp/there/$2" ] || fail "$1: no $2: $(cat "$tmp/out")"
  [ "$(grep -c '^install-packages: ' "$tmp/out")" = 1 ] && grep -q ' has no nosuch here; it is left out$' "$tmp/out" ||
    fail "$1: not one line: $(cat "$tmp/out")"
  [ "$(OS_RELEASE=$tmp/release "$tmp/contrib/install-packages" --hint libncurses-dev)" = "on $3 $2" ] ||
    fail "$1: $(OS_RELEASE=$tmp/release "$tmp/contrib/install-packages" --hint libncurses-dev)"
}
on debian libncurses-dev 'Debian: apt-get install'
on 'rhel fedora' ncurses-devel 'Fedora: dnf install'
on arch ncurses 'Arch Linux: pacman -S'
on alpine ncurses-dev 'Alpine Linux: apk add'
on 'opensuse suse' ncurses-devel 'openSUSE: zypper install'
# Another system: its user reads the names, and goes on.
rm -f "$tmp/there"/*
printf 'ID=other\n' >"$tmp/release"
OS_RELEASE=$tmp/release expect 77 "$tmp/contrib/install-packages" build
grep -q 'none of contrib/packages; install what is called on Debian: autoconf ' "$tmp/out" || fail "$(cat "$tmp/out")"
exit 0
