#!/bin/sh
# The program as it is built for release: what protects it, and that it stays below 1 MiB without its symbols.
set -u
cd "$(dirname "$0")/../.." || exit 1
if [ "${GWTOP_VARIANT:-release}" != release ]; then
    echo '1..0 # SKIP for a release'
    exit 0
fi
command -v readelf >/dev/null && command -v strip >/dev/null && command -v size >/dev/null || {
    echo '1..0 # SKIP no binutils'
    exit 0
}
failed=0
echo 1..2
if said=$(sh src/dist/harden.sh "$GWTOP_BIN"); then
    echo 'ok 1 - hardened'
else
    echo "not ok 1 - hardened"
    printf '%s\n' "$said" | sed 's/^/# /'
    failed=1
fi
if said=$(sh src/dist/size.sh "$GWTOP_BIN"); then
    echo 'ok 2 - below 1 MiB'
else
    echo "not ok 2 - below 1 MiB"
    printf '%s\n' "$said" | sed 's/^/# /'
    failed=1
fi
exit $failed
