#!/bin/sh
# The unit tests of the pure rooms and of the decoders, built for other machines and run under qemu:
# s390x, which is big-endian, and arm64. A machine whose compiler, qemu or libraries are not here is
# skipped, and what it needs is said. BUILD, and MAKE; ROOMS, to run the tests of some alone.
#
# The libraries are those of the tests and utf8proc, as Debian has them for foreign architectures.
# Code that talks to devices is linked in without libdrm and is not run.
set -u
build=${BUILD:-build}
failed=0
rooms=${ROOMS:-base core bus table view out acct backend}

# These look at the /proc and the devices of this machine, or count what it allocates. Of them arm64's loader takes none
# that names libraries which are not linked here, and qemu hands no perf events on.
left_out='_collect|_tracefs|_steady|_nomem'

run_tests() { # machine
    mkdir -p "$build/cross-$1/run"
    rm -f "$build/cross-$1/run"/*
    for test in "$build/cross-$1/dev/tests"/*_test; do
        name=${test##*/}
        case " $rooms " in *" ${name%%_*} "*) ;; *) continue ;; esac
        if printf '%s\n' "$name" | grep -Eq "$left_out"; then continue; fi
        # All libraries, libc too, are those of the foreign packages.
        printf '#!/bin/sh\nexec qemu-%s -L / -E LD_PRELOAD="%s" "%s"\n' "$1" \
            "$(readlink -f "$build/cross-$1/no_devices.so")" "$(readlink -f "$test")" \
            >"$build/cross-$1/run/$name"
        chmod +x "$build/cross-$1/run/$name"
    done
    GWTOP_BUILD="$build/cross-$1/dev" tests/run "$build/cross-$1/run"/*_test
}

check() { # machine, Debian's name of it, triplet
    missing=
    command -v "$3-gcc" >/dev/null 2>&1 || missing="$missing gcc-$3"
    command -v "qemu-$1" >/dev/null 2>&1 || missing="$missing qemu-user"
    for library in utf8proc cmocka jansson; do
        [ -e "/usr/lib/$3/lib$library.so" ] || missing="$missing lib$library-dev:$2"
    done
    if [ -n "$missing" ]; then
        echo "$1: skipped; it needs:$missing (dpkg --add-architecture $2)"
        return
    fi
    echo "$1:"
    libraries=/usr/lib/$3
    ${MAKE:-make} --no-print-directory VARIANT=dev BUILD="$build/cross-$1" CC="$3-gcc" AR="$3-ar" \
        CPPFLAGS='-I/usr/include/libdrm -idirafter /usr/include' DRM_CFLAGS= \
        LDFLAGS="-L$libraries -Wl,-rpath-link,$libraries -Wl,--unresolved-symbols=ignore-all" \
        LIBS_base='-lutf8proc -lm -pthread' LIBS_source= LIBS_backend= LIBS_term= LIBS_app= \
        LIBS_tests='-lcmocka -ljansson' CFLAGS=-O2 unit-pure &&
        printf 'void pci_get_strings(const void *m, const char **name);\n%s\n' \
            'void pci_get_strings(const void *m, const char **name) { (void)m; *name = 0; }' |
        "$3-gcc" -shared -fPIC -x c -o "$build/cross-$1/no_devices.so" - && run_tests "$1" ||
        failed=1
}

check s390x s390x s390x-linux-gnu
check aarch64 arm64 aarch64-linux-gnu
exit $failed
