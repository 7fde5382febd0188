#!/bin/sh
# The manual pages are read without a word of complaint, by man or groff; skipped where there is
# neither. Their version is the program's.
set -u
cd "$(dirname "$0")/../.." || exit 1
version=$("$GWTOP_BIN" --version)
number=0
failed=0
read_page() { # page
    if command -v groff >/dev/null; then
        groff -ww -man -Tutf8 -K utf8 -Z "$1" 2>&1 >/dev/null
    elif command -v mandoc >/dev/null; then
        mandoc -T lint -W error "$1"
    fi
}
set -- man/*.[0-9]
echo "1..$(($# + 1))"
for page; do
    number=$((number + 1))
    said=$(read_page "$page")
    if ! command -v groff >/dev/null && ! command -v mandoc >/dev/null; then
        echo "ok $number # SKIP no groff or mandoc"
    elif [ -z "$said" ]; then
        echo "ok $number - $page"
    else
        echo "not ok $number - $page"
        printf '%s\n' "$said" | sed 's/^/# /'
        failed=1
    fi
done
if [ "$(grep -l "^\.TH .*\"$version\"" "$@" | wc -l)" -eq $# ]; then
    echo "ok $((number + 1)) - their version"
else
    echo "not ok $((number + 1)) - their version"
    failed=1
fi
exit $failed
