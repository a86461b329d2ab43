#!/usr/bin/env bash
# Installs the Debian 12 packages that are missing, and does nothing when none is.
#   ./setup.sh [--tests] [--tidy] [--dry-run]
# --tests: also what the tests and the formatter check need; --tidy: also clang-tidy; --dry-run: only say what is missing.
set -euo pipefail

packages=(g++ cmake ninja-build ccache pkg-config git libsystemc-dev libyaml-cpp-dev libprotobuf-dev
  protobuf-compiler libboost-dev libfmt-dev libcli11-dev nlohmann-json3-dev libgtest-dev zlib1g-dev python3)
dry_run=
for argument in "$@"; do
  case $argument in
    # clang only recommends its sanitizer runtime (libclang-rt); recommended packages are not installed.
    --tests) packages+=(clang libclang-rt-14-dev clang-format) ;;
    --tidy) packages+=(clang-tidy) ;;
    --dry-run) dry_run=1 ;;
    *) echo "setup.sh: unknown option '$argument' (known: --tests, --tidy, --dry-run)" >&2; exit 2 ;;
  esac
done

if ! command -v dpkg-query >/dev/null; then
  echo "setup.sh: this is not a Debian system; provide the equivalents of: ${packages[*]}" >&2
  exit 0
fi

installed=$(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' "${packages[@]}" 2>/dev/null || true)
missing=()
for package in "${packages[@]}"; do
  grep -qxF "installed $package" <<<"$installed" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

fail() {
  echo "setup.sh: $1. Install these packages and try again:" >&2
  echo "  apt-get install ${missing[*]}" >&2
  exit 1
}

echo "setup.sh: missing Debian packages: ${missing[*]}" >&2
[ -z "$dry_run" ] || exit 0

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
