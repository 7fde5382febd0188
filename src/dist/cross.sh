#!/bin/sh
# The unit tests of the pure rooms and of the decoders, and those of the filter of system calls, built for
# other machines and run under qemu: s390x, which is big-endian, and arm64. A machine whose compiler, qemu or
# libraries are not here is skipped, and what it needs is said. BUILD, and MAKE; ROOMS and MACHINES, to run
# some alone. What qemu does not do, perf events and the filter itself, the tests skip.
#
# The libraries are those of the tests and utf8proc, as Debian has them for foreign architectures. In the
# place of all others stand functions that do nothing: what reads and writes recordings is linked in and not
# run, and no device has a name of a table.
set -u
build=${BUILD:-build}
failed=0
rooms=${ROOMS:-base core bus table view out acct backend app_fence}

run_tests() { # machine
    mkdir -p "$build/cross-$1/run"
    rm -f "$build/cross-$1/run"/*
    for test in "$build/cross-$1/dev/tests"/*_test; do
        name=${test##*/}
        for room in $rooms; do
            case $name in "$room"_*) break ;; *) room= ;; esac
        done
        [ -n "$room" ] || continue
        # All libraries, libc too, are those of the foreign packages.
        printf '#!/bin/sh\nexec qemu-%s -L / "%s"\n' "$1" "$(readlink -f "$test")" \
            >"$build/cross-$1/run/$name"
        chmod +x "$build/cross-$1/run/$name"
    done
    GWTOP_BUILD="$build/cross-$1/dev" tests/run "$build/cross-$1/run"/*_test
}

make_for() { # machine, triplet, targets
    machine=$1 triplet=$2
    shift 2
    ${MAKE:-make} --no-print-directory VARIANT=dev BUILD="$build/cross-$machine" CC="$triplet-gcc" \
        AR="$triplet-ar" CPPFLAGS='-I/usr/include/libdrm -idirafter /usr/include' DRM_CFLAGS= \
        LDFLAGS="-L/usr/lib/$triplet -Wl,-rpath-link,/usr/lib/$triplet" SERVE_CFLAGS= \
        LIBS_base='-lutf8proc -lm -pthread' LIBS_source="$build/cross-$machine/libabsent.a" \
        LIBS_backend= LIBS_term= LIBS_app= LIBS_tests='-lcmocka -ljansson' CFLAGS=-O2 "$@"
}

# A linker that is told to let names stay open leaves, on arm64, a place that the loader refuses.
make_absent() { # machine, triplet
    "$2-nm" -u "$build/cross-$1/dev/libsource.a" | awk '$1 == "U" && $2 ~ /^(ZSTD_|pci_|drm)/ { print $2 }' |
        sort -u | sed 's/.*/long &(void); long &(void) { return 0; }/' |
        "$2-gcc" -x c -c -o "$build/cross-$1/absent.o" - &&
        "$2-ar" rcs "$build/cross-$1/libabsent.a" "$build/cross-$1/absent.o"
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
    tests=$build/cross-$1/dev/tests
    make_for "$1" "$3" "$build/cross-$1/dev/libsource.a" && make_absent "$1" "$3" &&
        make_for "$1" "$3" unit-pure "$tests/app_fence_test" "$tests/app_fence_program_test" &&
        run_tests "$1" || failed=1
}

for machine in ${MACHINES:-s390x aarch64}; do
    case $machine in
    s390x) check s390x s390x s390x-linux-gnu ;;
    aarch64) check aarch64 arm64 aarch64-linux-gnu ;;
    esac
done
exit $failed
