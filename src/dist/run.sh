#!/bin/sh
# Runs the built program in the way that fits this machine: run.sh PROGRAM. The live screen where
# there is a GPU, else the demonstration; one snapshot as text where there is no terminal.
set -u
program=$1

set --
has_gpu=
for node in /dev/dri/renderD* /dev/dri/card* /dev/accel/accel*; do
    [ -e "$node" ] && has_gpu=yes
done
if [ -z "$has_gpu" ]; then
    echo 'There is no GPU here: this is the demonstration.' >&2
    set -- --demo
fi
if [ ! -t 0 ] || [ ! -t 1 ]; then
    set -- "$@" --once
fi
exec "$program" "$@"
