#!/bin/sh
# What protects a built program, as readelf finds it: harden.sh PROGRAM. Status 1 where some of it
# is missing, 77 without readelf.
set -u
export LC_ALL=C
program=$1
status=0
command -v readelf >/dev/null 2>&1 || {
    echo 'There is no readelf here.' >&2
    exit 77
}
dynamic=$(readelf -W -d "$program")
headers=$(readelf -W -h -l "$program")
symbols=$(readelf -W --dyn-syms "$program")

tell() { # name, 0 when it is there
    if [ "$2" -eq 0 ]; then
        printf '%-36s yes\n' "$1"
    else
        printf '%-36s NO\n' "$1"
        status=1
    fi
}
has() { # text, pattern
    printf '%s\n' "$1" | grep -Eq "$2"
}

has "$headers" 'Type:.*DYN' && has "$dynamic" 'FLAGS_1.*PIE'
tell 'position independent (PIE)' $?
has "$headers" 'GNU_RELRO'
tell 'relocations read-only (RELRO)' $?
has "$dynamic" 'BIND_NOW|FLAGS_1.*NOW'
tell 'bound at start (full RELRO)' $?
has "$headers" 'GNU_STACK' && ! has "$headers" 'GNU_STACK.* RWE'
tell 'stack not executable' $?
! has "$headers" 'LOAD.* RWE'
tell 'no memory writable and executable' $?
! has "$dynamic" 'TEXTREL'
tell 'no relocations in code' $?
has "$symbols" '__stack_chk_fail'
tell 'stack protector' $?
has "$symbols" '__[a-z]+_chk(@|$)'
tell 'fortified calls (FORTIFY)' $?
! has "$dynamic" 'RPATH|RUNPATH'
tell 'no library path of its own' $?
case $(readelf -h "$program" | sed -n 's/.*Machine: *//p') in
*X86-64*)
    # The code alone: a note on the whole program needs a libc that is marked, too.
    grep -qa "$(printf '\363\017\036\372')" "$program"
    tell 'targets of branches marked (endbr64)' $?
    ;;
esac
exit $status
