#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The SystemVerilog of the FRED switch is clean, whatever its parameters.  lint.sh VERILATOR
set -euo pipefail
verilator=${1:-verilator}
cd "$(dirname "${BASH_SOURCE[0]}")/../../../models/fred/rtl"
sources=(fred_pkg.sv fred_mutation_pkg.sv bf16_pkg.sv)
for file in *.sv; do [[ $file == *_pkg.sv ]] || sources+=("$file"); done
while read -r -a parameters; do
  echo "lint: ${parameters[*]}"
  "$verilator" --lint-only -Wall --unroll-count 2 --top-module fred_switch -I. "${parameters[@]}" "${sources[@]}"
done <<'SETS'
-GP=8
-GP=12 -GW=256
-GP=11 -GM=2 -GVC=1 -GDATA_TYPE=0 -GFLOWS=5
-GP=5 -GM=4 -GVC=4 -GDATA_TYPE=1 -DWAFERTLM_MUTATIONS
-GP=2 -GM=1 -GPHASE_RULE=1 -GPHASE_CHANGE=7 -GDEPTH=24 -GPLANES=1
SETS
