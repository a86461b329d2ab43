#!/usr/bin/env bash
# Configures and builds a preset of CMakePresets.json:  ./build.sh [PRESET [TARGET]]   (release, all)
# `release` is built in build/, any other preset P in build-P/. Silent when everything is up to date.
# ./build.sh release packages: Debian's packages, and a tar.gz of the program with its libraries, in build/packages/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
preset=${1:-release}
target=${2:-all}
directory=build
[ "$preset" = release ] || directory=build-$preset

# The build runs the test executable once to list its cases.
export SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1

mkdir -p "$directory"
exec 9>"$directory/.lock"
flock 9 # several runs may be started at once, only one may build
# CMake looks again when a package was installed, which may be one that it missed.
if [ ! -f "$directory/build.ninja" ] || [ CMakePresets.json -nt "$directory/build.ninja" ] ||
  [ /var/lib/dpkg/status -nt "$directory/build.ninja" ]; then
  echo "Configuring $directory/"
  cmake --preset "$preset"
fi
cmake --build --preset "$preset" --target "$target" --parallel "$(nproc)" |
  sed --unbuffered --expression '/cli.commit\.cmake$/d' --expression '/Re-checking globbed directories/d' --expression '/^ninja: no work to do\.$/d'
