# Sourced by .ci/run and packaging/dev/check: the checks that take more than a build and its tests. Each prints what
# it ran and fails with a nonzero status. environment.sh must have been sourced.

export QT_QPA_PLATFORM=offscreen
export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=halt_on_error=1

# unpack_corpus: sets HILO_CORPUS where real dumps are at hand: a folder of archives with a program `unpack` that
# HILO_CORPUS_ARCHIVES names, by default the one beside the checkout.
unpack_corpus() {
  local archives=${HILO_CORPUS_ARCHIVES:-../shared/corpus}
  if [[ ! -x $archives/unpack ]]; then
    echo "no corpus: $archives/unpack is not there"
    return 0
  fi
  "$archives/unpack" build/corpus || return 1
  export HILO_CORPUS=$PWD/build/corpus
  # Each module of the engine's test is compiled and run twice: one in 25 fits the time of a check.
  export HILO_CORPUS_EVERY=${HILO_CORPUS_EVERY:-25}
}

# The tests that read real dumps: check_conformance runs them, packaging/test.sh --without them.
CONFORMANCE_TESTS='^(test_conformance|kernels_matched|lineage_traced)'

# check_conformance: the tests against XLA's behaviour. Where there is a corpus none may skip, but for those that say
# they want what no corpus holds: XLA's or Shardy's own sources, files of other versions of StableHLO, or nvcc.
check_conformance() {
  local log=build/conformance.log skipped
  unpack_corpus || return 1
  ctest --test-dir build/release -R "$CONFORMANCE_TESTS" --output-on-failure -j "$(nproc)" || return 1
  # What each test printed, one after the other, although they ran side by side.
  cp build/release/Testing/Temporary/LastTest.log "$log" || return 1
  # A test that skips prints "FILE:LINE: Skipped", its reason in the next line, and later its own name.
  skipped=$(awk '/: Skipped$/ { getline reason }
                 /\[  SKIPPED \] .* \(.*ms\)$/ && reason !~ /HILO_XLA_SOURCE|HILO_SHARDY_SOURCE|HILO_VHLO|nvcc/ {
                   sub(/.*\[  SKIPPED \] /, ""); print }' "$log")
  if [[ -n ${HILO_CORPUS:-} && -n $skipped ]]; then
    printf 'conformance tests that skipped though there is a corpus:\n%s\n' "$skipped" >&2
    return 1
  fi
  awk '/\[       OK \]/ { tests++ } match($0, /rows: [0-9]+/) { rows += substr($0, RSTART + 6, RLENGTH - 6) }
       END { printf "conformance: %d tests, %d rows of files\n", tests, rows }' "$log"
}

# check_viewer: the studio and the command line without LLVM, after the build with it, whose compiled files it takes
# from ccache.
check_viewer() {
  build viewer hilo hilo-studio &&
    tests/e2e/viewer_test.py build/viewer/app/cli/hilo build/viewer/app/studio/hilo-studio
}

# check_threads: what threads share, under ThreadSanitizer.
check_threads() {
  build tsan threaded_tests &&
    ctest --test-dir build/tsan -L threads --output-on-failure -j "$(nproc)"
}

# run_fuzz_target TARGET INPUTS: one libFuzzer program over its seeds. Prints how many inputs it took.
run_fuzz_target() {
  local target=$1 inputs=$2 name seeds found log
  name=$(basename "$target")
  seeds=tests/fuzz/seeds/$name
  [[ -d $seeds ]] || { echo "$name has no seed corpus at $seeds" >&2; return 255; }
  found=build/asan-ubsan/tests/fuzz/found/$name # New inputs go here, not into the checkout.
  mkdir -p "$found" || return 255
  log=$found.log
  if ! "$target" -runs="$inputs" -max_total_time=60 -rss_limit_mb=2048 -timeout=10 -seed=1 -print_final_stats=1 \
    -artifact_prefix="$found." "$found" "$seeds" >"$log" 2>&1; then
    tail -n 100 "$log" >&2
    echo "$name found a failure; the input lies at $found.*" >&2
    return 255 # xargs begins no other
  fi
  echo "  $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
}
export -f run_fuzz_target

# check_fuzz_targets INPUTS: every libFuzzer target, as many at once as there are processors. A number of inputs, not
# a time: the same commit is given the same inputs on every machine.
check_fuzz_targets() {
  local inputs=$1 targets sources=(tests/fuzz/fuzz_*.cpp)
  mapfile -d '' targets < <(find build/asan-ubsan/tests/fuzz -maxdepth 1 -name 'fuzz_*' -type f -executable -print0)
  # A build that silently lost its fuzz targets must not pass.
  if ((${#targets[@]} != ${#sources[@]})); then
    echo "${#sources[@]} fuzz targets in tests/fuzz, but ${#targets[@]} were built" >&2
    return 1
  fi
  echo "fuzzing with $inputs inputs each"
  printf '%s\0' "${targets[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'run_fuzz_target "$1" "$0"' "$inputs"
}

# check_studio PRESET SEEDS ACTIONS: random clicks and keys in the windows of the studio.
check_studio() {
  local seed log=build/$1/tests/fuzz/studio.log
  for ((seed = 1; seed <= $2; ++seed)); do
    # What Qt and its platform never free is not ours to find.
    if ! ASAN_OPTIONS=detect_leaks=0 "build/$1/tests/fuzz/studio_fuzzer" --hilo "build/$1/app/cli/hilo" \
      --seed "$seed" --actions "$3" resources/samples/*.hlo resources/samples/dump >"$log" 2>&1; then
      cat "$log" >&2
      return 1
    fi
    grep ' actions of seed ' "$log"
  done
}

# check_commands PRESET INPUTS: changed modules through every command and every view.
check_commands() {
  tests/fuzz/command_fuzzer.py --hilo "build/$1/app/cli/hilo" --server "build/$1/tests/fuzz/command_server" \
    --studio "build/$1/app/studio/hilo-studio" --inputs "$2" --out "build/$1/tests/fuzz/commands"
}
