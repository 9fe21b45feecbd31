#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The manual pages are clean.
command -v mandoc >/dev/null || { echo "skipped: mandoc is missing"; exit 77; }
bad=0
for page in "${srcdir:-.}"/../man/*.[1-9]; do
  mandoc -Tlint -W warning "$page" || bad=1
done
exit $bad
