#!/usr/bin/env bash
# test.sh: installs packages, builds everything in release, runs each benchmark once for a moment to see
# that it works, and runs all tests. The summary of the tests comes last. Tests that need a GPU skip without one.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/environment.sh"

packaging/setup.sh
build release

export QT_QPA_PLATFORM=offscreen
shopt -s nullglob
for bench in build/release/tests/bench/bench_*; do
  [[ -f $bench && -x $bench ]] || continue
  echo "smoke run: $(basename "$bench")"
  if ! output=$(timeout 300 "$bench" --benchmark_min_time=0.001 2>&1); then
    echo "$output" >&2
    echo "$(basename "$bench") failed" >&2
    exit 1
  fi
done

ctest --test-dir build/release --output-on-failure -j "$(nproc)"
