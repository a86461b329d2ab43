#!/usr/bin/env bash
# The reports of runs and studies, and a comparison, in a browser:  run.sh WAFERTLM [PICTURES]   (pictures: a folder for them)
set -euo pipefail
wafertlm=$1
[ $# -lt 2 ] || mkdir -p "$2"
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
node tests/browser/functions_test.mjs
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
# Wafers of 100 and 1,024 NPUs, and studies of 20, 100 and 1,024.
for size in 10 32; do
  replicas=$((size == 10 ? 50 : 1024))
  cat >"$folder/wafer$size.yaml" <<END
platform: wafer of $size by $size
wafer: {width: $size, height: $size, fabric: {link_bandwidth: 750 GB/s, link_latency: 20 ns, packet_bytes: 1 MiB}}
collectives: {algorithm: tree, chunks: 1}
END
  cat >"$folder/run$size.yaml" <<END
experiment: a layer of a transformer on $((size * size)) NPUs
platform: wafer$size.yaml
workload:
  model: {model: m, transformer: {layers: 1, hidden: 1024, heads: 32, sequence: 512, vocabulary: 4096}}
  parallelism: MP($((size * size / replicas)))-DP($replicas)-PP(1)
  samples_per_replica: 2
  effective_flops: 50 TFLOPS
END
  "$wafertlm" run "$folder/run$size.yaml" --report --out "$folder/run$size" >/dev/null
done
cat >"$folder/study100.yaml" <<'END'
study: all-reduces on a 10x10 mesh
command: collective
file: wafer10.yaml
arguments: [--type, all_reduce]
axes:
  - {axis: size, values: [256KiB, 1MiB, 4MiB], arguments: [--size, "{}"]}
  - {axis: algorithm, values: [hierarchical_2d, tree, ring], set: "collectives.algorithm={}"}
columns:
  - {column: time, read: "rows[0].time_s", as: time}
  - {column: bus bandwidth, read: "rows[0].bus_bandwidth_bytes_per_s", as: bandwidth}
references:
  - {column: time, at: {size: 4MiB, algorithm: tree}, value: {value: 9.0e-6, provenance: "made up for this test"}}
END
cat >"$folder/study1024.yaml" <<'END'
study: rows of a 32x32 mesh
command: collective
file: wafer32.yaml
arguments: [--type, all_reduce, --size, 1MiB]
axes:
  - {axis: ranks, values: [{name: half a row, arguments: [--npus, 0-15]}, {name: a row, arguments: [--npus, 0-31]}]}
  - {axis: algorithm, values: [ring, tree], set: "collectives.algorithm={}"}
columns:
  - {column: time, read: "rows[0].time_s", as: time}
  - {column: over bound, read: "rows[0].time_over_bound"}
END
"$wafertlm" study configs/studies/link_bandwidth.yaml --set workload.batch_per_npu=1 --report --out "$folder/20" >/dev/null
for npus in 100 1024; do "$wafertlm" study "$folder/study$npus.yaml" --out "$folder/$npus" >/dev/null; done
node tests/browser/large_test.mjs tests/browser/golden.json "$folder/$mesh/report.html" "$folder/run10/report.html" "$folder/run32/report.html" "${@:2}"
node tests/browser/study_test.mjs "$folder/20=line,pareto" "$folder/100=line,heat map,pareto" "$folder/1024=bar,pareto" "${@:2}"
printf '%s\n' 'Topology: [Ring, Switch]' 'NpusCount: [4, 2]' 'CostDimension: [A, B]' >"$folder/network.yml"
printf '%s\n' 'Forward: [4, -1]' 'InputGrad: [-1, -1]' 'WeightGrad: [4, 2]' >"$folder/communicator.yml"
echo 'one -1 20000 ALLREDUCE 1048576 20000 NONE 0 20000 ALLREDUCE 1048576 0' >"$folder/workload.txt"
"$wafertlm" libra --network "$folder/network.yml" --communicator "$folder/communicator.yml" --workload "$folder/workload.txt" \
  --budget 300 --simulate "$folder/libra" --candidates 0 >/dev/null
cat >"$folder/optimize.yaml" <<'END'
optimize: "two dimensions <!--<script>"
experiment: libra/experiment.yaml
variables:
  - {variable: ring, from: 1, to: 300}
  - {variable: switch, from: 1, to: 300}
set: ["wafer.fabric.dimensions[0].bandwidth={ring/2} GB/s", "wafer.fabric.dimensions[1].bandwidth={switch} GB/s"]
libra: {network: network.yml, workload: workload.txt, communicator: communicator.yml, dimensions: [ring, switch]}
constraints: ["ring + switch = 300"]
evaluations: 4
coarse_evaluations: 10
explain: true
predictions: true
END
"$wafertlm" optimize "$folder/optimize.yaml" --out "$folder/optimize" >/dev/null
node tests/browser/screenshot.mjs "$folder/optimize/report.html" "$folder/optimize.png"   # fails if the page complains
if command -v mkdocs >/dev/null; then
  python3 guide/build.py "$folder/site" "$wafertlm"
  node tests/browser/site_test.mjs "$folder/site" "${@:2}"
fi
