#!/bin/sh
# Makes fixtures/demo/demo.gwt.zst: a minute of the scene in tests/lib/synth_demo.c, an AMD card at work and a
# second one asleep. Nothing in it was recorded on anybody's machine.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p fixtures/demo
"${GWTOP_BUILD:-build/release}/synth/chronicle" -o fixtures/demo/demo.gwt.zst -D \
    -g amdgpu,amdgpu-mobile:asleep -f 9 -T 61
ls -l fixtures/demo/demo.gwt.zst
