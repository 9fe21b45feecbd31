#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The manual pages are clean.
command -v mandoc >/dev/null || { echo "skipped: mandoc is missing"; exit 77; }
bad=0
for page in "${srcdir:-.}"/../man/*.[1-9]; do
  mandoc -Tlint -W warning "$page" || bad=1
done
# The same pages for a browser, with links to each other.
if [ -e ../man/Makefile ]; then
  make -s -C ../man html && grep -q 'href="iodyno-run.1.html"' ../man/html/iodyno.1.html &&
    [ "$(ls ../man/html | wc -l)" = "$(ls "${srcdir:-.}"/../man/*.[1-9] | wc -l)" ] || { echo "make html"; bad=1; }
fi
exit $bad
