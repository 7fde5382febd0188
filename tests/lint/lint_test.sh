#!/bin/sh
# Each analyser that is here finds a planted fault, in a file that is compiled with a text for a macro, and finds nothing
# once it is mended.
set -u
cd "$(dirname "$0")/../.." || exit 1
here=$PWD
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
number=0

tell() { # status, what
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        sed 's/^/# /' "$out/said"
    fi
}

lint() {
    (cd "$out" && echo "cc -std=c11 -DTEXT='\"a.b\"' -MMD -MP -c -o plant.o plant.c" |
        "$here/tests/lint/run" lint plant) >"$out/said" 2>&1
}

plant() { # what stands where the fault may be
    cat >"$out/plant.c" <<END
#include <stdlib.h>
char *text(size_t *n);
char *text(size_t *n) {
    static const char name[] = TEXT;
    char *p = malloc(sizeof(name));
    *n = sizeof(name);
    $1
    return p;
}
END
}

cp .clang-tidy "$out" || exit 1
plant 'free(p); free(p);'
lint
for tool in gcc:-Wanalyzer-double-free cppcheck:doubleFree clang-tidy:clang-analyzer-unix.Malloc; do
    if command -v "${tool%%:*}" >/dev/null 2>&1; then
        grep -q "^plant.c:7.*\[${tool#*:}\]" "$out/said"
        tell $? "${tool%%:*} finds it"
    else
        number=$((number + 1))
        echo "ok $number # SKIP there is no ${tool%%:*} here"
    fi
done
plant ''
lint
tell $? 'once it is mended there is none'
echo "1..$number"
