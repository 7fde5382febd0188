#!/bin/sh
# Copies gwtop to its places, or takes it away: install.sh install PROGRAM | uninstall.
# PREFIX (/usr/local) and DESTDIR (for packagers) as usual. Run from the top of the repository.
set -eu

action=$1
program=${2:-}
root=${DESTDIR:-}${PREFIX:-/usr/local}

put() { # mode, file, folder, name there
    if [ "$action" = uninstall ]; then
        rm -f "$root/$3/$4"
    elif [ -e "$2" ]; then
        install -d "$root/$3"
        install -m "$1" "$2" "$root/$3/$4"
    fi
}

put 755 "$program" bin gwtop
for page in man/*.[0-9]; do
    put 644 "$page" "share/man/man${page##*.}" "${page##*/}"
done
for trace in fixtures/demo/demo.gwt*; do
    put 644 "$trace" share/gwtop "${trace##*/}"
done
put 644 src/dist/gwtop.bash share/bash-completion/completions gwtop
put 644 src/dist/_gwtop share/zsh/site-functions _gwtop
put 644 src/dist/gwtop.fish share/fish/vendor_completions.d gwtop.fish
if [ "$action" = uninstall ]; then
    rmdir "$root/share/gwtop" 2>/dev/null || true
fi
