#!/usr/bin/env bash
# test.sh: installs packages, builds everything in release, runs each benchmark once for a moment to see
# that it works, and runs all tests. The summary of the tests comes last. Tests that need a GPU skip without one.
# test.sh --without REGEX: but for the tests of these names, which the caller runs.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

without=()
if (($#)); then
  [[ $# -eq 2 && $1 == --without ]] || { echo "usage: packaging/test.sh [--without REGEX]" >&2; exit 2; }
  without=(-E "$2")
fi

packaging/setup.sh
build release

export QT_QPA_PLATFORM=offscreen
run_briefly() {
  local output
  echo "smoke run: $(basename "$1")"
  output=$(timeout 300 "$1" --benchmark_min_time=0.001 2>&1) || {
    printf '%s\n%s failed\n' "$output" "$(basename "$1")" >&2
    return 255 # xargs begins no other
  }
}
export -f run_briefly
find build/release/tests/bench -maxdepth 1 -name 'bench_*' -type f -executable -print0 | sort -z |
  xargs -0 -r -n 1 -P "$(nproc)" bash -c 'run_briefly "$0"'

ctest --test-dir build/release --output-on-failure -j "$(nproc)" "${without[@]}"
