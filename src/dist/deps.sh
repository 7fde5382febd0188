#!/bin/sh
# Installs what is missing: deps.sh build|check. `check` adds what only the tests need.
#
# Looks first, by pkg-config and by compiling a line, and does nothing where all is there. Otherwise
# says the one command of this system's package manager and runs it, as root or through sudo; where
# it may not, it stops with status 1.
set -u

# What is looked for | its header | its library | apt | pacman; dnf and zypper know packages by
# their pkg-config name.
build_libraries='
ncursesw    ncurses.h      ncursesw  libncurses-dev    ncurses
libdrm      xf86drm.h      drm       libdrm-dev        libdrm
pciaccess   pciaccess.h    pciaccess libpciaccess-dev  libpciaccess
libutf8proc utf8proc.h     utf8proc  libutf8proc-dev   libutf8proc
libzstd     zstd.h         zstd      libzstd-dev       zstd
inih        ini.h          inih      libinih-dev       libinih
libmicrohttpd microhttpd.h microhttpd libmicrohttpd-dev libmicrohttpd'
test_libraries='
cmocka      cmocka.h       cmocka    libcmocka-dev     cmocka
jansson     jansson.h      jansson   libjansson-dev    jansson'

case ${1:-} in
build) libraries=$build_libraries ;;
check) libraries=$build_libraries$test_libraries ;;
*) echo 'usage: deps.sh build|check' >&2; exit 2 ;;
esac
variant=${VARIANT:-release}
has() { command -v "$1" >/dev/null 2>&1; }
cc=${CC:-cc}

# Does a program with these headers compile and link with these flags?
probe() { # flags, prelude
    folder=$(mktemp -d) || exit 1
    printf '%b\nint main(void) { return 0; }\n' "$2" >"$folder/a.c"
    # shellcheck disable=SC2086
    $cc -I/usr/include/libdrm -o "$folder/a" "$folder/a.c" $1 >/dev/null 2>&1
    result=$?
    rm -rf "$folder"
    return $result
}

manager=
for candidate in apt-get dnf pacman zypper; do
    if has $candidate; then
        manager=$candidate
        break
    fi
done

packages=
missing=
need() { # what a person calls it, apt, dnf, pacman, zypper
    missing="$missing $1"
    case $manager in
    apt-get) packages="$packages $2" ;;
    dnf) packages="$packages $3" ;;
    pacman) packages="$packages $4" ;;
    zypper) packages="$packages $5" ;;
    esac
}

has make || need make make make make make
has pkg-config || need pkg-config pkg-config pkgconf-pkg-config pkgconf pkg-config
if ! has "${cc%% *}" || ! probe '' '#include <stdio.h>'; then
    need compiler 'gcc libc6-dev' 'gcc glibc-devel' gcc 'gcc glibc-devel'
elif [ "$variant" = asan ] && ! probe '-fsanitize=address,undefined' ''; then
    need sanitizers gcc 'libasan libubsan' gcc gcc
elif [ "$variant" = tsan ] && ! probe '-fsanitize=thread' ''; then
    need sanitizers gcc libtsan gcc gcc
fi

if [ "$1" = check ] && ! has find; then
    need find findutils findutils findutils findutils
fi

while read -r module header library apt pacman; do
    [ -n "$module" ] || continue
    pkg-config --exists "$module" 2>/dev/null && continue
    has "${cc%% *}" && probe "-l$library" "#include <stdio.h>\n#include <stdarg.h>\n\
#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <$header>" && continue
    need "$module" "$apt" "pkgconfig($module)" "$pacman" "pkgconfig($module)"
done <<END
$libraries
END

[ -n "$missing" ] || exit 0
echo "gwtop needs what is not installed here:$missing"

# Each package name is quoted: those with brackets mean something to a shell.
quoted=
for package in $packages; do
    case $package in *[\(]*) package="'$package'" ;; esac
    quoted="$quoted $package"
done
case $manager in
apt-get) command="apt-get update && apt-get install -y --no-install-recommends$quoted" ;;
dnf) command="dnf install -y --setopt=install_weak_deps=False$quoted" ;;
pacman) command="pacman -S --needed --noconfirm$quoted" ;;
zypper) command="zypper --non-interactive install --no-recommends$quoted" ;;
*)
    echo 'There is no apt-get, dnf, pacman or zypper here: please install it by hand.' >&2
    exit 1
    ;;
esac

as=
if [ "$(id -u)" -ne 0 ]; then
    as=sudo
    if [ ! -t 0 ] || [ ! -t 2 ]; then
        as='sudo -n'
    fi
fi
export DEBIAN_FRONTEND=noninteractive
if [ -z "$as" ]; then
    echo "+ $command"
    sh -c "$command" </dev/null || { echo "That failed: $command" >&2; exit 1; }
else
    command=$(printf '%s\n' "$command" | sed 's/apt-get install/sudo apt-get install/; s/^/sudo /')
    echo "+ $command"
    if ! has sudo || { [ "$as" = 'sudo -n' ] && ! sudo -n true 2>/dev/null; }; then
        echo "Not allowed to install here. Please run: $command" >&2
        exit 1
    fi
    [ "$as" = sudo ] || command=$(printf '%s\n' "$command" | sed 's/sudo /sudo -n /g')
    sh -c "$command" || { echo "That failed: $command" >&2; exit 1; }
fi
