#!/bin/sh
# A Debian package of a built program: deb.sh PROGRAM FOLDER. VERSION, SOURCE_DATE_EPOCH.
#
# The same program gives the same bytes. It needs dpkg-deb alone; with dpkg-shlibdeps it also says
# which versions of the libraries are needed.
set -eu
export LC_ALL=C
program=$(readlink -f "$1")
arch=$(dpkg --print-architecture)
out=$2/gwtop_$VERSION-1_$arch.deb
maintainer="${DEBFULLNAME:-gwtop authors} <${DEBEMAIL:-gwtop@gwtop.invalid}>"
mkdir -p "$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

DESTDIR=$work/tree PREFIX=/usr sh src/dist/install.sh install "$program"
cd "$work/tree"
strip --strip-unneeded --remove-section=.comment --remove-section=.note usr/bin/gwtop
if [ -d usr/share/zsh/site-functions ]; then
    mv usr/share/zsh/site-functions usr/share/zsh/vendor-completions # as Debian has it
fi
gzip -9n usr/share/man/man*/*

doc=usr/share/doc/gwtop
mkdir -p $doc DEBIAN
{
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n'
    printf 'Upstream-Name: gwtop\n\nFiles: *\nCopyright: 2026 the gwtop authors\nLicense: Expat\n'
    sed -n '4,$s/^$/./; 4,$s/^/ /p' "$OLDPWD/LICENSE" | sed '1{/^ \.$/d}'
} >$doc/copyright
printf 'gwtop (%s-1) unstable; urgency=medium\n\n  * As released.\n\n -- %s  %s\n' "$VERSION" \
    "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >$doc/changelog.Debian.gz

depends() {
    if command -v dpkg-shlibdeps >/dev/null 2>&1; then
        mkdir -p "$work/shlibs/debian"
        printf 'Source: gwtop\n\nPackage: gwtop\nArchitecture: any\n' >"$work/shlibs/debian/control"
        (cd "$work/shlibs" && dpkg-shlibdeps -O --ignore-missing-info "$work/tree/usr/bin/gwtop") |
            sed -n 's/^shlibs:Depends=//p'
        return
    fi
    ldd usr/bin/gwtop | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | while read -r library; do
        dpkg -S "*/${library##*/}" 2>/dev/null | sed -n "1s/:.*//p"
    done | sort -u | sed ':a; N; $!ba; s/\n/, /g'
}
depends=$(depends)
# Packed relocations are older than what dpkg-shlibdeps knows of them.
if readelf -d usr/bin/gwtop | grep -q RELR; then
    depends=$(printf '%s\n' "$depends" |
        sed 's/libc6 (>= 2\.\([0-9]\|[12][0-9]\|3[0-5]\))/libc6 (>= 2.36)/')
fi
cat >DEBIAN/control <<END
Package: gwtop
Version: $VERSION-1
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -k -s --apparent-size usr | cut -f1)
Depends: $depends
Recommends: libmicrohttpd12
Section: utils
Priority: optional
Description: which process uses which GPU, how much of it, and at what cost
 A monitor for the terminal in the manner of top: engines and memory of every
 process on every GPU and NPU whose Linux driver tells, with clocks, power,
 temperatures and hardware counters of the devices.
 .
 It runs as any user. What more it shows with which right, and the command
 that grants it, is what "gwtop doctor" says; installing grants nothing.
END
find usr -type f | sort | xargs md5sum >DEBIAN/md5sums
find . -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
cd "$OLDPWD"
dpkg-deb --root-owner-group -Zxz --build "$work/tree" "$out" >/dev/null
echo "$out"
