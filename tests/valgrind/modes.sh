#!/bin/sh
# The program in each of its modes once, for `make check-valgrind`: it ends as it should, and tests/run reads what
# valgrind said meanwhile. The machine lives on while it is looked at.
set -u
cd "$(dirname "$0")/../.." || exit 1
out=$(mktemp -d) || exit 1
synth=
trap '[ -z "$synth" ] || kill "$synth"; rm -rf "$out"' EXIT
number=0
failed=0

runs() { # expected status, arguments
    want=$1
    shift
    "$GWTOP_BIN" "$@" >"$out/out" 2>"$out/err" </dev/null
    status=$?
    number=$((number + 1))
    if [ "$status" -eq "$want" ]; then
        echo "ok $number - $*"
    else
        echo "not ok $number - $*: status $status"
        sed 's/^/# /' "$out/err"
        failed=1
    fi
}

start_machine() {
    mkfifo "$out/ready"
    "$GWTOP_SYNTH/synth" -o "$out/root" -g amdgpu,i915,xe,panthor,msm,amdgpu-mobile:asleep -n 12 -p 16 -f 4 -s 3 \
        -H -t 100 >"$out/ready" &
    synth=$!
    read -r word <"$out/ready" && [ "$word" = ready ]
}

live() {
    for mode in --once --list --openmetrics --json\ -n3 --csv\ -n3 --batch\ -n3\ --tree \
        --json\ -n2\ --counters --json\ -n2\ --wake\ --pcie-bw --json\ -n2\ --set-profiling --batch\ -n2\ --readonly; do
        # shellcheck disable=SC2086
        runs 0 --root "$out/root" -d 300ms $mode
    done
    runs 0 --root "$out/root" --once --fields pid,name,gpu,mem --sort -mem --filter 'gpu>=0 or not user=root' --top 5
    runs 0 --root "$out/root" --once -d 300ms --log "$out/log"
    runs 0 record --root "$out/root" -d 300ms -n 4 -o "$out/plain.gwt"
    runs 0 record --root "$out/root" -d 300ms -n 4 --scrub -o "$out/packed.gwt.zst"
    runs 0 doctor --root "$out/root"
    runs 0 doctor --root "$out/root" --json
    runs 0 doctor --root "$out/root" --bundle "$out/bundle.zst"
    runs 0 stat --root "$out/root" -- true
    runs 0 stat --root "$out/root" --json -r 3 -- sleep 0.1
}

# The machine that this runs on, whatever it has.
here() {
    runs 0 --json -n 3 -d 300ms
    runs 0 doctor
    runs 0 stat --wait -- sh -c 'sleep 0.2 & true'
    runs 3 stat -- sh -c 'exit 3'
}

recorded() {
    for mode in --once --json --csv --batch --openmetrics; do
        runs 0 replay "$out/plain.gwt" --speed max $mode
    done
    runs 0 replay "$out/packed.gwt.zst" --speed max --json
    runs 0 replay fixtures/demo/demo.gwt.zst --speed max --json --from 0:20 --to 0:30
    runs 0 report "$out/plain.gwt" -o "$out/report.html"
    runs 0 report fixtures/demo/demo.gwt.zst -o "$out/demo.html"
    head -c "$(($(wc -c <fixtures/demo/demo.gwt.zst) / 2))" fixtures/demo/demo.gwt.zst >"$out/cut.gwt.zst"
    runs 0 replay "$out/cut.gwt.zst" --speed max --json
    runs 1 replay README.md
}

decoded() { # kind, files; replayed as well
    kind=$1
    shift
    for file in "$@"; do
        runs 0 decode "$kind" "$file"
        [ "$kind" = fdinfo ] || [ "$kind" = i915-oa-stream ] ||
            runs 0 replay --as "$kind" "$file" --speed max --json
    done
}

# What needs nothing but its arguments.
alone() {
    runs 0 --help
    runs 0 --version
    runs 0 config print
    runs 0 config print --set mouse=no --theme light
    for shell in bash zsh fish; do
        runs 0 completions $shell
    done
    runs 2 --filter '(gpu>' --once
    runs 2 --no-such-option
    runs 2 decode no-such-kind README.md
    runs 1 decode fdinfo "$out/no-such-file"
    runs 1 decode fdinfo README.md
    "$GWTOP_BIN" --demo --once >"$out/out" 2>"$out/err" </dev/null ||
        grep -q 'demonstration is not installed' "$out/err" || runs 0 --demo --once
}

start_machine || exit 1
live
kill "$synth"
wait "$synth"
synth=
here
recorded
decoded fdinfo fixtures/fdinfo/amdgpu-6.14/text fixtures/fdinfo/i915-6.8/text fixtures/fdinfo/xe-6.8/text \
    fixtures/fdinfo/panthor-6.15/text
decoded gpu-metrics tests/fuzz/seeds/gpu_metrics/v1_3
decoded mali-events fixtures/mali/samsung-4412/events fixtures/mali/arm-r6p0/events
decoded i915-perf fixtures/intel/recorder/i915_perf.record
decoded i915-oa-rfc fixtures/intel/ring/records
decoded panthor-ring fixtures/panthor/ring/panthor.ring
alone
echo "1..$number"
exit $failed
