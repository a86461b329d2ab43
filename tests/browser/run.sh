#!/usr/bin/env bash
# The report of a run, and a comparison, in a browser:  run.sh WAFERTLM [PICTURES]
set -euo pipefail
wafertlm=$1
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for experiment in resnet50_dp20_mesh_5x4 resnet50_dp20_fred_c; do
  "$wafertlm" run "configs/experiments/$experiment.yaml" --report --set iterations=1 \
    --set workload.batch_per_npu=1 --out "$folder/$experiment" >"$folder/$experiment.txt"
  node tests/browser/report_test.mjs "$folder/$experiment" "$folder/$experiment.txt" "${@:2}"
done
"$wafertlm" compare "$folder"/resnet50_dp20_mesh_5x4 "$folder/resnet50_dp20_fred_c" --out "$folder/compare.html" >/dev/null
node tests/browser/screenshot.mjs "$folder/compare.html" "$folder/compare.png"
