#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The SystemVerilog of the mesh router is clean, whatever its parameters.  lint.sh VERILATOR
set -euo pipefail
verilator=${1:-verilator}
cd "$(dirname "${BASH_SOURCE[0]}")/../../../models/mesh/rtl"
while read -r -a parameters; do
  echo "lint: ${parameters[*]}"
  "$verilator" --lint-only -Wall --top-module mesh_router "${parameters[@]}" ./*.sv
done <<'SETS'
-GP=5
-GP=5 -GPER_OUTPUT=0 -GVC=1 -GDEPTH=64
-GP=3 -GVC=3 -GDEPTH=1
-GP=4 -GVC=4 -GCLASS_VC=2 -GW=32 -GDEPTH=48 -GOUT_DEPTH=20
-GP=1 -GVC=1
SETS
