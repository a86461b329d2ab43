#!/usr/bin/env bash
# Results of several kinds of runs against `wafertlm schema --results`:  run.sh WAFERTLM
set -euo pipefail
wafertlm=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$wafertlm" schema --results >"$folder/schema.json"
run() {
  "$wafertlm" run "configs/experiments/$1.yaml" --out "$folder/$2" "${@:3}" >/dev/null
}
run resnet50_dp20_mesh_5x4 generated --set workload.batch_per_npu=1
run resnet50_dp20_fred_c errors --set workload.batch_per_npu=1 --set iterations=1 --set wafer.fabric.bit_error_rate=1e-10
run dlrm_fred_d training --set iterations=1
"$wafertlm" workload generate configs/workloads/dlrm_dp20.yaml --out "$folder/job" >/dev/null
printf 'experiment: traces\nplatform: %s\nworkload: job/dlrm_dp20.traces.yaml\n' "$PWD/configs/platforms/fred_c.yaml" \
  >"$folder/traces.yaml"
"$wafertlm" run "$folder/traces.yaml" --out "$folder/traces" >/dev/null
if [ -e "$(dirname "$wafertlm")/libwafertlm_mpi.so" ]; then # built with MPI
  cat >"$folder/wafers.yaml" <<'YAML'
experiment: wafers
platform: {extends: wafers_4_mesh_5x4, platform: wafers, wafer: {width: 2, height: 2}}
workload:
  workload: a layer
  layers: {model: a layer, layers: [{name: one, parameters: 1000, forward_operations: 1000}]}
  data_parallel: 16
  batch_per_npu: 1
  bytes_per_element: 2
  effective_rate: 100 TFLOPS
YAML
  "$wafertlm" run "$folder/wafers.yaml" --out "$folder/processes" --processes 2 >/dev/null
  grep -q '"processes"' "$folder/processes/results.json"
fi
node tests/schema/validate.mjs "$folder/schema.json" "$folder"/*/results.json
