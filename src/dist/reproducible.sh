#!/bin/sh
# Builds the source of this tree twice, in two folders with names of different length, and compares
# the programs and the Debian packages. VERSION, SOURCE_DATE_EPOCH.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh src/dist/dist.sh "$work/one"
sh src/dist/dist.sh "$work/two" >/dev/null
cmp "$work/one/gwtop-$VERSION.tar.gz" "$work/two/gwtop-$VERSION.tar.gz"

build() { # folder
    mkdir -p "$work/$1"
    tar -C "$work/$1" -xzf "$work/one/gwtop-$VERSION.tar.gz"
    ${MAKE:-make} --no-print-directory -C "$work/$1/gwtop-$VERSION" all >/dev/null
    [ -z "$(command -v dpkg-deb)" ] || ${MAKE:-make} --no-print-directory \
        -C "$work/$1/gwtop-$VERSION" deb >/dev/null
}
build here
build elsewhere/and/deeper
cd "$work"
for file in release/gwtop $(cd "here/gwtop-$VERSION/build" && ls ./*.deb 2>/dev/null); do
    cmp "here/gwtop-$VERSION/build/$file" "elsewhere/and/deeper/gwtop-$VERSION/build/$file"
    sha256sum "here/gwtop-$VERSION/build/$file" | sed "s,  .*,  ${file#./},"
done
