#!/usr/bin/env bash
# run.sh [FILE]: installs packages, builds the release, and opens hilo-studio on FILE: a module, a proto
# or a dump directory; without FILE, on the bundled sample. With no display it prints the report of
# `hilo info` and writes pictures of the views instead.
set -euo pipefail

case ${1:-} in
  -h | --help)
    sed -n '2,4s/^# //p' "$0"
    exit 0
    ;;
esac
input=
if (($# > 0)); then
  input=$(realpath -e -- "$1") # Before the working directory changes.
fi
caller_dir=$PWD

source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"
input=${input:-$PWD/resources/samples/transformer_step.hlo}

packaging/setup.sh
build release hilo hilo-studio
hilo=build/release/app/cli/hilo
studio=build/release/app/studio/hilo-studio

if [[ -n ${DISPLAY:-} ]]; then
  exec "$studio" "$input"
fi

export QT_QPA_PLATFORM=offscreen
if [[ -z ${XDG_RUNTIME_DIR:-} ]]; then # Qt would say so at each start.
  XDG_RUNTIME_DIR=$(mktemp -d)
  export XDG_RUNTIME_DIR
  trap 'rm -rf "$XDG_RUNTIME_DIR"' EXIT
fi
"$hilo" info "$input"
views_dir=$caller_dir/hilo-views
mkdir -p "$views_dir"
echo
echo "No display: writing pictures of the views instead of opening the window."
failed=()
for view in $("$studio" --list-views); do
  picture=$views_dir/$view.png
  if "$studio" --render "$view" -o "$picture" --size 1600x1000 "$input"; then
    echo "  $picture"
  else
    failed+=("$view")
  fi
done
if ((${#failed[@]} > 0)); then
  echo "could not draw: ${failed[*]}" >&2
  exit 1
fi
