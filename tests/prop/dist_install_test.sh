#!/bin/sh
# Installing and taking away: every file in its place, the program runs from there, nothing is left behind. The same
# for a Debian package, in a system of its own below a folder; skipped where there is no dpkg-deb.
set -u
cd "$(dirname "$0")/../.." || exit 1
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
number=0
failed=0
version=$("$GWTOP_BIN" --version)
version=${version#gwtop }

tell() { # status, what
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        failed=1
    fi
}

skip() { # how many, why
    for _ in $(seq "$1"); do
        number=$((number + 1))
        echo "ok $number # SKIP $2"
    done
}

runs() { # program
    [ "$("$1" --version)" = "gwtop $version" ] && "$1" --demo --once >"$out/once" && grep -q PID "$out/once"
}

echo 1..10
export DESTDIR="$out/tree" PREFIX=/usr
sh src/dist/install.sh install "$GWTOP_BIN"
tell $? 'install'
fine=0
for file in bin/gwtop share/man/man1/gwtop.1 share/man/man5/gwtop-trace.5 share/man/man7/gwtop-output.7 \
    share/man/man7/gwtop-power.7 share/gwtop/demo.gwt.zst share/bash-completion/completions/gwtop \
    share/zsh/site-functions/_gwtop share/fish/vendor_completions.d/gwtop.fish; do
    [ -s "$DESTDIR/usr/$file" ] || { echo "# not there: $file"; fine=1; }
done
tell $fine 'everything is in its place'
runs "$DESTDIR/usr/bin/gwtop"
tell $? 'it runs from there, with the demonstration'
sh src/dist/install.sh uninstall
tell $? 'uninstall'
[ -z "$(find "$DESTDIR" -mindepth 1)" ]
tell $? 'nothing is left'
unset DESTDIR PREFIX

# ---- Debian ------------------------------------------------------------------------------------

command -v dpkg-deb >/dev/null || { skip 5 'no dpkg-deb'; exit $failed; }
command -v strip >/dev/null || { skip 5 'no strip'; exit $failed; }
build() { # folder
    VERSION=$version SOURCE_DATE_EPOCH=1700000000 sh src/dist/deb.sh "$GWTOP_BIN" "$1" 2>"$out/words" >/dev/null ||
        { cat "$out/words"; return 1; }
}
build "$out/one" && deb=$(ls "$out"/one/*.deb)
tell $? 'a package'
build "$out/two" && cmp "$deb" "$out/two/${deb##*/}"
tell $? 'the same bytes again'
dpkg-deb -x "$deb" "$out/unpacked" && runs "$out/unpacked/usr/bin/gwtop" &&
    [ "$(dpkg-deb -f "$deb" Package)" = gwtop ] && [ -n "$(dpkg-deb -f "$deb" Depends)" ] &&
    (cd "$out/unpacked" && dpkg-deb -I "$deb" md5sums | md5sum -c --quiet -)
tell $? 'what it holds runs'

# A dpkg that knows of nothing but this package; what it depends on is not there.
as=
if [ "$(id -u)" -ne 0 ]; then
    command -v fakeroot >/dev/null || { skip 2 'not root'; exit $failed; }
    as=fakeroot
fi
root=$out/root
mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers"
: >"$root/var/lib/dpkg/status"
dpkg_below() {
    $as dpkg --root="$root" --log=/dev/null --force-depends,not-root,bad-path,unsafe-io "$@" >"$out/words" 2>&1 ||
        { cat "$out/words"; return 1; }
}
dpkg_below -i "$deb" && [ -x "$root/usr/bin/gwtop" ] && runs "$root/usr/bin/gwtop"
tell $? 'it installs and runs'
dpkg_below -P gwtop && [ -z "$(find "$root" -mindepth 1 -not -path "$root/var*")" ]
tell $? 'it goes without a trace'
exit $failed
