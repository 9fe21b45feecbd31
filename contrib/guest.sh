# SPDX-License-Identifier: GPL-2.0-or-later
# The root of a guest of qemu, for contrib/kernels and contrib/powercut-guest to read:
# busybox, programs with their libraries, the modules of a kernel. It is in $work/root.

guest_begin() {
  mkdir -p "$work/root/bin"
  cp "$(command -v busybox)" "$work/root/bin/"
  cp "$work/init" "$work/root/"
}

guest_libraries() { # FILE
  ldd "$1" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:blank:]]*\(\/[^ ]*ld-[^ ]*\) .*/\1/p' | while read -r library; do
    [ -e "$work/root$library" ] || install -D "$(realpath "$library")" "$work/root$library"
  done
}

guest_add() { # PROGRAM NAME
  install -D "$1" "$work/root/bin/$2"
  guest_libraries "$1"
}

# The kernel of a package, "IMAGE.deb" or "IMAGE.deb,MODULES.deb": sets $version and
# $kernel, and makes $work/initrd with the directories of modules that are named.
guest_kernel() { # PACKAGES DIRECTORY...
  rm -rf "$work/image" "$work/root/lib/modules"
  for part in $(echo "$1" | tr , ' '); do dpkg-deb -x "$part" "$work/image"; done
  shift
  modules=$(for m in "$work"/image/lib/modules/* "$work"/image/usr/lib/modules/*; do [ ! -d "$m/kernel" ] || echo "$m"; done | head -1)
  version=$(basename "$modules")
  mkdir -p "$work/root/lib/modules/$version"
  (cd "$modules" && cp --parents -r modules.* $@ "$work/root/lib/modules/$version/" 2>/dev/null || true)
  find "$work/root/lib/modules" -name '*.ko.xz' -exec unxz {} +
  find "$work/root/lib/modules" -name '*.ko.zst' -exec unzstd -q --rm {} +
  depmod -b "$work/root" "$version"
  (cd "$work/root" && find . | cpio -o -H newc --quiet | gzip -1) >"$work/initrd"
  kernel=$(find "$work/image" -name 'vmlinuz*' | head -1)
}

guest_boot() { # SECONDS WORDS-FOR-THE-KERNEL OPTION-OF-QEMU...
  seconds=$1 words=$2
  shift 2
  timeout "$seconds" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m 1G -display none -no-reboot \
    -kernel "$kernel" -initrd "$work/initrd" -append "console=ttyS0 quiet no_timer_check panic=-1 rdinit=/init $words" "$@"
}
