#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Configure a build of its own in DIR with ASan and UBSan, and feed the screen
# random keys, resizes, bytes and mouse reports for some seconds.
# usage: tests/screen-random.sh DIR SECONDS [SEED]
set -u
here=$(cd "$(dirname "$0")" && pwd)
dir=$1
IODYNO_RANDOM_SECONDS=$2
IODYNO_RANDOM_SEED=${3:-$(date +%s)}
export IODYNO_RANDOM_SECONDS IODYNO_RANDOM_SEED
[ ! -e "$here/../config.status" ] || {
  echo "the sources are configured themselves: make distclean, and build in a folder of its own"
  exit 77
}
mkdir -p "$dir" && cd "$dir" || exit 1
[ -e Makefile ] || "$here/../configure" -q --enable-sanitizers || exit 1
make -s -C src && make -s -C tests check_ui_random || exit 1
cd tests && CK_FORK=no ./check_ui_random
