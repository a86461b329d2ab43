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
mesh=resnet50_dp20_mesh_5x4
"$wafertlm" run "$folder/$mesh/resolved.yaml" --set wafer.fabric.link_bandwidth=375GB/s --out "$folder/slow" >/dev/null
"$wafertlm" compare "$folder/$mesh" "$folder/slow" --out "$folder/compare2.html" >/dev/null
cat >"$folder/small.yaml" <<'END'
experiment: two NPUs
platform: {platform: two, wafer: {width: 2, height: 1, fabric: {link_bandwidth: 100 GB/s, link_latency: 20 ns}}}
workload:
  model: {model: m, transformer: {layers: 2, hidden: 64, heads: 4, sequence: 64, vocabulary: 256}}
  parallelism: MP(1)-DP(2)-PP(1)
  samples_per_replica: 2
  effective_flops: 10 TFLOPS
END
"$wafertlm" run "$folder/small.yaml" --out "$folder/small" >/dev/null
"$wafertlm" explain "$folder/small" --out "$folder/explain.html" >/dev/null
node tests/browser/answers_test.mjs "$folder/compare.html" "$folder/compare2.html" "$folder/explain.html" "${@:2}"
if command -v mkdocs >/dev/null; then
  python3 guide/build.py "$folder/site" "$wafertlm"
  node tests/browser/site_test.mjs "$folder/site" "${@:2}"
fi
