#!/bin/sh
# --filter through the real program: it chooses rows of every output, and what it cannot read is told with its place.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=fixtures/roots/amd-desktop
number=0
failed=0

tell() { # status, what
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        failed=1
    fi
}

# The pids of the rows, in order of pid.
pids() { # options...
    "$GWTOP_BIN" "$@" --once --fields pid --sort pid --csv | tr -d '\r' |
        awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "pid") at = i; next }
                 $at ~ /^[0-9]+$/ { printf "%s%s", n++ ? " " : "", $at }'
}

takes() { # filter, pids
    got=$(pids --root "$root" -F "$1")
    [ "$got" = "$2" ] || echo "# $1: $got"
    [ "$got" = "$2" ]
    tell $? "$1"
}

refuses() { # filter, a part of the message
    said=$("$GWTOP_BIN" --root "$root" --once --filter "$1" 2>&1 >/dev/null)
    status=$?
    case $said in *"$2"*) ;; *) status="$status ($said)" ;; esac
    [ "$status" = 2 ] || echo "# $1: $status"
    [ "$status" = 2 ]
    tell $? "refuses $1"
}

echo 1..9
takes 'vram>1G and not user=svc' '48213 51702'
takes 'type=compute vram>1.5G' '48213'
takes 'user=svc or firefox' '3310 50177'
takes 'gpu>101' ''
refuses 'vram>1X' 'at 6, "1X"'
refuses 'gpu>5 and' 'at 10, its end'
refuses 'vrma>1G' 'vram'
said=$("$GWTOP_BIN" --root "$root" --once --json -F 'gpu>=0 and not user=user')
case $said in
*'"user":"user"'*) false ;;
*'"pid":50177'*) true ;;
*) false ;;
esac
tell $? 'rows in JSON'
"$GWTOP_BIN" report --demo -o /dev/null -F blender 2>/dev/null
[ $? -eq 2 ]
tell $? 'a report is not of rows'
exit $failed
