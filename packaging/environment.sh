# Sourced by the packaging scripts: goes to the repository root and has what every build shares.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# build PRESET [TARGET...]: configures and builds; prints all output only when something fails.
build() {
  local preset=$1 log status=0
  shift
  local targets=()
  (($# == 0)) || targets=(--target "$@")
  log=$(mktemp)
  if ! cmake --preset "$preset" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    echo "configuring preset $preset failed" >&2
    return 1
  fi
  rm -f "$log"
  cmake --build "build/$preset" "${targets[@]}" || status=$?
  return "$status"
}
