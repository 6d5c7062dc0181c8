#!/usr/bin/env bash
# Installs what Hilo needs to build and test on Debian 12, from the distribution's own repositories.
# Run as root, or as a user who may sudo. Does nothing when everything is already installed.
set -euo pipefail

packages=(
  # Compiler, build and checks.
  g++ cmake ninja-build ccache pkg-config clang-22 lld-22 libclang-rt-22-dev clang-format-22 python3
  # The studio: widgets, SVG export, graph layout.
  qt6-base-dev qt6-svg-dev libqt6opengl6-dev adwaita-icon-theme graphviz
  # Libraries of the core (docs/dependencies.md says why each).
  libprotobuf-dev protobuf-compiler libsqlite3-dev zlib1g-dev libzip-dev zipcmp zipmerge ziptool nlohmann-json3-dev
  libabsl-dev libfmt-dev libcli11-dev libxxhash-dev libre2-dev libboost-context-dev
  # The StableHLO plug-in.
  llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22 libdnnl-dev
  # Tests, benchmarks, and drawing without a screen.
  libgtest-dev libgmock-dev libbenchmark-dev xvfb xauth fonts-dejavu-core
)

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $state == *installed* && $state != *not-installed* ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "setup: these packages are missing and neither root nor sudo is at hand: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
install_quietly=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)

echo "setup: installing ${missing[*]}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${install_quietly[@]}" update && "${install_quietly[@]}" install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  cat "$log" >&2
  echo "setup: installing failed. clang-22 needs Debian 12 with its security updates (bookworm-security) enabled." >&2
  exit 1
fi
