#!/bin/sh
# The source as one file, the same to the byte wherever it is made: dist.sh FOLDER. What git keeps
# is in it, as it stands in the work tree. VERSION, and SOURCE_DATE_EPOCH: the time of every file.
set -eu
export LC_ALL=C
out=$1/gwtop-$VERSION.tar.gz

git rev-parse --is-inside-work-tree >/dev/null 2>&1 || {
    echo 'This is no git repository: nothing says which files are a part of gwtop.' >&2
    exit 1
}
[ -z "$(git status --porcelain)" ] || echo 'The tree is not as it was committed.' >&2

mkdir -p "$1"
list=$(mktemp)
trap 'rm -f "$list"' EXIT
git ls-files --cached --others --exclude-standard | sort -u | while read -r file; do
    [ ! -e "$file" ] || printf '%s\n' "$file"
done >"$list"
tar --create --format=ustar --no-recursion --files-from="$list" \
    --transform="s,^,gwtop-$VERSION/,S" --owner=0 --group=0 --numeric-owner \
    --mode=u+rwX,go+rX,go-w --mtime="@$SOURCE_DATE_EPOCH" |
    gzip -9n >"$out"
echo "$out"
