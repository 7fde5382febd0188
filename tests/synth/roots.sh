#!/bin/sh
# Makes the small machines in fixtures/roots anew: roots.sh [FOLDER]. The same to the byte each time.
# Descriptors of processes without a GPU are few, and there is nothing that git would lose (empty folders,
# modes).
set -eu
cd "$(dirname "$0")/../.."
out=${1:-fixtures/roots}
synth=${GWTOP_BUILD:-build/release}/synth/synth
make_root() { # name, GPUs, clients, processes
    rm -rf "${out:?}/$1"
    "$synth" -o "$out/$1" -g "$2" -n "$3" -p "$4" -f 4 -s 7 >/dev/null
}
make_root amd-desktop amdgpu,amdgpu-mobile:asleep 11 8
make_root intel-pair i915-igpu,xe 9 6
make_root arm-boards panthor,panfrost,msm,v3d 12 9
