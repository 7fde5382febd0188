#!/bin/sh
# Lines that the tests reached, of decoders and accounting: cov.sh FOLDER of the build. One line a
# file, the least covered first, and the sum.
set -eu
export LC_ALL=C
folder=$1
report() { # files of src
    for source in "$@"; do
        object=$folder/obj/${source%.c}
        if [ -e "$object.gcda" ] || [ -e "$object.gcno" ]; then
            ${GCOV:-gcov} -n -o "${object%/*}" "$object.o" 2>/dev/null
        fi | awk -v source="$source" '
            $1 == "File" { mine = index($0, "\x27" source "\x27") > 0 || $0 ~ "/" source "\x27" }
            mine && /^Lines executed:/ {
                sub(/^Lines executed:/, ""); sub(/% of /, " ")
                printf "%s %d %d\n", source, $2, int($1 * $2 / 100 + 0.5)
                mine = 0
            }'
    done
}
# shellcheck disable=SC2046
report src/acct/*.c src/backend/*.c $(find src/backend -mindepth 2 -name '*.c' ! -name 'collect*') |
    awk '{
        printf "%6.2f %% %5d lines %4d not reached  %s\n", $2 ? 100 * $3 / $2 : 100, $2, $2 - $3, $1
        room = $1 ~ /^src\/acct\// ? "accounting" : "decoders"
        lines[room] += $2; reached[room] += $3
    }
    END {
        for (room in lines)
            printf "%6.2f %% %5d lines %4d not reached  %s, together\n",
                100 * reached[room] / lines[room], lines[room], lines[room] - reached[room], room
    }' | sort -n
