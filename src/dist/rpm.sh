#!/bin/sh
# RPMs of the source and of the program: rpm.sh FOLDER, which holds the tarball. VERSION.
set -eu
folder=$(readlink -f "$1")
command -v rpmbuild >/dev/null 2>&1 || {
    echo 'There is no rpmbuild here.' >&2
    exit 1
}
# What is installed is known to rpm only where it installed it.
nodeps=
rpm -q rpm >/dev/null 2>&1 || nodeps=--nodeps
# shellcheck disable=SC2086
rpmbuild -ba $nodeps --define "_topdir $folder/rpmbuild" --define "_sourcedir $folder" \
    --define "_rpmdir $folder" --define "_srcrpmdir $folder" --define "gwtop_version $VERSION" \
    src/dist/gwtop.spec >"$folder/rpmbuild.log" 2>&1 || {
    tail -n 40 "$folder/rpmbuild.log" >&2
    exit 1
}
rm -rf "$folder/rpmbuild"
sed -n 's/^Wrote: //p' "$folder/rpmbuild.log"
