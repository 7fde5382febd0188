#!/bin/sh
# The small machines in fixtures/roots are what tests/synth/roots.sh makes (whoever changes the synthetic machine
# makes them anew, and the difference is the review), and the program finds their devices.
set -u
cd "$(dirname "$0")/../.." || exit 1
out=$(mktemp -d) || exit 1
trap 'rm -rf "$out"' EXIT
failed=0
number=0

tell() { # status, what
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        failed=1
    fi
}

# The list of devices has a line with each of these, and as many lines.
finds() { # machine, "id driver state"...
    machine=$1
    shift
    "$GWTOP_BIN" --root "fixtures/roots/$machine" --list >"$out/list"
    status=$?
    [ "$(wc -l <"$out/list")" -eq $# ] || status=1
    for want in "$@"; do
        awk -v want="$want" '$2 " " $3 " " $4 == want { found = 1 } END { exit !found }' \
            "$out/list" || status=1
    done
    [ $status -eq 0 ] || cat "$out/list"
    tell $status "devices of $machine"
}

echo 1..4
sh tests/synth/roots.sh "$out/roots" && diff -r --no-dereference fixtures/roots "$out/roots"
tell $? 'fixtures/roots is what tests/synth/roots.sh makes'
finds amd-desktop '0000:03:00.0 amdgpu active' '0000:07:00.0 amdgpu asleep'
finds intel-pair '0000:00:02.0 i915 active' '0000:03:00.0 xe active'
finds arm-boards 'fb000000.gpu panthor active' 'fde60000.gpu panfrost active' \
    'ae01000.display-controller msm active' '1002000000.v3d v3d active'
exit $failed
