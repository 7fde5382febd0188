#!/bin/sh
# The page of `gwtop report` in a browser: it loads without a word of complaint, asks for nothing, and shows something in
# light and in dark. Skipped where there is no chromium.
set -u
cd "$(dirname "$0")/../.." || exit 1
browser=$(command -v chromium || command -v chromium-browser) || {
    echo '1..0 # SKIP no chromium'
    exit 0
}
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

browse() { # arguments; what it says goes to $out/log
    HOME=$out "$browser" --headless=new --no-sandbox --disable-gpu --no-first-run \
        --user-data-dir="$out/profile" --enable-logging=stderr "$@" "file://$out/page.html" \
        2>"$out/log"
}

# A picture of one colour packs to some kilobytes at this size.
is_drawn() { # name, arguments
    name=$1
    shift
    browse --window-size=1200,2400 --screenshot="$out/$name.png" "$@" >/dev/null &&
        [ "$(wc -c <"$out/$name.png")" -gt 60000 ]
}

echo 1..6
"$GWTOP_BIN" report fixtures/demo/demo.gwt.zst -o "$out/page.html"
tell $? 'the page is written'
browse --dump-dom >"$out/dom" && grep -q 'id="overview"' "$out/dom" && grep -q '</html>' "$out/dom"
tell $? 'it loads'
! grep -E 'CONSOLE|Refused to' "$out/log"
tell $? 'no complaint'
grep -q "default-src 'none'" "$out/dom" &&
    ! grep -Eq '(src|href|srcset|action)=|url\(|@import' "$out/dom"
tell $? 'its policy stands, and nothing is asked for'
is_drawn light --blink-settings=preferredColorScheme=1
tell $? 'drawn in light'
is_drawn dark --blink-settings=preferredColorScheme=0 && ! cmp -s "$out/light.png" "$out/dark.png"
tell $? 'drawn in dark, which is another picture'
exit $failed
