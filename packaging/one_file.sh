#!/bin/sh
# Hilo as one file: unpacks itself at the first start, then starts what is there. See packaging/make-package.
set -eu
name=@NAME@
digest=@DIGEST@
cache=${HILO_APP_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/hilo/app}
place=$cache/$name-$digest
if [ ! -x "$place/hilo-run" ]; then
  mkdir -p "$cache"
  fresh=$(mktemp -d "$cache/unpacking.XXXXXX")
  trap 'rm -rf "$fresh"' EXIT
  line=$(awk '/^__ARCHIVE__$/ { print NR + 1; exit }' "$0")
  tail -n +"$line" "$0" | gzip -dc | tar -xf - -C "$fresh"
  # Another start may have been quicker.
  mv -T "$fresh/$name" "$place" 2>/dev/null || [ -x "$place/hilo-run" ]
  rm -rf "$fresh"
  trap - EXIT
fi
exec "$place/hilo-run" "$@"
__ARCHIVE__
