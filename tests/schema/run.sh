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
node tests/schema/validate.mjs "$folder/schema.json" "$folder"/*/results.json
