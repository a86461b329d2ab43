#!/usr/bin/env bash
# Installs the Debian 12 packages that are missing, and what package.json names (the charts of the report; with
# --tests also what drives the browser in tests) into node_modules/. Does nothing when nothing is missing.
#   ./setup.sh [--tests] [--tidy] [--dry-run]
# --tests: also what the tests and the formatter check need; --tidy: also clang-tidy; --dry-run: only say what is missing.
set -euo pipefail

packages=(g++ cmake ninja-build ccache pkg-config git libsystemc-dev libyaml-cpp-dev libprotobuf-dev
  protobuf-compiler libboost-dev libfmt-dev libcli11-dev nlohmann-json3-dev libgtest-dev zlib1g-dev libsqlite3-dev
  libssl-dev libtinyxml2-dev libutfcpp-dev coinor-libclp-dev libnlopt-dev libeigen3-dev rapidjson-dev liblemon-dev libmetis-dev libzip-dev
  python3)
command -v npm >/dev/null || packages+=(nodejs npm)
dry_run=
with_tests=
for argument in "$@"; do
  case $argument in
    # clang only recommends its sanitizer runtime (libclang-rt); recommended packages are not installed.
    --tests) packages+=(clang libclang-rt-14-dev clang-format chromium verilator yosys iverilog slurm-wlm openmpi-bin
      libopenmpi-dev zsh fish mkdocs python3-jsonschema python3-yaml mypy python3-pandas python3-matplotlib python3-nbclient
      python3-ipykernel) with_tests=1 ;;
    --tidy) packages+=(clang-tidy) ;;
    --dry-run) dry_run=1 ;;
    *) echo "setup.sh: unknown option '$argument' (known: --tests, --tidy, --dry-run)" >&2; exit 2 ;;
  esac
done

# What package.json names, of the versions and with the sums of package-lock.json.
npm_packages() {
  local arguments=(ci --ignore-scripts --no-audit --no-fund --loglevel=error)
  [ -n "$with_tests" ] || arguments+=(--omit=dev)
  cd "${BASH_SOURCE[0]%/*}"
  local installed_lock=
  [ ! -f node_modules/.installed-lock ] || installed_lock=$(<node_modules/.installed-lock)
  [ "$installed_lock" != "$(<package-lock.json)" ] || [ ! -d node_modules/echarts ] ||
    { [ -n "$with_tests" ] && [ ! -d node_modules/playwright-core ]; } || return 0
  if [ -n "$dry_run" ]; then
    echo "setup.sh: missing npm packages (package.json)" >&2
    return
  fi
  echo "setup.sh: installing what package.json names into node_modules/" >&2
  npm "${arguments[@]}" >/dev/null || { echo "setup.sh: npm ${arguments[*]} failed" >&2; return 1; }
  printf '%s\n' "$(<package-lock.json)" >node_modules/.installed-lock
}

if ! command -v dpkg-query >/dev/null; then
  echo "setup.sh: this is not a Debian system; provide the equivalents of: ${packages[*]}" >&2
  npm_packages
  exit 0
fi

installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)
missing=()
for package in "${packages[@]}"; do
  grep -qxF "installed $package" <<<"$installed" || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  npm_packages
  exit 0
fi

fail() {
  echo "setup.sh: $1. Install these packages and try again:" >&2
  echo "  apt-get install ${missing[*]}" >&2
  exit 1
}

echo "setup.sh: missing Debian packages: ${missing[*]}" >&2
[ -z "$dry_run" ] || { npm_packages; exit 0; }

as_root=(env DEBIAN_FRONTEND=noninteractive)
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || fail "not root, and there is no sudo"
  as_root=(sudo "${as_root[@]}")
  echo "setup.sh: installing them with sudo, which may ask for your password" >&2
else
  echo "setup.sh: installing them" >&2
fi

apt=("${as_root[@]}" apt-get --quiet --option DPkg::Lock::Timeout=300)
install=("${apt[@]}" install --yes --no-install-recommends "${missing[@]}")
# The package lists are fetched only when they are absent, or too old for an install to succeed.
if ! apt-get --simulate install --no-install-recommends "${missing[@]}" >/dev/null 2>&1; then
  "${apt[@]}" update >&2 || fail "apt-get update failed"
fi
"${install[@]}" >&2 || { "${apt[@]}" update >&2 && "${install[@]}" >&2; } || fail "apt-get install failed"
npm_packages
