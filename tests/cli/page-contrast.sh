#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The colours of an HTML page, light, dark and in print, by WCAG 2.2: 4.5:1 for text (1.4.3), 3:1 for
# what a chart is drawn with (1.4.11), on each surface that they lie on. The pairs come
# from the rules of the page's own style.
. "${srcdir:-.}/cli/lib.sh"
need_command report

expect 0 "$IODYNO" report --format=html "$here/logs/record.jsonl"
sed -n '/<style>/,/<\/style>/p' "$tmp/out" | sed 's/<[^>]*>.*//' >"$tmp/style"
[ -s "$tmp/style" ] || fail "no style"

# Not measured, as nothing is said by them alone: the dotted grid (axes have labels), stripes behind
# blocks (runs have numbers), the area between runs (its edges are lines), borders of tables.
cat >"$tmp/contrast.awk" <<'E2'
function hex(s) { return 16 * (index("0123456789abcdef", substr(s, 1, 1)) - 1) + index("0123456789abcdef", substr(s, 2, 1)) - 1 }
function linear(v) { v /= 255; return v <= 0.04045 ? v / 12.92 : exp(2.4 * log((v + 0.055) / 1.055)) }
# A colour is "r g b"; fore with an opacity over back.
function over(fore, back, opacity, f, b) {
  split(fore, f, " "); split(back, b, " ")
  return (f[1] * opacity + b[1] * (1 - opacity)) " " (f[2] * opacity + b[2] * (1 - opacity)) " " (f[3] * opacity + b[3] * (1 - opacity))
}
function light(c, v) { split(c, v, " "); return 0.2126 * linear(v[1]) + 0.7152 * linear(v[2]) + 0.0722 * linear(v[3]) }
function ratio(a, b, x, y) { x = light(a) + 0.05; y = light(b) + 0.05; return x > y ? x / y : y / x }
function colour(theme, name) {
  if (!((theme, name) in palette)) theme = "light"
  return palette[theme, name]
}
function measure(theme, what, name, on, back, least, r) {
  r = ratio(colour(theme, name), back)
  used[name] = 1
  pairs++
  if (!((theme, least) in worst) || r < worst[theme, least]) { worst[theme, least] = r; where[theme, least] = what " --" name " on " on }
  if (r < least) { printf "%s: %s: --%s on %s is %.2f:1, below %s:1\n", theme, what, name, on, r, least; bad = 1 }
}
BEGIN { RS = "}"; media = "light" }
{
  gsub(/[\n]/, "")
  if ($0 == "") { media = "light"; next }
  if (match($0, /^@media[^{]*[{]/)) {
    media = $0 ~ /^@media\(prefers-color-scheme:dark\)/ ? "dark" : $0 ~ /^@media print/ ? "print" : "light"
    $0 = substr($0, RLENGTH + 1)
  }
  selector = substr($0, 1, index($0, "{") - 1)
  n = split(substr($0, index($0, "{") + 1), declared, ";")
  stroked = 0
  for (i = 1; i <= n; i++) {
    property = substr(declared[i], 1, index(declared[i], ":") - 1)
    value = substr(declared[i], index(declared[i], ":") + 1)
    if (selector == ":root" && value ~ /^#/) {
      value = tolower(substr(value, 2))
      if (length(value) == 3)
        value = substr(value, 1, 1) substr(value, 1, 1) substr(value, 2, 1) substr(value, 2, 1) substr(value, 3, 1) substr(value, 3, 1)
      palette[media, substr(property, 3)] = hex(value) " " hex(substr(value, 3)) " " hex(substr(value, 5))
    }
    if (property == "stroke" && value ~ /^var/) stroked = 1
    if (property == "fill-opacity") opacity[selector] = value
    if (property ~ /^(color|fill|stroke)$/ && value ~ /^var\(--/) {
      rules++
      rule[rules] = selector; kind[rules] = property
      name_of[rules] = substr(value, 7, length(value) - 7)
    }
    if (selector == ".runs" && declared[i] == "stroke:none") { print "the area between runs has no edges"; bad = 1 }
  }
  for (i = rules; stroked && i && rule[i] == selector; i--)
    if (kind[i] == "fill") kind[i] = "filled and stroked"
}
END {
  n_themes = split("light dark print", themes, " ")
  for (t = 1; t <= n_themes; t++) {
    theme = themes[t]
    surface["bg"] = colour(theme, "bg"); surface["panel"] = colour(theme, "panel")
    surface["block"] = over(colour(theme, "line"), surface["panel"], opacity[".block"])
    surface["band"] = colour(theme, "line")
    for (i = 1; i <= rules; i++) {
      s = rule[i]
      if (kind[i] == "filled and stroked" || s == ".grid" || s == ".block" || s ~ /^\.runs\.s/ || s ~ /^\.h1/) continue
      if (kind[i] == "color") {
        measure(theme, s, name_of[i], "bg", surface["bg"], 4.5)
        measure(theme, s, name_of[i], "panel", surface["panel"], 4.5)
      } else if (s ~ /svg|small|tick|label|value/) {
        measure(theme, s, name_of[i], "panel", surface["panel"], 4.5)
        measure(theme, s, name_of[i], "block", surface["block"], 4.5)
      } else {
        measure(theme, s, name_of[i], "panel", surface["panel"], 3)
        measure(theme, s, name_of[i], "block", surface["block"], 3)
        if (s != ".band") measure(theme, s, name_of[i], "band", surface["band"], 3)
      }
    }
    # Steps of a scale cannot all be 3:1: each differs from the one below, the upper two are.
    below = surface["panel"]
    for (h = 1; h <= 5; h++) {
      step = over(colour(theme, "bar"), surface["panel"], h == 5 ? 1 : opacity[".h" h])
      r = ratio(step, below)
      if (r < 1.2) { printf "%s: step %d of the heat map differs by %.2f:1\n", theme, h, r; bad = 1 }
      if (h >= 4 && ratio(step, surface["panel"]) < 3) { printf "%s: step %d is %.2f:1\n", theme, h, ratio(step, surface["panel"]); bad = 1 }
      below = step
    }
    printf "%s: the least of text is %.2f:1 (%s), of charts %.2f:1 (%s)\n", theme,
      worst[theme, 4.5], where[theme, 4.5], worst[theme, 3], where[theme, 3]
  }
  for (key in palette) {
    split(key, part, SUBSEP)
    if (part[2] !~ /^(bg|panel|line)$/ && !(part[2] in used)) { printf "--%s is not measured\n", part[2]; bad = 1 }
  }
  printf "%d pairs\n", pairs
  exit bad || pairs < 60
}
E2
LC_ALL=C awk -f "$tmp/contrast.awk" "$tmp/style" || fail "colours"
