#!/bin/sh
# The size of a program without its symbols, in bytes, and that of its larger parts: size.sh
# PROGRAM. Status 1 where it is 1 MiB or more.
set -eu
stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$1"
bytes=$(wc -c <"$stripped")
echo "$bytes bytes stripped"
size -A -d "$stripped" | awk '$2 ~ /^[0-9]+$/ && $1 ~ /^\./ && $1 != ".bss" && $2 >= 4096 {
    printf "%9d %s\n", $2, $1 }' | sort -rn
[ "$bytes" -lt 1048576 ]
