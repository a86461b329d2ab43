#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The SystemVerilog behind AXI4 is clean, whatever its parameters.  lint.sh VERILATOR
set -euo pipefail
verilator=${1:-verilator}
cd "$(dirname "${BASH_SOURCE[0]}")/../../../models"
while read -r top parameters; do
  echo "lint: $top $parameters"
  # shellcheck disable=SC2086
  "$verilator" --lint-only -Wall --top-module "$top" $parameters hbm/rtl/*.sv
done <<'SETS'
axi_hbm -GW=512
axi_hbm -GW=32 -GA=32 -GI=1 -GLATENCY=4 -GQUEUE=2 -GBANKS=2 -GBANK_CYCLES=1
SETS
