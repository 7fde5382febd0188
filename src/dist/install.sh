#!/bin/sh
# Copies gwtop to its places, or takes it away: install.sh install PROGRAM | uninstall.
# PREFIX (/usr/local) and DESTDIR (for packagers) as usual. Run from the top of the repository.
#
# The program itself writes the completions of shells. Built for another machine it needs RUN, what
# runs it here (RUN='qemu-aarch64 -L /usr/aarch64-linux-gnu'); without it they are left out.
set -eu

action=$1
program=${2:-}
prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}$prefix
scratch=
if [ "$action" = install ]; then
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
fi

put() { # mode, file, folder, name there
    if [ "$action" = install ]; then
        [ -e "$2" ] || return 0
        mkdir -p "$root/$3"
        install -m "$1" "$2" "$root/$3/$4"
        return
    fi
    rm -f "$root/$3/$4"
    # Below DESTDIR all folders are ours; elsewhere only those with our name.
    if [ -n "${DESTDIR:-}" ] && [ -d "$root/$3" ]; then
        (cd "$DESTDIR" && rmdir -p "./$prefix/$3" 2>/dev/null) || true
    elif [ "${3##*/}" = gwtop ]; then
        rmdir "$root/$3" 2>/dev/null || true
    fi
}

put_completions() { # shell, folder, name there
    # shellcheck disable=SC2086
    if [ "$action" = install ] && ! ${RUN:-} "$program" completions "$1" >"$scratch/$1"; then
        echo "The program does not run here: no completions for $1." >&2
        return 0
    fi
    put 644 "$scratch/$1" "$2" "$3"
}

put 755 "$program" bin gwtop
for page in man/*.[0-9]; do
    put 644 "$page" "share/man/man${page##*.}" "${page##*/}"
done
for trace in fixtures/demo/demo.gwt*; do
    put 644 "$trace" share/gwtop "${trace##*/}"
done
put 644 src/dist/grafana-dashboard.json share/gwtop grafana-dashboard.json
put_completions bash share/bash-completion/completions gwtop
put_completions zsh share/zsh/site-functions _gwtop
put_completions fish share/fish/vendor_completions.d gwtop.fish
