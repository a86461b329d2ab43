#!/usr/bin/env bash
# Sets up, builds and runs WaferTLM:  ./run.sh [arguments of wafertlm]
# Without arguments it runs the default experiment. The exit code is wafertlm's.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

"$root/setup.sh"
"$root/build.sh" release wafertlm >&2

if [ $# -eq 0 ]; then
  prefix="$root/"
  [ "$PWD" != "$root" ] || prefix=
  set -- run "${prefix}configs/experiments/resnet50_dp20_mesh_5x4.yaml" --report \
    --out "${prefix}out/resnet50_dp20_mesh_5x4"
fi
SYSTEMC_DISABLE_COPYRIGHT_MESSAGE=1 exec "$root/build/wafertlm" "$@"
