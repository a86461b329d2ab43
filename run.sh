#!/usr/bin/env bash
# Sets up, builds and runs WaferTLM:  ./run.sh [arguments of wafertlm]
# Builds only what the command needs. Without arguments it runs the default experiment. The exit code is wafertlm's.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

case ${1:-run} in
  new | convert | fred | memory | memory-engine) folder=presets ;; # former names: any program says where they went
  schema) folder=check ;;
  workload) folder=trace ;;
  *) folder=${1:-run} folder=${folder//-/_} ;;
esac
program=wafertlm
[[ ! $folder =~ ^[a-z_]+$ || ! -d $root/platform/commands/$folder ]] || program=wafertlm-$folder

"$root/setup.sh"
"$root/build.sh" release "$program" >&2

if [ $# -eq 0 ]; then
  prefix="$root/"
  [ "$PWD" != "$root" ] || prefix=
  set -- run "${prefix}configs/experiments/resnet50_dp20_mesh_5x4.yaml" --report \
    --out "${prefix}out/resnet50_dp20_mesh_5x4"
fi
export SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1
status=0
"$root/build/$program" "$@" || status=$?
[ "$status" -eq 75 ] || exit "$status"
# A switch is to be RTL, of which a program of one command has no code.
"$root/build.sh" release wafertlm >&2
exec "$root/build/wafertlm" "$@"
